/// The same loops for x86-64 with AVX2, BMI2 and POPCNT, reached only after the processor has been
/// asked.
#include "kernels/sets.hpp"

#ifdef SAMRULE_X86
#include <immintrin.h>

// From here on and not for the whole file: what headers define inline is shared with other files,
// and must run on any processor. (MSVC knows all instructions everywhere.)
#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2,bmi2,popcnt"))), apply_to = function)
#elif defined(__GNUC__)
#pragma GCC target("avx2,bmi2,popcnt")
#endif

namespace samrule::avx2 {
namespace {

constexpr std::size_t lanes_bytes = 32;

inline Word extract_bits(Word source, Word mask) { return _pext_u64(source, mask); }

inline Word range_word(const std::uint8_t* codes, std::uint8_t first, std::uint8_t last) {
    const __m256i low = _mm256_set1_epi8(static_cast<char>(first));
    const __m256i width = _mm256_set1_epi8(static_cast<char>(last - first));
    const auto inside = [&](const std::uint8_t* from) {
        const auto code = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from));
        const __m256i past = _mm256_sub_epi8(code, low);
        // past <= width, as AVX2 has no unsigned comparison.
        const __m256i yes = _mm256_cmpeq_epi8(_mm256_min_epu8(past, width), past);
        return Word{static_cast<std::uint32_t>(_mm256_movemask_epi8(yes))};
    };
    return inside(codes) | inside(codes + 32) << 32;
}

// Bits set in each byte: each half of a byte is looked up.
inline __m256i byte_counts(__m256i bytes) {
    const __m256i half = _mm256_set1_epi8(0x0f);
    const __m256i bits_of = _mm256_setr_epi8(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4,  //
                                             0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4);
    const __m256i low = _mm256_and_si256(bytes, half);
    const __m256i high = _mm256_and_si256(_mm256_srli_epi16(bytes, 4), half);
    return _mm256_add_epi8(_mm256_shuffle_epi8(bits_of, low), _mm256_shuffle_epi8(bits_of, high));
}

inline std::int64_t count_shared_vectors(const Word* a, const Word* b, std::size_t n,
                                         std::size_t& k) {
    constexpr std::size_t lanes = 4, most = 31 * lanes;  // words whose byte counts fit in a byte
    const __m256i zero = _mm256_setzero_si256();
    __m256i sums = zero;
    const std::size_t whole = n / lanes * lanes;
    while (k < whole) {
        __m256i bytes = zero;
        for (const std::size_t end = k + most < whole ? k + most : whole; k < end; k += lanes) {
            const auto left = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(a + k));
            const auto right = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(b + k));
            bytes = _mm256_add_epi8(bytes, byte_counts(_mm256_and_si256(left, right)));
        }
        sums = _mm256_add_epi64(sums, _mm256_sad_epu8(bytes, zero));
    }
    return _mm256_extract_epi64(sums, 0) + _mm256_extract_epi64(sums, 1) +
           _mm256_extract_epi64(sums, 2) + _mm256_extract_epi64(sums, 3);
}

// Adds eight 64-bit numbers, times `weight`, to eight counts.
inline void add_eight(__m256i first_four, __m256i last_four, std::int32_t weight,
                      std::int32_t* counts) {
    // Numbers 0 4 1 5 2 6 3 7, then in order.
    const __m256i mixed = _mm256_or_si256(first_four, _mm256_slli_epi64(last_four, 32));
    const __m256i all =
        _mm256_permutevar8x32_epi32(mixed, _mm256_setr_epi32(0, 2, 4, 6, 1, 3, 5, 7));
    auto* out = reinterpret_cast<__m256i*>(counts);
    const __m256i weighted = _mm256_mullo_epi32(all, _mm256_set1_epi32(weight));
    _mm256_storeu_si256(out, _mm256_add_epi32(_mm256_loadu_si256(out), weighted));
}

// Adds eight counts, of bits that n words share with eight columns side by side: `shared(k, first)`
// has the counts per byte of word k with four columns from `first` on.
template <class Shared>
[[gnu::always_inline]] inline void add_shared(const Shared& shared, std::size_t n,
                                              std::int32_t weight, std::int32_t* counts) {
    constexpr std::size_t most = 31;  // words whose byte counts fit in a byte
    const __m256i zero = _mm256_setzero_si256();
    __m256i first_four = zero, last_four = zero;  // a 64-bit number each
    for (std::size_t k = 0; k < n;) {
        __m256i first_bytes = zero, last_bytes = zero;
        for (const std::size_t end = k + most < n ? k + most : n; k < end; ++k) {
            first_bytes = _mm256_add_epi8(first_bytes, shared(k, 0));
            last_bytes = _mm256_add_epi8(last_bytes, shared(k, 4));
        }
        first_four = _mm256_add_epi64(first_four, _mm256_sad_epu8(first_bytes, zero));
        last_four = _mm256_add_epi64(last_four, _mm256_sad_epu8(last_bytes, zero));
    }
    add_eight(first_four, last_four, weight, counts);
}

// The counts per byte of the bits that one word shares with four columns.
[[gnu::always_inline]] inline __m256i shared_bytes(Word word, const Word* four) {
    const __m256i words = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(four));
    const __m256i repeated = _mm256_set1_epi64x(static_cast<std::int64_t>(word));
    return byte_counts(_mm256_and_si256(repeated, words));
}

inline void add_group(const Word* column, const Word* group, std::size_t n, std::int32_t weight,
                      std::int32_t* counts) {
    const auto shared = [&](std::size_t k, std::size_t first) {
        return shared_bytes(column[k * group_size], group + k * group_size + first);
    };
    add_shared(shared, n, weight, counts);
}

inline void add_group_of(const Word* words, const std::uint32_t* places, std::size_t n,
                         const Word* group, std::int32_t weight, std::int32_t* counts) {
    const auto shared = [&](std::size_t k, std::size_t first) {
        return shared_bytes(words[k], group + places[k] * group_size + first);
    };
    add_shared(shared, n, weight, counts);
}

// Bit k is set if lane k of eight is true, all its bits set.
template <class V>
[[gnu::always_inline]] inline Word lanes_set(V lanes) {
    __m256 numbers;
    std::memcpy(&numbers, &lanes, sizeof(numbers));
    return Word{static_cast<std::uint32_t>(_mm256_movemask_ps(numbers))};
}

#include "kernels/transpose_x86.inc"

constexpr const char* set_name = "avx2";

#include "kernels/body.inc"
#include "kernels/packing.inc"
#include "kernels/prices.inc"

}  // namespace

#include "kernels/table.inc"

}  // namespace samrule::avx2
#if defined(__clang__)
#pragma clang attribute pop
#endif
#endif
