#include "samrule/segments.hpp"

#include <algorithm>
#include <limits>
#include <vector>

#include "samrule/bits.hpp"

namespace samrule {
namespace {

constexpr double nothing = -std::numeric_limits<double>::infinity();

/// What the values between two places are worth as one segment.
double segment_worth(const RunningSums& column, const SegmentPrices& prices, std::size_t start,
                     std::size_t end) {
    const double *from = column.at(start), *to = column.at(end);
    double total = 0, squares = 0;
    for (std::size_t c = 0; c < column.n_classes; ++c) {
        const double weight = to[c] - from[c];
        total += weight;
        squares += weight * weight;
    }
    // A segment without weight would be divided by nothing.
    if (total < std::max(prices.least, 1e-300)) return nothing;
    return squares / total - prices.spread * (total * total);
}

}  // namespace

void best_segments(const RunningSums& column, const SegmentPrices& prices, std::span<double> worth,
                   std::span<std::int32_t> starts) {
    const std::size_t n = column.n_places();
    SAMRULE_ASSERT(starts.size() == (worth.size() - 1) * n);
    // Row after row, the segments that end at a place.
    std::vector<double> single(n * n);
    for (std::size_t end = 1; end < n; ++end)
        for (std::size_t start = 0; start < end; ++start)
            single[end * n + start] = segment_worth(column, prices, start, end);
    // Of the values before each place, in so many segments.
    std::vector<double> reached(n, nothing), longer(n);
    for (std::size_t end = 1; end < n; ++end) reached[end] = single[end * n];
    worth[0] = reached.back();
    for (std::size_t row = 0; row + 1 < worth.size(); ++row) {
        for (std::size_t end = 0; end < n; ++end) {
            double most = nothing;
            std::size_t best = 0;
            for (std::size_t start = 0; start < end; ++start) {
                const double all = single[end * n + start] + reached[start];
                if (all <= most) continue;
                most = all;
                best = start;
            }
            longer[end] = most;
            starts[row * n + end] = static_cast<std::int32_t>(best);
        }
        reached.swap(longer);
        worth[row + 1] = reached.back();
    }
}

void polish_cuts(const RunningSums& column, const SegmentPrices& prices,
                 std::span<std::int64_t> cuts) {
    for (std::size_t k = 0; k < cuts.size(); ++k) {
        const std::size_t start = k == 0 ? 0 : static_cast<std::size_t>(cuts[k - 1]);
        const std::size_t end =
            k + 1 == cuts.size() ? column.n_places() - 1 : static_cast<std::size_t>(cuts[k + 1]);
        double most = nothing;
        std::size_t best = start + 1;
        for (std::size_t place = start + 1; place < end; ++place) {
            const double both = segment_worth(column, prices, start, place) +
                                segment_worth(column, prices, place, end);
            if (both <= most) continue;
            most = both;
            best = place;
        }
        cuts[k] = static_cast<std::int64_t>(best);
    }
}

}  // namespace samrule
