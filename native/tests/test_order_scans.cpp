// Two rules in either order: order scans are exact, and bound what follows from below.
#include <algorithm>
#include <limits>

#include "scanned_rows.hpp"

namespace {

template <class Count>
struct OrderResult {
    std::vector<Count> i_first, j_first, rest, total;
    Count least;
};

template <class Count>
OrderResult<Count> run_order_scan(const Kernels& set, const samrule::OrderScan<Count>& scan) {
    OrderResult<Count> result{std::vector<Count>(scan.n), std::vector<Count>(scan.n),
                              std::vector<Count>(scan.n), std::vector<Count>(scan.n), 0};
    result.least = scan_of<Count>(set.order_scan16, set.order_scan32)(
        scan,
        {result.i_first.data(), result.j_first.data(), result.rest.data(), result.total.data()});
    return result;
}

/// `whole` also computes, in quadratic time, what may follow each rule; otherwise that is a
/// random number.
template <class Count>
void check_order_scan(Random& random, std::size_t n_columns, std::size_t n_classes, bool whole) {
    const Rows rows = random_rows(random, n_columns, n_classes, most_weight<Count>);
    const std::size_t i = random.chance(0.2) ? n_columns - 1 : random.below(n_columns);
    const auto in_i = [&](std::size_t row) { return bool{rows.column[i][row]}; };
    const CountRows<Count> single(rows, everywhere);
    const CountRows<Count> with_i(rows, in_i);
    const auto i_weight = narrowed<Count>(class_weights(rows, in_i));
    std::vector<Count> errors(padded(n_columns), 0), after_one(padded(n_columns), 0);
    for (std::size_t j = 0; j < n_columns; ++j) {
        const auto in_j = [&](std::size_t row) { return bool{rows.column[j][row]}; };
        const auto not_j = [&](std::size_t row) { return !rows.column[j][row]; };
        errors[j] = static_cast<Count>(majority_errors(class_weights(rows, in_j)));
        const auto left = static_cast<std::size_t>(total(class_weights(rows, not_j)));
        after_one[j] =
            static_cast<Count>(whole ? least_errors_of_rule(rows, not_j)
                                     : static_cast<std::int64_t>(random.below(left + 1)));
    }
    const samrule::OrderScan<Count> scan{
        padded(n_columns),      static_cast<std::int32_t>(n_classes),
        single.pointers.data(), with_i.pointers.data(),
        i_weight.data(),        errors.data(),
        after_one.data(),       errors[i],
        after_one[i],           i};
    const OrderResult<Count> by_scalar = run_order_scan(scalar(), scan);
    for_each_set([&](const Kernels& set) {
        const OrderResult<Count> found = run_order_scan(set, scan);
        CHECK_EQ(found.least, by_scalar.least);
        Count least = std::numeric_limits<Count>::max();
        for (std::size_t j = i + 1; j < scan.n; ++j) {
            CHECK_EQ(found.i_first[j], by_scalar.i_first[j]);
            CHECK_EQ(found.j_first[j], by_scalar.j_first[j]);
            CHECK_EQ(found.rest[j], by_scalar.rest[j]);
            CHECK_EQ(found.total[j], by_scalar.total[j]);
            least = std::min(least, found.total[j]);
        }
        CHECK_EQ(found.least, least);
        for (std::size_t j = i + 1; j < n_columns; ++j) {
            const auto only_j = class_weights(
                rows, [&](std::size_t row) { return rows.column[j][row] && !rows.column[i][row]; });
            const auto only_i = class_weights(
                rows, [&](std::size_t row) { return rows.column[i][row] && !rows.column[j][row]; });
            CHECK_EQ(std::int64_t{found.i_first[j]}, errors[i] + majority_errors(only_j));
            CHECK_EQ(std::int64_t{found.j_first[j]}, errors[j] + majority_errors(only_i));
            CHECK_EQ(std::int64_t{found.rest[j]},
                     std::max({std::int64_t{0}, after_one[i] - total(only_j),
                               after_one[j] - total(only_i)}));
            CHECK_EQ(std::int64_t{found.total[j]},
                     std::int64_t{std::min(found.i_first[j], found.j_first[j])} + found.rest[j]);
            if (!whole) continue;
            const std::int64_t truth = least_errors_of_rule(rows, [&](std::size_t row) {
                return !rows.column[i][row] && !rows.column[j][row];
            });
            CHECK(found.rest[j] <= truth);
        }
    });
}

}  // namespace

TEST(order_scans_are_right_for_every_number_of_columns) {
    Random random(8);
    for (std::size_t n = 1; n <= longest; n += length_step()) {
        const std::size_t n_classes = random.one_of(numbers_of_classes);
        check_order_scan<std::int16_t>(random, n, n_classes, false);
        check_order_scan<std::int32_t>(random, n, n_classes, false);
    }
}

TEST(order_scans_bound_what_follows_from_below) {
    Random random(9);
    for (const std::size_t n_classes : numbers_of_classes)
        for (int trial = 0; trial < harness::scaled(200); ++trial) {
            const auto n = static_cast<std::size_t>(random.between(1, 36));
            check_order_scan<std::int16_t>(random, n, n_classes, true);
            check_order_scan<std::int32_t>(random, n, n_classes, true);
        }
}
