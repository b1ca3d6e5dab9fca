#include "pivot_company.hpp"

#include <algorithm>
#include <utility>

namespace samrule {
namespace {

/// More are not kept, so that a look stays short.
constexpr std::size_t most_known = 16;

/// What such rules keep of a pivot's rows.
Word kept_by(Beside beside, Word x, Word y) {
    if (beside == Beside::takes_both) return ~(x | y);
    const bool takes_y = beside == Beside::adds_x_takes_y || beside == Beside::adds_x_after_y;
    return takes_y ? ~y : ~Word{0};
}

/// What they predict positive themselves.
Word added_by(Beside beside, Word x, Word y) {
    if (beside == Beside::takes_both) return 0;
    if (beside == Beside::adds_both) return x | y;
    return beside == Beside::adds_x_after_y ? x : x & ~y;
}

}  // namespace

void PivotCompany::add(Beside beside, std::size_t positive, std::span<const std::int32_t> x,
                       std::span<const std::int32_t> y) {
    Company company{positive, {}, {}};
    rows_.copy_conjunction(x, company.kept);
    rows_.copy_conjunction(y, company.added);
    for (std::size_t w = 0; w < company.kept.size(); ++w) {
        const Word one = company.kept[w], other = company.added[w];
        company.kept[w] = kept_by(beside, one, other);
        company.added[w] = added_by(beside, one, other);
    }
    if (known_.size() == most_known) known_.erase(known_.begin());
    known_.push_back(std::move(company));
}

bool PivotCompany::has_one_for(const std::vector<Word>& set, std::size_t positive,
                               std::int64_t gain) {
    for (std::size_t k = known_.size(); k-- > 0;) {
        if (known_[k].positive != positive || gain_of(set, known_[k]) < gain) continue;
        const auto at = known_.begin() + static_cast<std::ptrdiff_t>(k);
        std::rotate(at, at + 1, known_.end());
        return true;
    }
    return false;
}

/// Positive minus negative weight of what is predicted positive.
std::int64_t PivotCompany::gain_of(const std::vector<Word>& set, const Company& company) {
    state_.charge(Work::row_word, set.size());
    predicted_.resize(set.size());
    for (std::size_t w = 0; w < set.size(); ++w)
        predicted_[w] = (set[w] & company.kept[w]) | company.added[w];
    std::int64_t weight = 0;
    for (const Segment& s : rows_.rows.segments) {
        const Word* words = predicted_.data() + s.first_word;
        const std::int64_t slots = state_.kernels.count_and(words, words, s.n_words);
        weight += static_cast<std::size_t>(s.klass) == company.positive ? slots * s.weight
                                                                        : -slots * s.weight;
    }
    return weight;
}

}  // namespace samrule
