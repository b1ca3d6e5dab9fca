// Two more rules from pair counts: pair scans are exact.
#include <algorithm>

#include "scanned_rows.hpp"

namespace {

template <class Count>
void check_pair_scan(Random& random, std::size_t n_columns, std::size_t n_classes) {
    const Rows rows = random_rows(random, n_columns, n_classes, most_weight<Count>);
    // At the start nothing is covered; an empty column stands for that.
    const std::vector<bool> covered = n_columns == 0 ? std::vector<bool>(rows.size(), false)
                                                     : rows.column[random.below(n_columns)];
    const auto left = [&](std::size_t row) { return !covered[row]; };
    const CountRows<Count> single(rows, everywhere);
    const CountRows<Count> with_i(rows, [&](std::size_t row) { return covered[row]; });
    const ClassWeights rest_weights = class_weights(rows, left);
    const auto rest = narrowed<Count>(rest_weights);
    const samrule::PairScan<Count> scan{padded(n_columns), static_cast<std::int32_t>(n_classes),
                                        single.pointers.data(), with_i.pointers.data(),
                                        rest.data()};
    std::vector<Count> by_scalar(scan.n);
    const Count least_by_scalar =
        scan_of<Count>(scalar().pair_scan16, scalar().pair_scan32)(scan, by_scalar.data());
    for_each_set([&](const Kernels& set) {
        std::vector<Count> errors(scan.n);
        const Count least = scan_of<Count>(set.pair_scan16, set.pair_scan32)(scan, errors.data());
        CHECK_EQ(errors, by_scalar);
        CHECK_EQ(least, least_by_scalar);
        std::int64_t expected_least = total(rest_weights);
        for (const Count e : errors) expected_least = std::min<std::int64_t>(expected_least, e);
        CHECK_EQ(std::int64_t{least}, expected_least);
        for (std::size_t j = 0; j < n_columns; ++j) {
            CHECK_EQ(std::int64_t{errors[j]}, errors_of_rule(rows, j, left));
            // With the default alone beside it, the value is right for any labels.
            const auto in = class_weights(
                rows, [&](std::size_t row) { return left(row) && rows.column[j][row]; });
            const auto out = class_weights(
                rows, [&](std::size_t row) { return left(row) && !rows.column[j][row]; });
            CHECK_EQ(std::min<std::int64_t>(errors[j], majority_errors(rest_weights)),
                     majority_errors(in) + majority_errors(out));
        }
    });
}

}  // namespace

TEST(pair_scans_are_exact_for_every_number_of_columns) {
    Random random(6);
    for (std::size_t n = 0; n <= longest; n += length_step()) {
        const std::size_t n_classes = random.one_of(numbers_of_classes);
        check_pair_scan<std::int16_t>(random, n, n_classes);
        check_pair_scan<std::int32_t>(random, n, n_classes);
    }
}

TEST(pair_scans_are_exact_on_many_tables) {
    Random random(7);
    for (const std::size_t n_classes : numbers_of_classes)
        for (int trial = 0; trial < harness::scaled(1000); ++trial) {
            check_pair_scan<std::int16_t>(random, random.below(40), n_classes);
            check_pair_scan<std::int32_t>(random, random.below(40), n_classes);
        }
}
