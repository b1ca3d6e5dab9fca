/// Where to cut a column of ordered values so that classes are told apart.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace samrule {

/// What segments of a column are worth: their weight, less Gini impurity, less a price of size.
struct SegmentPrices {
    double least;   ///< lighter segments are worth nothing at all (minus infinity)
    double spread;  ///< what the square of a segment's weight costs
};

/// Sums of weight before each place, from 0 to all: places x classes, place after place.
struct RunningSums {
    std::span<const double> sums;
    std::size_t n_classes;

    std::size_t n_places() const { return sums.size() / n_classes; }
    const double* at(std::size_t place) const { return sums.data() + place * n_classes; }
};

/// The most that all values are worth in 1, 2, ... segments: worth[n] in n + 1 of them. In the best
/// such split of the values before place `end`, the last of n + 2 segments starts at
/// starts[n x places + end]; of equally good ones at the first. `worth` has one entry more than
/// there are rows of `starts`. O(places^2 x (classes + rows)).
void best_segments(const RunningSums& column, const SegmentPrices& prices, std::span<double> worth,
                   std::span<std::int32_t> starts);

/// Moves each cut, one after the other, to its best place between its neighbours, of equally good
/// ones to the first. Cuts are places, in order, none of them first or last. O(places x classes).
void polish_cuts(const RunningSums& column, const SegmentPrices& prices,
                 std::span<std::int64_t> cuts);

}  // namespace samrule
