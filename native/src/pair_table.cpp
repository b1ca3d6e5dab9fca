#include "pair_table.hpp"

#include <algorithm>

namespace samrule {
namespace {

/// Candidates counted together: neighbours share most of their conditions.
constexpr std::size_t block = 32;

/// Counts candidates on the rows of one of them, and from that one on.
class RowCounter {
  public:
    RowCounter(const Kernels& kernels, const ConditionRows& rows, const Language& language)
        : language_(language), covered_(kernels, rows, language), counter_(kernels) {}

    const Counts& count(std::size_t i) {
        const std::span<const std::int32_t> terms(language_.terms[i]);
        if (terms.size() == 1) {
            inside_ = &covered_.of(terms);
            counter_.count(*inside_, language_, i, counts_);
            return counts_;
        }
        // Conjunctions that come later have no condition before the first one of i, so those are
        // not packed. Single conditions are counted without packing the last condition's rows.
        count_singles(terms);
        inside_ = &covered_.of(terms, static_cast<std::size_t>(terms[0]) / group_size);
        counter_.count(*inside_, language_, i, language_.first_single(), counts_);
        return counts_;
    }

    /// Of the rows that were counted on last.
    std::size_t words() const { return inside_->rows.words; }

  private:
    void count_singles(std::span<const std::int32_t> terms) {
        const ConditionRows& outer = covered_.of(terms.first(terms.size() - 1));
        outer.copy_condition(static_cast<std::size_t>(terms.back()), set_);
        counter_.count_conditions(outer, set_, singles_, language_.first_group);
        counts_.resize(language_.size());
        for (std::size_t c = 0; c < 2; ++c)
            for (std::size_t l = language_.first_single(); l < language_.size(); ++l)
                counts_.of_class[c][l] =
                    singles_.of_class[c][static_cast<std::size_t>(language_.last_term(l))];
    }

    const Language& language_;
    CoveredRows covered_;
    CandidateCounter counter_;
    const ConditionRows* inside_ = nullptr;
    std::vector<Word> set_;
    Counts counts_, singles_;
};

/// Copies the rows and columns [first, last) from right of the diagonal to the left of it.
template <class Count>
void mirror_square(Count* table, std::size_t stride, std::size_t first, std::size_t last) {
    for (std::size_t l = first; l < last; ++l)
        for (std::size_t k = first; k < l; ++k) table[l * stride + k] = table[k * stride + l];
}

}  // namespace

template <class Count>
bool PairTable<Count>::make_table(std::size_t n) {
    n_ = n;
    stride_ = padded_to_lanes(n);
    shared_[0] = room_.template of<Count>(state_, 2 * n_ * stride_);
    if (shared_[0] == nullptr) return false;
    shared_[1] = shared_[0] + n_ * stride_;
    return true;
}

/// Counts what is right of the diagonal on `rows`, lets `make_row` turn the counts of a class into
/// a row of the table, and copies the rest.
template <class Count>
template <class Row>
bool PairTable<Count>::fill(const ConditionRows& rows, const Language& language,
                            const Row& make_row) {
    if (!make_table(language.size())) return false;
    state_.team.for_each((n_ + block - 1) / block, [&](std::size_t b) {
        RowCounter counter(state_.kernels, rows, language);
        for (std::size_t i = b * block; i < std::min(n_, (b + 1) * block); ++i) {
            if (state_.stopped()) return;
            const Counts& counts = counter.count(i);
            // Beside the words that meet, those of what each family shares, and both halves of the
            // table.
            const std::size_t n_families = language.families.size() * (n_ - i) / n_;
            state_.charge(Work::family_word, (n_ - i + n_families) * counter.words());
            state_.charge(Work::entry, 4 * (n_ - i));
            for (std::size_t c = 0; c < 2; ++c) {
                Count* row = shared_[c] + i * stride_;
                make_row(c, i, counts.of_class[c].data(), row);
                std::fill(row + n_, row + stride_, Count{0});
            }
        }
    });
    mirror();
    return !state_.stopped();
}

template <class Count>
bool PairTable<Count>::count(const ConditionRows& rows, const Language& language) {
    return fill(rows, language,
                [&](std::size_t, std::size_t i, const std::int32_t* counts, Count* row) {
                    for (std::size_t l = i; l < n_; ++l) row[l] = static_cast<Count>(counts[l]);
                });
}

template <class Count>
bool PairTable<Count>::count_without(const PairTable& whole, std::span<const std::int32_t> place,
                                     const ConditionRows& removed, const Language& language) {
    return fill(removed, language,
                [&](std::size_t c, std::size_t i, const std::int32_t* counts, Count* row) {
                    const Count* all = whole.shared(c, static_cast<std::size_t>(place[i]));
                    for (std::size_t l = i; l < n_; ++l)
                        row[l] =
                            static_cast<Count>(all[static_cast<std::size_t>(place[l])] - counts[l]);
                });
}

/// Copies what is right of the diagonal to the left of it, tile by tile so that both sides stay
/// in the cache.
template <class Count>
void PairTable<Count>::mirror() {
    constexpr std::size_t tile = 64;
    state_.team.for_each((n_ + tile - 1) / tile, [&](std::size_t t) {
        if (state_.stopped()) return;
        const std::size_t first = t * tile, last = std::min(n_, first + tile);
        for (Count* shared : shared_) {
            mirror_square(shared, stride_, first, last);
            for (std::size_t j = last; j < n_; j += tile) {
                const Count* from = shared + first * stride_ + j;
                Count* to = shared + j * stride_ + first;
                const std::size_t n_columns = std::min(tile, n_ - j);
                if constexpr (sizeof(Count) == 2)
                    state_.kernels.transpose16(from, stride_, last - first, n_columns, to);
                else
                    state_.kernels.transpose32(from, stride_, last - first, n_columns, to);
            }
        }
    });
}

template class PairTable<std::uint16_t>;
template class PairTable<std::uint32_t>;

}  // namespace samrule
