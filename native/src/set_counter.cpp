#include "set_counter.hpp"

#include <algorithm>

namespace samrule {
namespace {

/// Operations that are worth a step of the team.
constexpr std::uint64_t work_at_once = 1'000'000;

/// Bytes of a candidate in a language, about: its terms and their vector, twice while it is made.
constexpr std::size_t bytes_of_candidate = 192;

}  // namespace

/// Calls body(first, last) for parts of n things, by all threads if they are much work.
template <class Body>
void SetCounter::share(std::uint64_t work, std::size_t n, const Body& body) const {
    const auto n_parts = std::min<std::size_t>(n, work / work_at_once);
    if (n_parts < 2) return body(0, n);
    state_.team.for_each(
        n_parts, [&](std::size_t part) { body(part * n / n_parts, (part + 1) * n / n_parts); });
}

SetCounter::SetCounter(State& state, std::size_t n_candidates)
    : state_(state), instance_(state.instance), n_(n_candidates) {
    const std::size_t bytes = bytes_of_candidate * n_;
    if (instance_.n_classes != 2 || !state_.claim_spare(bytes, claimed_)) return;
    of_two_classes_ = conjunctions_of(instance_, n_);
}

SetCounter::Plan SetCounter::plan(const std::vector<Word>& set) const {
    const std::size_t words = instance_.words;
    Plan best{Way::every_word, operations(Work::row_word, n_ * words)};
    if (of_two_classes_.language.size() == 0) return best;
    const std::size_t n_conditions = of_two_classes_.language.n_conditions;
    const auto consider = [&](Way way, std::uint64_t work) {
        if (work < best.work) best = {way, work};
    };
    if (n_ == n_conditions) {
        const auto empty = static_cast<std::size_t>(std::count(set.begin(), set.end(), Word{0}));
        const std::size_t n_words = words - empty;
        consider(Way::sparse_words, operations(Work::family_word, n_ * n_words));
    } else {
        const auto n_slots =
            static_cast<std::size_t>(state_.kernels.count_and(set.data(), set.data(), words));
        const std::size_t n_words = n_slots / bits_per_word + instance_.segments.size();
        consider(Way::packed_words, operations(Work::packed_word, n_conditions * words) +
                                        operations(Work::family_word, n_ * n_words));
    }
    return best;
}

std::uint64_t SetCounter::work(const std::vector<Word>& set) const {
    return plan(set).work + operations(Work::entry, n_);
}

void SetCounter::count(const std::vector<Word>& set, std::vector<std::int32_t>& counts) const {
    counts.resize(instance_.class_weight.size() * n_);
    switch (plan(set).way) {
        case Way::every_word:
            return count_every_word(set, counts);
        case Way::sparse_words:
            return count_sparse_words(set, counts);
        case Way::packed_words:
            return count_packed_words(set, counts);
    }
}

void SetCounter::count_every_word(const std::vector<Word>& set,
                                  std::vector<std::int32_t>& counts) const {
    const std::size_t n_classes = instance_.class_weight.size(), words = instance_.words;
    share(operations(Work::row_word, n_ * words), n_, [&](std::size_t first, std::size_t last) {
        std::vector<std::int32_t*> of_class(n_classes);
        for (std::size_t c = 0; c < n_classes; ++c) of_class[c] = counts.data() + c * n_ + first;
        state_.kernels.count_row(set.data(), instance_.candidate(first), words, last - first,
                                 instance_.segments.data(), instance_.segments.size(),
                                 static_cast<std::int32_t>(n_classes), of_class.data());
    });
}

void SetCounter::count_sparse_words(const std::vector<Word>& set,
                                    std::vector<std::int32_t>& counts) const {
    Counts found;
    CandidateCounter(state_.kernels).count_conditions(of_two_classes_.rows, set, found);
    copy(found, counts);
}

void SetCounter::count_packed_words(const std::vector<Word>& set,
                                    std::vector<std::int32_t>& counts) const {
    ConditionRows inside;
    keep_rows(state_.kernels, of_two_classes_.rows, set, inside);
    const Language& language = of_two_classes_.language;
    const std::vector<std::uint8_t> all_groups(inside.n_groups, 1);
    Counts found;
    found.resize(n_);
    share(operations(Work::family_word, n_ * inside.rows.words), language.families.size(),
          [&](std::size_t first, std::size_t last) {
              CandidateCounter counter(state_.kernels);
              for (std::size_t f = first; f < last; ++f)
                  counter.count_family(inside, language, language.families[f], all_groups, found);
          });
    copy(found, counts);
}

/// From the order of the language to that of the instance.
void SetCounter::copy(const Counts& found, std::vector<std::int32_t>& counts) const {
    for (std::size_t c = 0; c < 2; ++c)
        for (std::size_t k = 0; k < n_; ++k) {
            const auto i = static_cast<std::size_t>(of_two_classes_.language.candidate[k]);
            counts[c * n_ + i] = found.of_class[c][k];
        }
}

}  // namespace samrule
