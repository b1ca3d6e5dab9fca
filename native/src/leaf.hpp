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
    std::size_t claimed = 0;  ///< bytes
};

/// What a leaf is asked: how to finish at `place` with at most `rules` <= 3 of the conditions
/// `chosen`, exactly if that costs less than budget(prefix) + slack.
struct LeafQuestion {
    LeafPlace place;
    const std::vector<std::int32_t>& chosen;
    int rules;
    const Prefix& prefix;
    Cost slack = 0;
    bool counted = false;  ///< also beyond the budget: three rules are counted up to the slack
    /// If given, receives the bounds for 0, 1, ... rules.
    std::vector<Cost>* fewer = nullptr;
    /// If given, receives for each of the node's conditions a lower bound on the least cost of two
    /// more rules after it (only with three rules; 0 for those not chosen).
    std::vector<Cost>* after_first = nullptr;
    /// If given, says which conditions may come before the last rule, and the answer is a bound on
    /// the lists that it leaves to look at.
    const Outlook* outlook = nullptr;
};

/// A lower bound on the least cost; better lists are offered as incumbents.
Cost finish(State& state, const LeafQuestion& question, LeafSpace& space);

}  // namespace samrule
