#include "triple.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <numeric>

namespace samrule {
namespace {

/// The cost of a list of candidates of the instance.
Cost cost_of(const State& state, const std::vector<std::int32_t>& rules) {
    const Instance& instance = state.instance;
    std::vector<Word> taken(instance.words, 0);
    std::array<std::int64_t, 2> left{instance.class_weight[0], instance.class_weight[1]};
    std::int64_t errors = 0;
    for (const std::int32_t rule : rules) {
        const Word* covered = instance.candidate(static_cast<std::size_t>(rule));
        std::array<std::int64_t, 2> weight{};
        for (const Segment& s : instance.segments) {
            std::int64_t slots = 0;
            for (std::size_t w = s.first_word; w < s.first_word + s.n_words; ++w)
                slots += std::popcount(covered[w] & ~taken[w]);
            weight[static_cast<std::size_t>(s.klass)] += slots * s.weight;
        }
        for (std::size_t w = 0; w < taken.size(); ++w) taken[w] |= covered[w];
        for (std::size_t c = 0; c < 2; ++c) left[c] -= weight[c];
        errors += std::min(weight[0], weight[1]);
    }
    errors += std::min(left[0], left[1]);
    return errors * unit + static_cast<Cost>(rules.size()) * state.rule_cost;
}

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

void offer_orders_of_last_four(const State& state, std::vector<std::int32_t> rules,
                               Wanted& wanted) {
    const auto last_four = rules.end() - 4;
    std::sort(last_four, rules.end());
    do {
        wanted.offer({cost_of(state, rules), rules});
    } while (std::next_permutation(last_four, rules.end()));
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
        if (other_orders && before.is_known) offer_orders_of_last_four(state, list.rules, wanted);
        wanted.offer(std::move(list));
    } while (std::next_permutation(order.begin(), order.end()));
}

}  // namespace samrule
