/// Words of bits: the one representation of sets of rows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>

/// An invariant: checked in debug builds, assumed in release builds.
#if defined(NDEBUG) && defined(_MSC_VER)
#define SAMRULE_ASSERT(claim) __assume(claim)
#elif defined(NDEBUG)
#define SAMRULE_ASSERT(claim)                  \
    do {                                       \
        if (!(claim)) __builtin_unreachable(); \
    } while (false)
#else
#define SAMRULE_ASSERT(claim)       \
    do {                            \
        if (!(claim)) std::abort(); \
    } while (false)
#endif

namespace samrule {

using Word = std::uint64_t;

inline constexpr std::size_t bits_per_word = 64;

/// Words needed to hold `n_bits` bits.
constexpr std::size_t words_for(std::size_t n_bits) {
    return (n_bits + bits_per_word - 1) / bits_per_word;
}

/// The lowest `n_bits` bits set; n_bits in [0, 64].
constexpr Word low_bits(std::size_t n_bits) {
    return n_bits >= bits_per_word ? ~Word{0} : (Word{1} << n_bits) - 1;
}

}  // namespace samrule
