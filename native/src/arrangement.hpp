/// The order in which the conditions of a subproblem are counted.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "alive_conditions.hpp"

namespace samrule {

/// Conditions in an order that lets complements be derived instead of counted: first those
/// whose complement is among them too, then the others, then the complements in the order of
/// the first.
struct Arrangement {
    std::vector<std::int32_t> index;  ///< among those alive
    std::size_t n_paired = 0;
    /// The first so many, and the complements, may come before the last rule; only their rows of
    /// the pair table are wanted.
    std::size_t n_leading = 0;

    std::size_t size() const { return index.size(); }
    std::size_t n_counted() const { return index.size() - n_paired; }
};

/// Arranges some of the conditions alive. `leads`, if given, says of each of the node's
/// conditions whether it may come before the last rule. Of two complements that do not both lead
/// one is left out: as last rule they are the same list.
void arrange(const AliveConditions& conditions, const std::vector<std::int32_t>& chosen,
             Arrangement& arrangement, const std::vector<std::uint8_t>* leads = nullptr);

}  // namespace samrule
