/// The last three rules, chosen from pair counts alone: no subproblem is built for them.
#pragma once

#include <cstdint>
#include <vector>

#include "node.hpp"
#include "state.hpp"

namespace samrule {

/// Most rules that a leaf can place.
inline constexpr int leaf_rules = 3;

/// Where a leaf stands: at `node`, or after the node's rule `rule`.
struct LeafPlace {
    const Node* node;
    std::int32_t rule = no_rule;
};

/// Pair counts of a few conditions on the rows of a leaf, padded for the scans.
template <class Count>
struct LeafTable {
    std::size_t n = 0;
    std::size_t padded = 0;
    std::size_t n_last = 0;            ///< the first so many are enough as last rule: see fill
    std::size_t n_paired = 0;          ///< condition n - n_paired + k is the complement of k
    std::vector<std::int32_t> source;  ///< each condition's index in the node
    std::vector<Count> counts;         ///< class after class: n rows of `padded`
    std::vector<Count> singles;        ///< class after class: one row of `padded`
    std::vector<Count> class_weight;

    std::size_t n_classes() const { return class_weight.size(); }
    const Count* shared(std::size_t c, std::size_t i) const {
        return counts.data() + (c * n + i) * padded;
    }
    const Count* single(std::size_t c) const { return singles.data() + c * padded; }
};

/// Everything a leaf needs besides its node, reused from leaf to leaf.
struct LeafSpace {
    Workspace counting;
    Arrangement arrangement;
    LeafTable<std::int16_t> narrow, narrow_kept;
    LeafTable<std::int32_t> wide, wide_kept;
    std::vector<Word> none;   ///< an empty set of rows
    std::size_t claimed = 0;  ///< bytes
};

/// Lower bound on the least cost of finishing with at most `rules` <= 3 rules drawn from the
/// conditions `chosen`; better lists are offered as incumbents. Exact if below
/// budget(prefix) + slack.
///
/// `fewer`, if given, receives the bounds for 0, 1, ... rules;
/// `after_first`, if given, receives for each of the node's conditions a lower bound on the
/// least cost of two more rules after it (only with three rules; 0 for those not chosen).
Cost finish(State& state, const LeafPlace& place, const std::vector<std::int32_t>& chosen,
            int rules, const Prefix& prefix, Cost slack, LeafSpace& space,
            std::vector<Cost>* fewer = nullptr, std::vector<Cost>* after_first = nullptr);

}  // namespace samrule
