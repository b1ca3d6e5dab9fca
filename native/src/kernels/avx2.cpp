/// The same loops for x86-64 with AVX2, BMI2 and POPCNT: this file alone is compiled with those
/// flags, and its code is reached only after the processor has been asked.
#include "kernels/sets.hpp"

#ifdef SAMRULE_HAVE_AVX2
#include <immintrin.h>

namespace samrule::avx2 {
namespace {

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

#include "kernels/body.inc"
#include "kernels/packing.inc"

}  // namespace

const Kernels kernels{"avx2",
                      count_and,
                      count_and3_not,
                      count_row,
                      compact,
                      pair_scan<std::int16_t>,
                      pair_scan<std::int32_t>,
                      order_scan<std::int16_t>,
                      order_scan<std::int32_t>,
                      triple_scan<std::int16_t>,
                      triple_scan<std::int32_t>,
                      bin_kernels,
                      range_bits,
                      survey_scan<std::int16_t>,
                      survey_scan<std::int32_t>};

}  // namespace samrule::avx2
#endif
