// Columns are cut where no other cut would be better: against all splits of short columns.
#include <cmath>
#include <limits>
#include <span>

#include "harness.hpp"
#include "samrule/segments.hpp"

using harness::Random;
using samrule::RunningSums;
using samrule::SegmentPrices;

namespace {

constexpr double nothing = -std::numeric_limits<double>::infinity();

/// Small whole weights, so that every sum is exact.
struct Column {
    std::size_t n, n_classes;
    std::vector<double> sums;

    Column(Random& random, std::size_t n_values, std::size_t classes)
        : n(n_values), n_classes(classes), sums((n + 1) * n_classes, 0) {
        for (std::size_t k = n_classes; k < sums.size(); ++k)
            sums[k] = sums[k - n_classes] + static_cast<double>(random.below(5));
    }

    RunningSums running() const { return {sums, n_classes}; }
};

double worth_of(const Column& column, const SegmentPrices& prices, std::size_t start,
                std::size_t end) {
    double total = 0, squares = 0;
    for (std::size_t c = 0; c < column.n_classes; ++c) {
        const double weight =
            column.sums[end * column.n_classes + c] - column.sums[start * column.n_classes + c];
        total += weight;
        squares += weight * weight;
    }
    if (total == 0 || total < prices.least) return nothing;
    return squares / total - prices.spread * total * total;
}

/// The most that the values before `end` are worth in so many segments, by trying all.
double most_worth(const Column& column, const SegmentPrices& prices, std::size_t end,
                  std::size_t n_segments) {
    if (n_segments == 1) return end == 0 ? nothing : worth_of(column, prices, 0, end);
    double most = nothing;
    for (std::size_t start = 1; start < end; ++start)
        most = std::max(most, most_worth(column, prices, start, n_segments - 1) +
                                  worth_of(column, prices, start, end));
    return most;
}

bool is_near(double a, double b) { return a == b || std::abs(a - b) < 1e-9; }

}  // namespace

TEST(no_other_split_is_worth_more) {
    Random random(1);
    for (int round = 0; round < 200; ++round) {
        const Column column(random, 1 + random.below(8), 1 + random.below(3));
        const SegmentPrices prices{static_cast<double>(random.below(4)),
                                   0.01 * static_cast<double>(random.below(3))};
        const std::size_t n_cuts = column.n - 1;
        std::vector<double> worth(n_cuts + 1);
        std::vector<std::int32_t> starts(n_cuts * (column.n + 1));
        samrule::best_segments(column.running(), prices, worth, starts);
        for (std::size_t cuts = 0; cuts <= n_cuts; ++cuts) {
            CHECK(is_near(worth[cuts], most_worth(column, prices, column.n, cuts + 1)));
            if (worth[cuts] == nothing) continue;
            // The starts lead to a split that is worth so much.
            double all = 0;
            std::size_t end = column.n;
            for (std::size_t row = cuts; row-- > 0;) {
                const auto start = static_cast<std::size_t>(starts[row * (column.n + 1) + end]);
                all += worth_of(column, prices, start, end);
                end = start;
            }
            CHECK(is_near(worth[cuts], all + worth_of(column, prices, 0, end)));
        }
    }
}

TEST(a_cut_goes_where_it_is_best_between_its_neighbours) {
    Random random(2);
    for (int round = 0; round < 200; ++round) {
        const Column column(random, 2 + random.below(20), 1 + random.below(3));
        const SegmentPrices prices{static_cast<double>(random.below(3)), 0.01};
        std::vector<std::int64_t> cuts{static_cast<std::int64_t>(1 + random.below(column.n - 1))};
        samrule::polish_cuts(column.running(), prices, cuts);
        const auto both = [&](std::size_t place) {
            return worth_of(column, prices, 0, place) + worth_of(column, prices, place, column.n);
        };
        for (std::size_t place = 1; place < column.n; ++place)
            CHECK(both(static_cast<std::size_t>(cuts[0])) >= both(place) - 1e-9 ||
                  both(place) == nothing);
    }
}
