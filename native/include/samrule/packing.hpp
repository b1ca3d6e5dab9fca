/// Columns of values become bitsets, one per condition, without a byte per row and condition.
///
/// Each value is first given a code, 0 for a missing one, that says between which cuts it lies;
/// every condition is then a range of codes.
#pragma once

#include <cstdint>
#include <span>

#include "samrule/bits.hpp"
#include "samrule/kernels.hpp"

namespace samrule {

/// A condition as the codes that meet it: first <= code <= last; none if last < first.
struct CodeRange {
    std::uint8_t first;
    std::uint8_t last;
};

/// Which values are there: one bit per value from `first_bit` on, as Arrow has it; null if all are.
struct Validity {
    const std::uint8_t* bits = nullptr;
    std::size_t first_bit = 0;
};

/// Sets the bits of each range, words_for(values.size()) words one after the other. `bits` has
/// room for all ranges. O(n (cuts + ranges)), both vectorized. T: any that `BinKernels` knows.
template <class T>
void pack_values(std::span<const T> values, Validity validity, const Cuts<T>& cuts,
                 std::span<const CodeRange> ranges, const Kernels& kernels, Word* bits);

/// The same for values that are codes already.
void pack_codes(std::span<const std::uint8_t> codes, std::span<const CodeRange> ranges,
                const Kernels& kernels, Word* bits);

}  // namespace samrule
