// A third rule from pair counts alone: triple scans bound it from below.
#include <algorithm>

#include "scanned_rows.hpp"

namespace {

/// Whether pair counts leave only one possible number of class-c weight in all three.
template <class Count>
bool is_determined(std::size_t c, std::size_t l, std::int64_t i, std::int64_t j, std::int64_t ij,
                   std::int64_t rest, const CountRows<Count>& single,
                   const CountRows<Count>& with_i, const CountRows<Count>& with_j) {
    const std::int64_t all = single.of(c, l), il = with_i.of(c, l), jl = with_j.of(c, l);
    // Each of the eight parts of the rows has some weight or none:
    const std::int64_t at_least = std::max({std::int64_t{0},          // i j l
                                            il + jl - all,            // l alone
                                            il + ij - i,              // i alone
                                            jl + ij - j});            // j alone
    const std::int64_t at_most = std::min({ij,                        // i j without l
                                           il,                        // i l without j
                                           jl,                        // j l without i
                                           rest - (all - il - jl)});  // none of the three
    return at_least == at_most;
}

template <class Count>
void check_triple_scan(Random& random, std::size_t n_columns, std::size_t n_classes,
                       int& n_determined) {
    const Rows rows = random_rows(random, n_columns, n_classes, most_weight<Count>);
    const std::size_t i = random.below(n_columns), j = random.below(n_columns);
    const auto in_i = [&](std::size_t row) { return bool{rows.column[i][row]}; };
    const auto in_j = [&](std::size_t row) { return bool{rows.column[j][row]}; };
    const auto in_both = [&](std::size_t row) { return in_i(row) && in_j(row); };
    const auto left = [&](std::size_t row) { return !in_i(row) && !in_j(row); };
    const CountRows<Count> single(rows, everywhere), with_i(rows, in_i), with_j(rows, in_j);
    const auto i_weight = narrowed<Count>(class_weights(rows, in_i));
    const auto j_weight = narrowed<Count>(class_weights(rows, in_j));
    const auto ij_weight = narrowed<Count>(class_weights(rows, in_both));
    const auto rest = narrowed<Count>(class_weights(rows, left));
    const samrule::TripleScan<Count> scan{padded(n_columns),
                                          static_cast<std::int32_t>(n_classes),
                                          single.pointers.data(),
                                          with_i.pointers.data(),
                                          with_j.pointers.data(),
                                          i_weight.data(),
                                          j_weight.data(),
                                          ij_weight.data(),
                                          rest.data()};
    std::vector<Count> by_scalar(scan.n);
    const Count least_by_scalar =
        scan_of<Count>(scalar().triple_scan16, scalar().triple_scan32)(scan, by_scalar.data());
    for_each_set([&](const Kernels& set) {
        std::vector<Count> bounds(scan.n);
        const Count least =
            scan_of<Count>(set.triple_scan16, set.triple_scan32)(scan, bounds.data());
        CHECK_EQ(bounds, by_scalar);
        CHECK_EQ(least, least_by_scalar);
        std::int64_t expected_least = total(class_weights(rows, left));
        for (const Count b : bounds) expected_least = std::min<std::int64_t>(expected_least, b);
        CHECK_EQ(std::int64_t{least}, expected_least);
        for (std::size_t l = 0; l < n_columns; ++l) {
            const std::int64_t truth = errors_of_rule(rows, l, left);
            CHECK(bounds[l] <= truth);
            bool determined = true;
            for (std::size_t c = 0; c < n_classes; ++c)
                determined =
                    determined && is_determined(c, l, i_weight[c], j_weight[c], ij_weight[c],
                                                rest[c], single, with_i, with_j);
            if (!determined) continue;
            CHECK_EQ(std::int64_t{bounds[l]}, truth);
            ++n_determined;
        }
    });
}

}  // namespace

TEST(triple_scans_bound_the_truth_from_below_and_meet_it_when_pairs_decide) {
    Random random(10);
    for (const std::size_t n_classes : numbers_of_classes) {
        int n_determined = 0;
        for (int trial = 0; trial < harness::scaled(1000); ++trial) {
            const auto n = static_cast<std::size_t>(random.between(1, 60));
            check_triple_scan<std::int16_t>(random, n, n_classes, n_determined);
            check_triple_scan<std::int32_t>(random, n, n_classes, n_determined);
        }
        CHECK(n_determined > 100);
    }
}

TEST(triple_scans_are_right_for_every_number_of_columns) {
    Random random(11);
    int n_determined = 0;
    for (std::size_t n = 1; n <= longest; n += length_step()) {
        const std::size_t n_classes = random.one_of(numbers_of_classes);
        check_triple_scan<std::int16_t>(random, n, n_classes, n_determined);
        check_triple_scan<std::int32_t>(random, n, n_classes, n_determined);
    }
}
