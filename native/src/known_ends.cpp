#include "known_ends.hpp"

#include <algorithm>
#include <array>

namespace samrule {
namespace {

/// More are not kept, so that a look stays short.
constexpr std::size_t most_ends = 64;

}  // namespace

void KnownEnds::add(std::span<const std::int32_t> rules) {
    const auto& known = problem_.language.candidate;
    std::vector<std::size_t> places;
    for (const std::int32_t rule : rules) {
        const auto found = std::find(known.begin(), known.end(), rule);
        if (found != known.end()) places.push_back(static_cast<std::size_t>(found - known.begin()));
    }
    const std::lock_guard lock(mutex_);
    if (ends_.size() == most_ends) ends_.erase(ends_.begin());
    ends_.push_back(std::move(places));
}

bool KnownEnds::has_one_within(std::int64_t most, const std::vector<Word>& u) {
    std::vector<Word> outside = u, left, rule;
    complement_of(problem_.rows, outside);
    const std::lock_guard lock(mutex_);
    for (std::size_t k = ends_.size(); k-- > 0;) {
        left = outside;
        if (!is_within(most, ends_[k], left, rule)) continue;
        const auto at = ends_.begin() + static_cast<std::ptrdiff_t>(k);
        std::rotate(at, at + 1, ends_.end());
        return true;
    }
    return false;
}

/// Whether rules, and the default after them, err on no more than `most` of the rows in `left`.
bool KnownEnds::is_within(std::int64_t most, const std::vector<std::size_t>& rules,
                          std::vector<Word>& left, std::vector<Word>& rule) const {
    state_.charge(Work::row_word, 2 * (rules.size() + 1) * left.size());
    for (const std::size_t i : rules) {
        problem_.rows.copy_conjunction(problem_.language.terms[i], rule);
        for (std::size_t w = 0; w < left.size(); ++w) {
            rule[w] &= left[w];
            left[w] ^= rule[w];
        }
        most -= errors(rule);
        if (most < 0) return false;
    }
    return errors(left) <= most;
}

/// The weight of the class that weighs less in a set of rows.
std::int64_t KnownEnds::errors(const std::vector<Word>& set) const {
    std::array<std::int64_t, 2> weight{};
    for (const Segment& s : problem_.rows.rows.segments) {
        const Word* words = set.data() + s.first_word;
        weight[static_cast<std::size_t>(s.klass)] +=
            state_.kernels.count_and(words, words, s.n_words) * s.weight;
    }
    return std::min(weight[0], weight[1]);
}

}  // namespace samrule
