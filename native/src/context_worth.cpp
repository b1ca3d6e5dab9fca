#include "context_worth.hpp"

#include <algorithm>

namespace samrule {
namespace {

/// Weight of the rows of class c in both of two sets.
std::int64_t weight_of(const State& state, const Word* a, const Word* b, std::size_t c) {
    std::int64_t weight = 0;
    for (const Segment& s : state.instance.segments)
        if (static_cast<std::size_t>(s.klass) == c)
            weight +=
                state.kernels.count_and(a + s.first_word, b + s.first_word, s.n_words) * s.weight;
    return weight;
}

const Word* column(const State& state, std::int32_t rule) {
    return state.instance.candidate(static_cast<std::size_t>(rule));
}

/// Which rows each rule decides, and what it predicts there.
void decide(const State& state, std::span<const std::int32_t> rules, ContextSpace& space) {
    const std::size_t words = state.instance.words;
    space.left.assign(words, ~Word{0});
    space.decided.resize(rules.size() * words);
    space.label.resize(rules.size());
    for (std::size_t k = 0; k < rules.size(); ++k) {
        const Word* covered = column(state, rules[k]);
        Word* decided = space.decided.data() + k * words;
        for (std::size_t w = 0; w < words; ++w) {
            decided[w] = space.left[w] & covered[w];
            space.left[w] &= ~covered[w];
        }
        std::int64_t most = -1;
        for (std::size_t c = 0; c < static_cast<std::size_t>(state.instance.n_classes); ++c) {
            const std::int64_t weight = weight_of(state, decided, decided, c);
            if (weight <= most) continue;
            most = weight;
            space.label[k] = c;
        }
    }
}

/// What rule k is worth in a list that has no rule `without`, a later one.
std::int64_t context_worth(const State& state, std::span<const std::int32_t> rules, std::size_t k,
                           std::size_t without, ContextSpace& space) {
    const std::size_t words = state.instance.words, label = space.label[k];
    const Word* decided = space.decided.data() + k * words;
    space.left.assign(decided, decided + words);
    Word* falls = space.left.data();
    std::int64_t worth = 0;
    for (std::size_t later = k + 1; later < rules.size(); ++later) {
        if (later == without) continue;
        const Word* covered = column(state, rules[later]);
        if (space.label[later] != label)
            worth += weight_of(state, falls, covered, label) -
                     weight_of(state, falls, covered, space.label[later]);
        for (std::size_t w = 0; w < words; ++w) falls[w] &= ~covered[w];
    }
    return worth + weight_of(state, falls, falls, label);
}

}  // namespace

Cost cost_by_context(const State& state, std::span<const std::int32_t> rules, Cost without_one,
                     Cost without_two, Cost wanted, ContextSpace& space) {
    SAMRULE_ASSERT(state.pricing.is_error());
    decide(state, rules, space);
    const std::size_t n = rules.size();
    space.worth.resize(n);
    Cost bound = 0;
    for (std::size_t k = n; k-- > 0 && bound < wanted;) {
        space.worth[k] = unit * context_worth(state, rules, k, n, space);
        bound = std::max(bound, without_one - space.worth[k]);
    }
    for (std::size_t k = 0; k < n && bound < wanted; ++k)
        for (std::size_t l = k + 1; l < n && bound < wanted; ++l) {
            // Together they are hardly worth less than alone.
            if (without_two - space.worth[k] - space.worth[l] < wanted) continue;
            const Cost both = unit * context_worth(state, rules, k, l, space) + space.worth[l];
            bound = std::max(bound, without_two - both);
        }
    return bound;
}

}  // namespace samrule
