#include "known_ends.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

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
    if (places.empty()) return;
    const std::lock_guard lock(mutex_);
    if (ends_.size() == most_ends) ends_.erase(ends_.begin());
    ends_.push_back(std::move(places));
}

bool KnownEnds::has_one_within(std::int64_t most, const std::vector<Word>& u) {
    std::vector<Word> outside = u, left;
    complement_of(problem_.rows, outside);
    const std::lock_guard lock(mutex_);
    for (std::size_t k = ends_.size(); k-- > 0;) {
        left = outside;
        if (errors(ends_[k], most, left, nullptr) > most) continue;
        move_last(k);
        return true;
    }
    return false;
}

KnownEnds::Least KnownEnds::least(const std::vector<Word>& u) {
    std::vector<Word> outside = u, left, wrong;
    complement_of(problem_.rows, outside);
    Least least{std::numeric_limits<std::int64_t>::max(), {}};
    const std::lock_guard lock(mutex_);
    std::size_t best = 0;
    for (std::size_t k = ends_.size(); k-- > 0;) {
        left = outside;
        wrong.assign(outside.size(), 0);
        const std::int64_t some = errors(ends_[k], least.errors - 1, left, &wrong);
        if (some >= least.errors) continue;
        least.errors = some;
        std::swap(least.rows, wrong);
        best = k;
    }
    move_last(best);
    return least;
}

/// On how much rules, and the default after them, err in the rows `left`, and on which; more than
/// `most` as soon as it is more.
std::int64_t KnownEnds::errors(const std::vector<std::size_t>& rules, std::int64_t most,
                               std::vector<Word>& left, std::vector<Word>* wrong) const {
    state_.charge(Work::row_word, 2 * (rules.size() + 1) * left.size());
    std::int64_t sum = 0;
    const auto decide = [&](const std::vector<Word>& set) {
        const Lesser lesser = lesser_class(set);
        sum += lesser.weight;
        if (wrong != nullptr) add_rows(set, lesser.klass, *wrong);
    };
    std::vector<Word> rule;
    for (const std::size_t i : rules) {
        problem_.rows.copy_conjunction(problem_.language.terms[i], rule);
        for (std::size_t w = 0; w < left.size(); ++w) {
            rule[w] &= left[w];
            left[w] ^= rule[w];
        }
        decide(rule);
        if (sum > most) return sum;
    }
    decide(left);
    return sum;
}

/// The class that weighs less in a set of rows.
KnownEnds::Lesser KnownEnds::lesser_class(const std::vector<Word>& set) const {
    std::array<std::int64_t, 2> weight{};
    for (const Segment& s : problem_.rows.rows.segments) {
        const Word* words = set.data() + s.first_word;
        weight[static_cast<std::size_t>(s.klass)] +=
            state_.kernels.count_and(words, words, s.n_words) * s.weight;
    }
    const std::size_t klass = weight[1] < weight[0] ? 1 : 0;
    return {klass, weight[klass]};
}

/// Adds the rows of a set that have a class.
void KnownEnds::add_rows(const std::vector<Word>& set, std::size_t klass,
                         std::vector<Word>& to) const {
    for (const Segment& s : problem_.rows.rows.segments)
        if (static_cast<std::size_t>(s.klass) == klass)
            for (std::size_t w = s.first_word; w < s.first_word + s.n_words; ++w) to[w] |= set[w];
}

void KnownEnds::move_last(std::size_t k) {
    const auto at = ends_.begin() + static_cast<std::ptrdiff_t>(k);
    std::rotate(at, at + 1, ends_.end());
}

}  // namespace samrule
