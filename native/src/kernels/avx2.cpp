/// The same loops for x86-64 with AVX2, BMI2 and POPCNT: this file alone is compiled with those
/// flags, and its code is reached only after the processor has been asked.
#include "kernels/sets.hpp"

#ifdef SAMRULE_HAVE_AVX2
#include <immintrin.h>

namespace samrule::avx2 {
namespace {

inline Word extract_bits(Word source, Word mask) { return _pext_u64(source, mask); }

#include "kernels/body.inc"

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
                      survey_scan<std::int16_t>,
                      survey_scan<std::int32_t>};

}  // namespace samrule::avx2
#endif
