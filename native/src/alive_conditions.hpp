/// The conditions that still divide the rows of a subproblem, and what every two of them share.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "state.hpp"

namespace samrule {

/// Conditions that select some but not all of the rows.
struct AliveConditions {
    std::vector<std::int32_t> candidate;     ///< index in the instance
    std::vector<Word> bits;                  ///< condition after condition, packed
    std::vector<std::int32_t> table;         ///< weights shared by two, class after class, n x n
    std::vector<std::int32_t> singles;       ///< its diagonals, for those who need nothing else
    std::vector<std::uint8_t> is_twin;       ///< an earlier condition selects the same rows
    std::vector<std::int32_t> by_candidate;  ///< conditions in the order of their candidates
    std::vector<std::int32_t> complement;    ///< condition that selects the other rows, or -1
    /// Some were left out, so what is proven without them is not for the cache.
    bool is_restricted = false;

    std::size_t size() const { return candidate.size(); }
    const std::int32_t* shared(std::size_t c, std::size_t i) const {
        return table.data() + (c * size() + i) * size();
    }
    std::int32_t weight_of(std::size_t c, std::size_t i) const { return singles[c * size() + i]; }
};

void copy_diagonals(AliveConditions& conditions, std::size_t n_classes);

/// Sets by_candidate and complement.
void find_complements(const State& state, AliveConditions& conditions);

/// Marks conditions that select exactly the rows of an earlier one.
void find_twins(AliveConditions& conditions, std::size_t n_classes);

}  // namespace samrule
