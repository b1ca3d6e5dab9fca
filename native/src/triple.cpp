#include "triple.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

#include "orders.hpp"

namespace samrule {
namespace {

/// Errors of the rules in this order, the default's included.
std::int64_t errors(const Triple& triple, const std::array<std::size_t, 3>& order) {
    const auto [a, b, c] = order;
    std::array<std::int64_t, 4> least;  // of three rules and the default
    least.fill(std::numeric_limits<std::int64_t>::max());
    for (std::size_t k = 0; k < 2; ++k) {
        const std::int64_t ab = triple.shared[c][k], ac = triple.shared[b][k];
        const std::int64_t bc = triple.shared[a][k];
        const std::int64_t taken[] = {triple.alone[a][k], triple.alone[b][k] - ab,
                                      triple.alone[c][k] - ac - bc + triple.of_all_three[k]};
        const std::int64_t rest = triple.rows[k] - taken[0] - taken[1] - taken[2];
        for (std::size_t r = 0; r < 3; ++r) least[r] = std::min(least[r], taken[r]);
        least[3] = std::min(least[3], rest);
    }
    return std::accumulate(least.begin(), least.end(), INT64_C(0));
}

}  // namespace

void offer(const State& state, const Before& before, const Triple& triple, bool other_orders,
           Wanted& wanted) {
    std::array<std::size_t, 3> order{0, 1, 2};
    do {
        const Cost cost = before.cost + errors(triple, order) * unit + 3 * state.rule_cost;
        if (cost > wanted.limit()) continue;
        CostedList list{cost, before.rules};
        for (const std::size_t k : order) list.rules.push_back(triple.candidate[k]);
        if (other_orders && before.is_known) offer_orders_of_last(state, 4, list.rules, wanted);
        wanted.offer(std::move(list));
    } while (std::next_permutation(order.begin(), order.end()));
}

}  // namespace samrule
