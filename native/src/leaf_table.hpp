/// Pair counts of the conditions of a leaf, laid out for the scans.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "node.hpp"
#include "state.hpp"

namespace samrule {

/// Where a leaf stands: at `node`, or after the node's rule `rule`.
struct LeafPlace {
    const Node* node;
    std::int32_t rule = no_rule;
};

/// No number that a scan computes is larger than the weight of the leaf, and 16 bits must hold it.
inline constexpr std::int64_t narrow_limit = 32'000;

constexpr std::size_t padded_size(std::size_t n) {
    return (n + scan_lanes - 1) / scan_lanes * scan_lanes;
}

/// Pair counts of a few conditions on the rows of a leaf, padded for the scans.
template <class Count>
struct LeafTable {
    std::size_t n = 0;
    std::size_t padded = 0;
    std::size_t n_last = 0;            ///< the first so many are enough as last rule: see fill
    std::size_t n_paired = 0;          ///< condition n - n_paired + k is the complement of k
    std::size_t n_leading = 0;         ///< see Arrangement; the others have no rows
    std::vector<std::int32_t> source;  ///< each condition's index in the node
    std::vector<Count> counts;         ///< class after class: a row of `padded` for each that leads
    std::vector<Count> singles;        ///< class after class: one row of `padded`
    std::vector<Count> class_weight;

    std::size_t n_classes() const { return class_weight.size(); }
    std::size_t n_counted() const { return n - n_paired; }
    std::size_t n_rows() const { return n_leading + n_paired; }
    bool leads(std::size_t i) const { return i < n_leading || i >= n_counted(); }
    const Count* shared(std::size_t c, std::size_t i) const {
        const std::size_t row = i < n_leading ? i : i - n_counted() + n_leading;
        return counts.data() + (c * n_rows() + row) * padded;
    }
    const Count* single(std::size_t c) const { return singles.data() + c * padded; }
};

/// Counts what is arranged on the rows of a leaf. False if there is no memory for it or the search
/// was stopped.
template <class Count>
bool fill(LeafTable<Count>& leaf, const LeafPlace& place, const Arrangement& arrangement,
          State& state, Workspace& space);

/// The leaf with only the conditions marked in `keep`. All of the leaf's conditions must lead.
template <class Count>
void copy_kept(const LeafTable<Count>& leaf, const std::vector<std::uint8_t>& keep,
               LeafTable<Count>& kept);

}  // namespace samrule
