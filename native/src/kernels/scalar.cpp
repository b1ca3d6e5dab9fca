/// The specification: plain C++, runs everywhere.
#include "kernels/sets.hpp"

namespace samrule::scalar {
namespace {

inline Word extract_bits(Word source, Word mask) {
    Word result = 0;
    for (std::size_t out = 0; mask != 0; mask &= mask - 1, ++out)
        result |= ((source >> __builtin_ctzll(mask)) & 1) << out;
    return result;
}

#include "kernels/body.inc"

}  // namespace

const Kernels kernels{"scalar",
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

}  // namespace samrule::scalar
