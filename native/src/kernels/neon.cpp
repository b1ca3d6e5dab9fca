/// The same loops for AArch64, where every processor has NEON.
#include "kernels/sets.hpp"

#ifdef SAMRULE_NEON
#include <arm_neon.h>

namespace samrule::neon {
namespace {

constexpr std::size_t lanes_bytes = 16;

// There is no such instruction: bits move right by as many places as the mask has gaps below them,
// by powers of two (Hacker's Delight, 7-4). What depends on the mask alone is computed once for all
// columns that share it.
inline Word extract_bits(Word source, Word mask) {
    Word result = source & mask;
    Word gaps = ~mask << 1;  // below each place
    for (int step = 0; step < 6; ++step) {
        Word odd = gaps;  // whether there is an odd number of them
        for (int shift = 1; shift < 64; shift *= 2) odd ^= odd << shift;
        const Word moving = odd & mask;
        mask = (mask ^ moving) | moving >> (1 << step);
        const Word bits = result & moving;
        result = (result ^ bits) | bits >> (1 << step);
        gaps &= ~odd;
    }
    return result;
}

inline Word range_word(const std::uint8_t* codes, std::uint8_t first, std::uint8_t last) {
    static constexpr std::uint8_t place[16] = {1, 2, 4, 8, 16, 32, 64, 128,  //
                                               1, 2, 4, 8, 16, 32, 64, 128};
    const uint8x16_t low = vdupq_n_u8(first), places = vld1q_u8(place);
    const uint8x16_t width = vdupq_n_u8(static_cast<std::uint8_t>(last - first));
    const auto inside = [&](const std::uint8_t* from) {
        return vandq_u8(vcleq_u8(vsubq_u8(vld1q_u8(from), low), width), places);
    };
    const uint8x16_t first_half = vpaddq_u8(inside(codes), inside(codes + 16));
    const uint8x16_t last_half = vpaddq_u8(inside(codes + 32), inside(codes + 48));
    const uint8x16_t quarters = vpaddq_u8(first_half, last_half);
    return vgetq_lane_u64(vreinterpretq_u64_u8(vpaddq_u8(quarters, quarters)), 0);
}

// Word by word is good enough here.
inline std::int64_t count_shared_vectors(const Word*, const Word*, std::size_t, std::size_t&) {
    return 0;
}

// Adds eight counts, of bits that n words share with eight columns side by side: word(k) and
// columns(k) are word k and those of the columns at its place.
template <class WordAt, class ColumnsAt>
[[gnu::always_inline]] inline void add_shared(const WordAt& word, const ColumnsAt& columns,
                                              std::size_t n, std::int32_t weight,
                                              std::int32_t* counts) {
    constexpr std::size_t most = 31;  // words whose byte counts fit in a byte
    uint64x2_t total[4];
    for (uint64x2_t& two : total) two = vdupq_n_u64(0);
    for (std::size_t k = 0; k < n;) {
        uint8x16_t bytes[4];
        for (uint8x16_t& two : bytes) two = vdupq_n_u8(0);
        for (const std::size_t end = k + most < n ? k + most : n; k < end; ++k) {
            const uint64x2_t repeated = vdupq_n_u64(word(k));
            const Word* group = columns(k);
            for (std::size_t c = 0; c < 4; ++c) {
                const uint64x2_t both = vandq_u64(repeated, vld1q_u64(group + 2 * c));
                bytes[c] = vaddq_u8(bytes[c], vcntq_u8(vreinterpretq_u8_u64(both)));
            }
        }
        for (std::size_t c = 0; c < 4; ++c)
            total[c] = vpadalq_u32(total[c], vpaddlq_u16(vpaddlq_u8(bytes[c])));
    }
    for (std::size_t c = 0; c < 4; c += 2) {
        const uint32x4_t four = vcombine_u32(vmovn_u64(total[c]), vmovn_u64(total[c + 1]));
        std::int32_t* out = counts + 2 * c;
        vst1q_s32(out, vmlaq_n_s32(vld1q_s32(out), vreinterpretq_s32_u32(four), weight));
    }
}

inline void add_group(const Word* column, const Word* group, std::size_t n, std::int32_t weight,
                      std::int32_t* counts) {
    add_shared([&](std::size_t k) { return column[k * group_size]; },
               [&](std::size_t k) { return group + k * group_size; }, n, weight, counts);
}

inline void add_group_of(const Word* words, const std::uint32_t* places, std::size_t n,
                         const Word* group, std::int32_t weight, std::int32_t* counts) {
    add_shared([&](std::size_t k) { return words[k]; },
               [&](std::size_t k) { return group + places[k] * group_size; }, n, weight, counts);
}

// Bit k is set if lane k of four is true, all its bits set.
template <class V>
[[gnu::always_inline]] inline Word lanes_set(V lanes) {
    static constexpr std::uint32_t place[4] = {1, 2, 4, 8};
    uint32x4_t numbers;
    std::memcpy(&numbers, &lanes, sizeof(numbers));
    return Word{vaddvq_u32(vandq_u32(numbers, vld1q_u32(place)))};
}

// Eight rows of eight numbers become columns.
inline void transpose_square(const std::uint16_t* from, std::uint16_t* to, std::size_t stride) {
    for (std::size_t c = 0; c < 8; ++c)
        for (std::size_t r = 0; r < 8; ++r) to[c * stride + r] = from[r * stride + c];
}

constexpr const char* set_name = "neon";

#include "kernels/body.inc"
#include "kernels/packing.inc"
#include "kernels/prices.inc"

}  // namespace

#include "kernels/table.inc"

}  // namespace samrule::neon
#endif
