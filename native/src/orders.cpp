#include "orders.hpp"

#include <algorithm>
#include <array>
#include <bit>

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

}  // namespace

void offer_orders_of_last(const State& state, std::size_t n, std::vector<std::int32_t> rules,
                          Wanted& wanted) {
    const auto last = rules.end() - static_cast<std::ptrdiff_t>(n);
    std::sort(last, rules.end());
    do {
        wanted.offer({cost_of(state, rules), rules});
    } while (std::next_permutation(last, rules.end()));
}

}  // namespace samrule
