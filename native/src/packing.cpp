#include "samrule/packing.hpp"

#include <algorithm>
#include <array>
#include <cstring>

namespace samrule {
namespace {

/// Values binned at a time: their codes stay in the first-level cache for all the ranges. A
/// multiple of 64, so that tiles begin at words.
constexpr std::size_t tile = 4096;

/// 64 or fewer bits from `first_bit` on, at least one; reads no byte that holds none of them.
Word some_bits(const std::uint8_t* bytes, std::size_t first_bit, std::size_t n_bits) {
    const std::size_t shift = first_bit % 8;
    const std::size_t n_bytes = (shift + n_bits + 7) / 8;
    Word low = 0;
    std::memcpy(&low, bytes + first_bit / 8, std::min<std::size_t>(n_bytes, 8));
    Word bits = low >> shift;
    if (n_bytes > 8) bits |= Word{bytes[first_bit / 8 + 8]} << (64 - shift);
    return bits & low_bits(n_bits);
}

/// Gives missing values code 0.
void erase_missing(Validity validity, std::size_t start, std::size_t n, std::uint8_t* codes) {
    for (std::size_t i = 0; i < n; i += bits_per_word) {
        const std::size_t n_bits = std::min(bits_per_word, n - i);
        const Word there = some_bits(validity.bits, validity.first_bit + start + i, n_bits);
        if (there == low_bits(n_bits)) continue;
        for (std::size_t k = 0; k < n_bits; ++k)
            codes[i + k] &= static_cast<std::uint8_t>(-((there >> k) & 1));
    }
}

void pack_tile(std::span<const std::uint8_t> codes, std::span<const CodeRange> ranges,
               const Kernels& kernels, Word* bits, std::size_t words) {
    for (std::size_t r = 0; r < ranges.size(); ++r) {
        Word* target = bits + r * words;
        if (ranges[r].first <= ranges[r].last)
            kernels.range_bits(codes.data(), codes.size(), ranges[r].first, ranges[r].last, target);
        else
            std::fill_n(target, words_for(codes.size()), Word{0});
    }
}

}  // namespace

template <class T>
void pack_values(std::span<const T> values, Validity validity, const Cuts<T>& cuts,
                 std::span<const CodeRange> ranges, const Kernels& kernels, Word* bits) {
    SAMRULE_ASSERT(cuts.at_least.size() + cuts.above.size() <= most_cuts);
    std::array<std::uint8_t, tile> codes;
    for (std::size_t start = 0; start < values.size(); start += tile) {
        const std::size_t n = std::min(tile, values.size() - start);
        bin_of<T>(kernels.bin)(values.data() + start, n, cuts, codes.data());
        if (validity.bits != nullptr) erase_missing(validity, start, n, codes.data());
        pack_tile({codes.data(), n}, ranges, kernels, bits + start / bits_per_word,
                  words_for(values.size()));
    }
}

void pack_codes(std::span<const std::uint8_t> codes, std::span<const CodeRange> ranges,
                const Kernels& kernels, Word* bits) {
    for (std::size_t start = 0; start < codes.size(); start += tile)
        pack_tile(codes.subspan(start, std::min(tile, codes.size() - start)), ranges, kernels,
                  bits + start / bits_per_word, words_for(codes.size()));
}

#define SAMRULE_PACK_VALUES(T)                                                 \
    template void pack_values<T>(std::span<const T>, Validity, const Cuts<T>&, \
                                 std::span<const CodeRange>, const Kernels&, Word*);
SAMRULE_PACK_VALUES(std::int8_t)
SAMRULE_PACK_VALUES(std::int16_t)
SAMRULE_PACK_VALUES(std::int32_t)
SAMRULE_PACK_VALUES(std::int64_t)
SAMRULE_PACK_VALUES(std::uint8_t)
SAMRULE_PACK_VALUES(std::uint16_t)
SAMRULE_PACK_VALUES(std::uint32_t)
SAMRULE_PACK_VALUES(std::uint64_t)
SAMRULE_PACK_VALUES(float)
SAMRULE_PACK_VALUES(double)
#undef SAMRULE_PACK_VALUES

}  // namespace samrule
