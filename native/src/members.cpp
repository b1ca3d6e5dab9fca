#include "members.hpp"

namespace samrule {

/// Weight of the predicted class less that of the other in the rows of a pattern.
std::int64_t MemberSearch::gain(Pattern pattern, std::size_t positive,
                                const std::array<std::int32_t, 3>& rules) {
    const PackedRows& rows = groups_.all().rows.rows;
    state_.charge(Work::row_word, rows.words);
    set_.resize(rows.words);
    const Word *x = groups_.rows_of(rules[0]), *y = groups_.rows_of(rules[1]);
    const Word* z = groups_.rows_of(rules[2]);
    switch (pattern) {
        case Pattern::x_y_z:
            for (std::size_t w = 0; w < rows.words; ++w) set_[w] = x[w] | y[w] | z[w];
            break;
        case Pattern::x_y_without_z:
            for (std::size_t w = 0; w < rows.words; ++w) set_[w] = (x[w] | y[w]) & ~z[w];
            break;
        case Pattern::x_or_y_not_z:
            for (std::size_t w = 0; w < rows.words; ++w) set_[w] = x[w] | (y[w] & ~z[w]);
            break;
        case Pattern::x_without_y_z:
            for (std::size_t w = 0; w < rows.words; ++w) set_[w] = x[w] & ~(y[w] | z[w]);
            break;
    }
    std::int64_t weight = 0;
    for (const Segment& s : rows.segments) {
        const Word* set = set_.data() + s.first_word;
        const std::int64_t slots = state_.kernels.count_and(set, set, s.n_words);
        weight +=
            static_cast<std::size_t>(s.klass) == positive ? slots * s.weight : -slots * s.weight;
    }
    return weight;
}

Triple MemberSearch::triple(const std::array<std::int32_t, 3>& rules) const {
    const ConjunctionProblem& all = groups_.all();
    const auto count = [&](const Word* a, const Word* b, const Word* c) {
        Triple::Weight weight{};
        std::vector<Word> both(all.rows.rows.words);
        for (std::size_t w = 0; w < both.size(); ++w) both[w] = a[w] & b[w];
        for (const Segment& s : all.rows.rows.segments)
            weight[static_cast<std::size_t>(s.klass)] +=
                s.weight *
                state_.kernels.count_and(both.data() + s.first_word, c + s.first_word, s.n_words);
        return weight;
    };
    Triple triple;
    std::array<const Word*, 3> rows;
    for (std::size_t k = 0; k < 3; ++k) {
        rows[k] = groups_.rows_of(rules[k]);
        const auto i = static_cast<std::size_t>(rules[k]);
        triple.candidate[k] = all.language.candidate[i];
        triple.alone[k] = {all.counts.negative(i), all.counts.positive(i)};
    }
    for (std::size_t k = 0; k < 3; ++k) {
        const Word *one = rows[(k + 1) % 3], *other = rows[(k + 2) % 3];
        triple.shared[k] = count(one, other, other);
    }
    triple.of_all_three = count(rows[0], rows[1], rows[2]);
    triple.rows = {all.rows.weight.negative, all.rows.weight.positive};
    return triple;
}

}  // namespace samrule
