#include "pair_table.hpp"

#include <algorithm>

namespace samrule {
namespace {

/// Candidates counted together: neighbours share most of their conditions.
constexpr std::size_t block = 32;

}  // namespace

template <class Count>
bool PairTable<Count>::count(const ConditionRows& rows, const Language& language) {
    n_ = language.size();
    stride_ = padded_to_lanes(n_);
    if (!state_.claim(bytes(n_), claimed_)) return false;
    for (auto& shared : shared_) make_room(shared, n_ * stride_);
    state_.team.for_each((n_ + block - 1) / block, [&](std::size_t b) {
        CoveredRows covered(state_.kernels, rows);
        CandidateCounter counter(state_.kernels);
        Counts counts;
        for (std::size_t i = b * block; i < std::min(n_, (b + 1) * block); ++i) {
            if (state_.stopped()) return;
            const ConditionRows& inside = covered.of(language.terms[i]);
            state_.charge(Work::family_word, (n_ - i) * inside.rows.words);
            counter.count(inside, language, i, counts);
            for (std::size_t c = 0; c < 2; ++c) {
                Count* row = shared_[c].data() + i * stride_;
                for (std::size_t l = i; l < n_; ++l)
                    row[l] = static_cast<Count>(counts.of_class[c][l]);
                std::fill(row + n_, row + stride_, Count{0});
            }
        }
    });
    if (state_.stopped()) return false;
    mirror();
    return true;
}

/// Copies what is right of the diagonal to the left of it, tile by tile so that both sides stay
/// in the cache.
template <class Count>
void PairTable<Count>::mirror() {
    constexpr std::size_t tile = 64;
    state_.team.for_each((n_ + tile - 1) / tile, [&](std::size_t t) {
        for (auto& shared : shared_)
            for (std::size_t j0 = t * tile; j0 < n_; j0 += tile)
                for (std::size_t j = j0; j < std::min(n_, j0 + tile); ++j)
                    for (std::size_t i = t * tile; i < std::min(j, (t + 1) * tile); ++i)
                        shared[j * stride_ + i] = shared[i * stride_ + j];
    });
}

template class PairTable<std::uint16_t>;
template class PairTable<std::uint32_t>;

}  // namespace samrule
