#include "given_back.hpp"

#include <algorithm>

#include "node.hpp"

namespace samrule {
namespace {

/// The most that the rows in both sets can cost.
Cost most_cost(const State& state, const Word* a, const Word* b) {
    Cost most = 0;
    for (const Segment& s : state.instance.segments)
        most += state.kernels.count_and(a + s.first_word, b + s.first_word, s.n_words) * s.weight *
                state.pricing.step(static_cast<std::size_t>(s.klass));
    return most;
}

}  // namespace

Cost cost_by_rows_given_back(const State& state, const std::vector<Word>& all,
                             std::span<const std::int32_t> prefix, int rules, Cost wanted,
                             GivenBackSpace& space) {
    const std::size_t words = all.size(), n = prefix.size();
    const auto covered = [&](std::size_t k) {
        return state.instance.candidate(static_cast<std::size_t>(prefix[k]));
    };
    space.after.resize(n * words);
    std::copy(all.begin(), all.end(), space.after.end() - static_cast<std::ptrdiff_t>(words));
    for (std::size_t k = n - 1; k > 0; --k) {
        const Word *from = space.after.data() + k * words, *rows = covered(k);
        Word* to = space.after.data() + (k - 1) * words;
        for (std::size_t w = 0; w < words; ++w) to[w] = from[w] & ~rows[w];
    }
    space.before = all;
    space.left.resize(words);
    Cost bound = 0;
    for (std::size_t k = 0; k < n && bound < wanted; ++k) {
        const Word *after = space.after.data() + k * words, *rows = covered(k);
        for (std::size_t w = 0; w < words; ++w) {
            space.left[w] = space.before[w] & after[w];
            space.before[w] &= ~rows[w];
        }
        const Cost known = state.cache.find(key_of(space.left), rules);
        if (known > bound)
            bound = std::max(bound, known - most_cost(state, space.left.data(), rows));
    }
    return bound;
}

}  // namespace samrule
