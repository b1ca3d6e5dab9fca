/// What the search counts as work, so that a limit on it means about the same time whatever is
/// searched, and exactly the same steps on every machine.
#pragma once

#include <cstddef>
#include <cstdint>

namespace samrule {

/// About as many operations as one core of a common machine does in a second. Where the search
/// would look at the clock it looks at this instead when work is limited.
inline constexpr double operations_per_second = 1e9;

/// What takes the time.
enum class Work : std::uint8_t {
    pair_word,        ///< a word of two conditions met, in groups of eight
    row_word,         ///< a word of two conditions met, one by one
    family_word,      ///< a word of a conjunction met by a family's last conditions
    packed_word,      ///< a word of a condition read to be packed
    entry,            ///< an entry of a table filled, or of a list looked at
    scanned,          ///< an entry of 16 bits bounded by a scan
    triple,           ///< a list of three rules bounded from their pairs, one by one
    insertion,        ///< a candidate priced at one place of a list
    quick_insertion,  ///< the same in a loop that compilers vectorize
    candidate,        ///< a conjunction made and compared with those before, beside its words
    visit,            ///< whatever else a subproblem costs
};

/// Operations for so much work of a kind. Measured: docs/records/solver.md.
constexpr std::uint64_t operations(Work kind, std::size_t amount) {
    constexpr std::uint64_t parts = 64;
    constexpr std::uint64_t price[] = {22, 51, 96, 70, 38, 77, 700, 1000, 120, 6400, 512'000};
    return amount * price[static_cast<std::size_t>(kind)] / parts;
}

}  // namespace samrule
