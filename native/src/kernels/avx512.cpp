/// The same loops for x86-64 with the popcount of AVX-512 (VPOPCNTDQ), reached only after the
/// processor has been asked.
#include "kernels/sets.hpp"

#ifdef SAMRULE_X86
#include <immintrin.h>

// Not for the whole file: see avx2.cpp.
#if defined(__clang__)
#pragma clang attribute push(                                                            \
    __attribute__((                                                                      \
        target("avx2,bmi2,popcnt,avx512f,avx512dq,avx512bw,avx512vl,avx512vpopcntdq"))), \
    apply_to = function)
#elif defined(__GNUC__)
#pragma GCC target("avx2,bmi2,popcnt,avx512f,avx512dq,avx512bw,avx512vl,avx512vpopcntdq")
#endif

namespace samrule::avx512 {
namespace {

// Half a register: scans are written for a multiple of scan_lanes 16-bit numbers.
constexpr std::size_t lanes_bytes = 32;

inline Word extract_bits(Word source, Word mask) { return _pext_u64(source, mask); }

inline Word range_word(const std::uint8_t* codes, std::uint8_t first, std::uint8_t last) {
    const __m512i past =
        _mm512_sub_epi8(_mm512_loadu_si512(codes), _mm512_set1_epi8(static_cast<char>(first)));
    return _mm512_cmple_epu8_mask(past, _mm512_set1_epi8(static_cast<char>(last - first)));
}

// Eight columns side by side fill a register: one instruction counts a word of each.
inline __m512i shared_bits(Word word, const Word* group) {
    const __m512i repeated = _mm512_set1_epi64(static_cast<std::int64_t>(word));
    return _mm512_popcnt_epi64(_mm512_and_si512(repeated, _mm512_loadu_si512(group)));
}

inline std::int64_t count_shared_vectors(const Word* a, const Word* b, std::size_t n,
                                         std::size_t& k) {
    __m512i shared = _mm512_setzero_si512();
    for (; k + 8 <= n; k += 8) {
        const __m512i both = _mm512_and_si512(_mm512_loadu_si512(a + k), _mm512_loadu_si512(b + k));
        shared = _mm512_add_epi64(shared, _mm512_popcnt_epi64(both));
    }
    return _mm512_reduce_add_epi64(shared);
}

inline void add_counts(__m512i shared, std::int32_t weight, std::int32_t* counts) {
    auto* out = reinterpret_cast<__m256i*>(counts);
    const __m256i weighted =
        _mm256_mullo_epi32(_mm512_cvtepi64_epi32(shared), _mm256_set1_epi32(weight));
    _mm256_storeu_si256(out, _mm256_add_epi32(_mm256_loadu_si256(out), weighted));
}

inline void add_group(const Word* column, const Word* group, std::size_t n, std::int32_t weight,
                      std::int32_t* counts) {
    __m512i shared = _mm512_setzero_si512();
    for (std::size_t k = 0; k < n; ++k)
        shared =
            _mm512_add_epi64(shared, shared_bits(column[k * group_size], group + k * group_size));
    add_counts(shared, weight, counts);
}

inline void add_group_of(const Word* words, const std::uint32_t* places, std::size_t n,
                         const Word* group, std::int32_t weight, std::int32_t* counts) {
    __m512i shared = _mm512_setzero_si512();
    for (std::size_t k = 0; k < n; ++k)
        shared = _mm512_add_epi64(shared, shared_bits(words[k], group + places[k] * group_size));
    add_counts(shared, weight, counts);
}

// Bit k is set if lane k is true, all its bits set.
template <class V>
[[gnu::always_inline]] inline Word lanes_set(V lanes) {
    __m256i numbers;
    std::memcpy(&numbers, &lanes, sizeof(numbers));
    return Word{_mm256_movepi32_mask(numbers)};
}

#include "kernels/transpose_x86.inc"

constexpr const char* set_name = "avx512";

#include "kernels/body.inc"
#include "kernels/packing.inc"
#include "kernels/prices.inc"

}  // namespace

#include "kernels/table.inc"

}  // namespace samrule::avx512
#if defined(__clang__)
#pragma clang attribute pop
#endif
#endif
