// Two rules after a first one, before anything is counted there: survey scans bound from below.
#include <algorithm>
#include <limits>

#include "scanned_rows.hpp"

namespace {

template <class Count>
struct SurveyResult {
    std::vector<Count> first_two, rest;
    Count least;
};

template <class Count>
SurveyResult<Count> run_survey_scan(const Kernels& set, const samrule::SurveyScan<Count>& scan) {
    SurveyResult<Count> result{std::vector<Count>(scan.n), std::vector<Count>(scan.n), 0};
    result.least = scan_of<Count>(set.survey_scan16, set.survey_scan32)(
        scan, {result.first_two.data(), result.rest.data()});
    return result;
}

/// `whole` also computes, in cubic time, what may follow; otherwise that is a random number.
template <class Count>
void check_survey_scan(Random& random, std::size_t n_columns, std::size_t n_classes, bool whole,
                       int& n_met) {
    const Rows rows = random_rows(random, n_columns, n_classes, most_weight<Count>);
    const std::size_t i = random.below(n_columns);
    const std::size_t a = random.chance(0.2) ? n_columns - 1 : random.below(n_columns);
    const auto in_i = [&](std::size_t row) { return bool{rows.column[i][row]}; };
    const auto in_a = [&](std::size_t row) { return bool{rows.column[a][row]}; };
    const auto in_both = [&](std::size_t row) { return in_i(row) && in_a(row); };
    const auto left = [&](std::size_t row) { return !in_i(row) && !in_a(row); };
    const CountRows<Count> single(rows, everywhere), with_i(rows, in_i), with_a(rows, in_a);
    const auto i_weight = narrowed<Count>(class_weights(rows, in_i));
    const auto a_weight = narrowed<Count>(class_weights(rows, in_a));
    const auto ia_weight = narrowed<Count>(class_weights(rows, in_both));
    const auto rest = narrowed<Count>(class_weights(rows, left));
    std::vector<Count> errors(padded(n_columns), 0), after_one(padded(n_columns), 0),
        at_least(padded(n_columns), std::numeric_limits<Count>::max());
    for (std::size_t b = 0; b < n_columns; ++b) {
        const auto b_alone = [&](std::size_t row) { return rows.column[b][row] && !in_i(row); };
        const auto after = [&](std::size_t row) { return !rows.column[b][row] && !in_i(row); };
        errors[b] = static_cast<Count>(majority_errors(class_weights(rows, b_alone)));
        const auto most = static_cast<std::size_t>(total(class_weights(rows, after)));
        after_one[b] =
            static_cast<Count>(whole ? least_errors_of_rule(rows, after)
                                     : static_cast<std::int64_t>(random.below(most + 1)));
        if (random.chance(0.8)) at_least[b] = 0;
    }
    const samrule::SurveyScan<Count> scan{padded(n_columns),
                                          static_cast<std::int32_t>(n_classes),
                                          single.pointers.data(),
                                          with_i.pointers.data(),
                                          with_a.pointers.data(),
                                          i_weight.data(),
                                          a_weight.data(),
                                          ia_weight.data(),
                                          rest.data(),
                                          errors.data(),
                                          after_one.data(),
                                          at_least.data(),
                                          errors[a],
                                          after_one[a],
                                          a};
    const SurveyResult<Count> by_scalar = run_survey_scan(scalar(), scan);
    for_each_set([&](const Kernels& set) {
        const SurveyResult<Count> found = run_survey_scan(set, scan);
        CHECK_EQ(found.least, by_scalar.least);
        Count least = std::numeric_limits<Count>::max();
        for (std::size_t b = a + 1; b < scan.n; ++b) {
            CHECK_EQ(found.first_two[b], by_scalar.first_two[b]);
            CHECK_EQ(found.rest[b], by_scalar.rest[b]);
            least = std::min(least, std::max(static_cast<Count>(found.first_two[b] + found.rest[b]),
                                             at_least[b]));
        }
        CHECK_EQ(found.least, least);
        for (std::size_t b = a + 1; b < n_columns; ++b) {
            const auto in_b = [&](std::size_t row) { return bool{rows.column[b][row]}; };
            const auto b_last = class_weights(
                rows, [&](std::size_t row) { return in_b(row) && !in_i(row) && !in_a(row); });
            const auto a_last = class_weights(
                rows, [&](std::size_t row) { return in_a(row) && !in_i(row) && !in_b(row); });
            const std::int64_t truth =
                std::min(errors[a] + majority_errors(b_last), errors[b] + majority_errors(a_last));
            CHECK(found.first_two[b] >= 0 && found.first_two[b] <= truth);
            CHECK(found.rest[b] >= 0);
            n_met += found.first_two[b] == truth;
            if (!whole) continue;
            CHECK(found.rest[b] <= least_errors_of_rule(rows, [&](std::size_t row) {
                      return left(row) && !in_b(row);
                  }));
        }
    });
}

}  // namespace

TEST(survey_scans_bound_the_truth_from_below) {
    Random random(12);
    for (const std::size_t n_classes : numbers_of_classes) {
        int n_met = 0;
        for (int trial = 0; trial < harness::scaled(200); ++trial) {
            const auto n = static_cast<std::size_t>(random.between(1, 36));
            check_survey_scan<std::int16_t>(random, n, n_classes, true, n_met);
            check_survey_scan<std::int32_t>(random, n, n_classes, true, n_met);
        }
        CHECK(n_met > 100);
    }
}

TEST(survey_scans_are_right_for_every_number_of_columns) {
    Random random(13);
    int n_met = 0;
    for (std::size_t n = 1; n <= longest; n += length_step()) {
        const std::size_t n_classes = random.one_of(numbers_of_classes);
        check_survey_scan<std::int16_t>(random, n, n_classes, false, n_met);
        check_survey_scan<std::int32_t>(random, n, n_classes, false, n_met);
    }
}
