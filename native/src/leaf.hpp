/// The last three rules, chosen from pair counts alone: no subproblem is built for them.
#pragma once

#include <cstdint>
#include <vector>

#include "leaf_table.hpp"
#include "node.hpp"
#include "state.hpp"
#include "survey.hpp"

namespace samrule {

/// Most rules that a leaf can place.
inline constexpr int leaf_rules = 3;

/// Everything a leaf needs besides its node, reused from leaf to leaf.
struct LeafSpace {
    Workspace counting;
    Arrangement arrangement;
    LeafTable<std::int16_t> narrow, narrow_kept;
    LeafTable<std::int32_t> wide, wide_kept;
    Outlook outlook;
    std::vector<Word> none;   ///< an empty set of rows
    std::size_t claimed = 0;  ///< bytes
};

/// Lower bound on the least cost of finishing with at most `rules` <= 3 rules drawn from the
/// conditions `chosen`; better lists are offered as incumbents. Exact if below
/// budget(prefix) + slack.
///
/// `fewer`, if given, receives the bounds for 0, 1, ... rules;
/// `after_first`, if given, receives for each of the node's conditions a lower bound on the
/// least cost of two more rules after it (only with three rules; 0 for those not chosen);
/// `outlook`, if given, says which conditions may come before the last rule, and the bound is one
/// on the lists that it leaves to look at.
Cost finish(State& state, const LeafPlace& place, const std::vector<std::int32_t>& chosen,
            int rules, const Prefix& prefix, Cost slack, LeafSpace& space,
            std::vector<Cost>* fewer = nullptr, std::vector<Cost>* after_first = nullptr,
            const Outlook* outlook = nullptr);

}  // namespace samrule
