#include "pair_table.hpp"

#include <algorithm>

namespace samrule {
namespace {

/// Candidates counted together: neighbours share most of their conditions.
constexpr std::size_t block = 32;

/// Entries of a table that are copied together: `square` rows of `square` counts.
constexpr std::size_t square = 8;

/// Copies the square at row i and column j, j >= i, to row j and column i.
template <class Count>
void mirror_square(Count* table, std::size_t stride, std::size_t n, std::size_t i, std::size_t j) {
    for (std::size_t l = j; l < std::min(n, j + square); ++l)
        for (std::size_t k = i; k < std::min(l, i + square); ++k)
            table[l * stride + k] = table[k * stride + l];
}

}  // namespace

template <class Count>
bool PairTable<Count>::make_table(std::size_t n) {
    n_ = n;
    stride_ = padded_to_lanes(n);
    if (!state_.claim(bytes(n), claimed_)) return false;
    for (auto& shared : shared_) shared = std::make_unique_for_overwrite<Count[]>(n_ * stride_);
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
        CoveredRows covered(state_.kernels, rows);
        CandidateCounter counter(state_.kernels);
        Counts counts;
        for (std::size_t i = b * block; i < std::min(n_, (b + 1) * block); ++i) {
            if (state_.stopped()) return;
            const ConditionRows& inside = covered.of(language.terms[i]);
            // Beside the words that meet, those of what each family shares, and both halves of the
            // table.
            const std::size_t n_families = language.families.size() * (n_ - i) / n_;
            state_.charge(Work::family_word, (n_ - i + n_families) * inside.rows.words);
            state_.charge(Work::entry, 4 * (n_ - i));
            counter.count(inside, language, i, counts);
            for (std::size_t c = 0; c < 2; ++c) {
                Count* row = shared_[c].get() + i * stride_;
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
        for (auto& shared : shared_)
            for (std::size_t j0 = t * tile; j0 < n_; j0 += tile)
                for (std::size_t i = t * tile; i < std::min(n_, (t + 1) * tile); i += square)
                    for (std::size_t j = std::max(i, j0); j < std::min(n_, j0 + tile); j += square)
                        mirror_square(shared.get(), stride_, n_, i, j);
    });
}

template class PairTable<std::uint16_t>;
template class PairTable<std::uint32_t>;

}  // namespace samrule
