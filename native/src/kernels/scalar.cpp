/// The specification: plain C++, runs everywhere.
#include "kernels/sets.hpp"

#define SAMRULE_PLAIN_LANES

namespace samrule::scalar {
namespace {

constexpr std::size_t lanes_bytes = 32;

// Where the instruction may be missing, std::popcount is a call into a library, and loops around it
// stay slow.
inline int bit_count(Word word) {
    word -= word >> 1 & 0x5555555555555555ULL;
    word = (word & 0x3333333333333333ULL) + (word >> 2 & 0x3333333333333333ULL);
    word = (word + (word >> 4)) & 0x0f0f0f0f0f0f0f0fULL;
    return static_cast<int>(word * 0x0101010101010101ULL >> 56);
}

inline Word extract_bits(Word source, Word mask) {
    Word result = 0;
    for (std::size_t out = 0; mask != 0; mask &= mask - 1, ++out)
        result |= ((source >> std::countr_zero(mask)) & 1) << out;
    return result;
}

// The eight bytes, each 0 or 1, times this constant: collected, first byte lowest, in the top one.
inline Word range_word(const std::uint8_t* codes, std::uint8_t first, std::uint8_t last) {
    constexpr Word collect = 0x0102040810204080ULL;
    std::uint8_t inside[bits_per_word];
    for (std::size_t k = 0; k < bits_per_word; ++k)
        inside[k] =
            static_cast<std::uint8_t>(codes[k] - first) <= static_cast<std::uint8_t>(last - first);
    Word bits = 0;
    for (std::size_t k = 0; k < bits_per_word; k += 8) {
        Word eight;
        std::memcpy(&eight, inside + k, sizeof(eight));
        bits |= ((eight * collect) >> 56) << k;
    }
    return bits;
}

// Counts the bits that a and b share in their first k words, as far as whole vectors go.
inline std::int64_t count_shared_vectors(const Word*, const Word*, std::size_t, std::size_t&) {
    return 0;
}

// Adds to `counts`, times `weight`, how many bits `column` shares with each column of `group`;
// `column` is one of a group too.
inline void add_group(const Word* column, const Word* group, std::size_t n, std::int32_t weight,
                      std::int32_t* counts) {
    std::int32_t shared[group_size] = {};
    for (std::size_t k = 0; k < n; ++k)
        for (std::size_t c = 0; c < group_size; ++c)
            shared[c] += bit_count(column[k * group_size] & group[k * group_size + c]);
    for (std::size_t c = 0; c < group_size; ++c) counts[c] += shared[c] * weight;
}

// The same for the words of a set that are not empty.
inline void add_group_of(const Word* words, const std::uint32_t* places, std::size_t n,
                         const Word* group, std::int32_t weight, std::int32_t* counts) {
    std::int32_t shared[group_size] = {};
    for (std::size_t k = 0; k < n; ++k)
        for (std::size_t c = 0; c < group_size; ++c)
            shared[c] += bit_count(words[k] & group[places[k] * group_size + c]);
    for (std::size_t c = 0; c < group_size; ++c) counts[c] += shared[c] * weight;
}

// Bit k is set if lane k of eight is true, all its bits set.
template <class Lanes>
inline Word lanes_set(Lanes lanes) {
    Word bits = 0;
    for (std::size_t k = 0; k < 8; ++k) bits |= Word{lanes[k] != 0} << k;
    return bits;
}

// Eight rows of eight numbers become columns.
inline void transpose_square(const std::uint16_t* from, std::uint16_t* to, std::size_t stride) {
    for (std::size_t c = 0; c < 8; ++c)
        for (std::size_t r = 0; r < 8; ++r) to[c * stride + r] = from[r * stride + c];
}

constexpr const char* set_name = "scalar";

#include "kernels/body.inc"
#include "kernels/packing.inc"
#include "kernels/prices.inc"

}  // namespace

#include "kernels/table.inc"

}  // namespace samrule::scalar
