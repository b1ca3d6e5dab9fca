/// Three rules, what they share, and what lists of them cost.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "state.hpp"
#include "wanted.hpp"

namespace samrule {

/// Rules that come before, and what they cost.
struct Before {
    std::vector<std::int32_t> rules;  ///< candidates of the instance
    Cost cost = 0;
    bool is_known = true;  ///< false: also any rule of some cluster, and the cost is a bound
};

/// Three candidates of the instance, and the weights they cover of some rows, by class.
struct Triple {
    using Weight = std::array<std::int64_t, 2>;
    std::array<std::int32_t, 3> candidate;
    std::array<Weight, 3> alone;   ///< of each
    std::array<Weight, 3> shared;  ///< shared[k]: of the other two together
    Weight of_all_three;
    Weight rows;  ///< of all rows
};

/// Offers the three rules, after those before, in the orders that cost no more than wanted. With
/// `other_orders` also the other orders of the last four rules that cost as much.
void offer(const State& state, const Before& before, const Triple& triple, bool other_orders,
           Wanted& wanted);

}  // namespace samrule
