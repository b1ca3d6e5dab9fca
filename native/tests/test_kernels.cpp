// Every kernel of every set this machine can run, against loops that look at one bit or one
// number at a time; and against the set named "scalar", which is the specification.
#include <algorithm>
#include <limits>
#include <numeric>

#include "harness.hpp"
#include "samrule/kernels.hpp"

using harness::Random;
using samrule::Kernels;
using samrule::Segment;
using samrule::Word;

namespace {

constexpr std::size_t longest = 1025;

bool bit(const Word* words, std::size_t k) { return (words[k / 64] >> (k % 64) & 1) != 0; }

/// Random words: dense, sparse, empty, full, or a mixture of them.
std::vector<Word> random_words(Random& random, std::size_t n) {
    std::vector<Word> words(n);
    const std::size_t kind = random.below(6);
    for (Word& w : words) {
        const std::size_t how = kind == 5 ? random.below(5) : kind;
        w = how == 0   ? random.word()
            : how == 1 ? random.word() & random.word() & random.word()
            : how == 2 ? random.word() | random.word() | random.word()
            : how == 3 ? 0
                       : ~Word{0};
    }
    return words;
}

const Kernels& scalar() { return *samrule::find_kernels("scalar"); }

/// Checks every set; says which one failed.
template <class Check>
void for_each_set(const Check& check) {
    for (const Kernels* set : samrule::available_kernels())
        harness::explain([&] { check(*set); },
                         [&] { return "  kernels " + std::string(set->name); });
}

// Counting and compacting

std::int64_t count_one_by_one(const std::vector<std::vector<Word>>& all_of, const Word* none_of,
                              std::size_t n) {
    std::int64_t total = 0;
    for (std::size_t k = 0; k < 64 * n; ++k) {
        bool counted = none_of == nullptr || !bit(none_of, k);
        for (const auto& words : all_of) counted = counted && bit(words.data(), k);
        total += counted;
    }
    return total;
}

std::vector<Word> compact_one_by_one(const std::vector<Word>& source,
                                     const std::vector<Word>& keep) {
    std::vector<Word> target;
    std::size_t filled = 0;
    for (std::size_t k = 0; k < 64 * keep.size(); ++k) {
        if (!bit(keep.data(), k)) continue;
        if (filled % 64 == 0) target.push_back(0);
        if (bit(source.data(), k)) target.back() |= Word{1} << (filled % 64);
        ++filled;
    }
    return target;
}

// Rows of pair tables

/// Segments one after the other, of random classes and weights, `n_slots` slots in all.
std::vector<Segment> random_segments(Random& random, std::size_t n_slots, std::int32_t n_classes,
                                     std::size_t n_segments, std::size_t& n_words) {
    std::vector<Segment> segments;
    n_words = 0;
    for (std::size_t s = 0; s < n_segments; ++s) {
        const std::size_t here = s + 1 == n_segments ? n_slots : random.below(n_slots + 1);
        n_slots -= here;
        segments.push_back({random.between(0, n_classes - 1), random.between(0, 12),
                            static_cast<std::uint32_t>(n_words),
                            static_cast<std::uint32_t>(samrule::words_for(here)),
                            static_cast<std::uint32_t>(here)});
        n_words += segments.back().n_words;
    }
    return segments;
}

/// Columns with random bits in the slots of the segments and none elsewhere.
std::vector<Word> random_columns(Random& random, const std::vector<Segment>& segments,
                                 std::size_t n_words, std::size_t n_columns) {
    std::vector<Word> columns(n_columns * n_words, 0);
    for (std::size_t j = 0; j < n_columns; ++j)
        for (const Segment& s : segments) {
            const auto words = random_words(random, s.n_words);
            for (std::size_t w = 0; w < s.n_words; ++w)
                columns[j * n_words + s.first_word + w] =
                    words[w] & samrule::low_bits(s.n_slots - 64 * w);
        }
    return columns;
}

void check_row_of_counts(Random& random, std::size_t n_slots, std::size_t n_columns) {
    const std::int32_t n_classes = random.between(1, 4);
    std::size_t n_words = 0;
    const auto segments = random_segments(random, n_slots, n_classes,
                                          static_cast<std::size_t>(random.between(1, 5)), n_words);
    const auto others = random_columns(random, segments, n_words, n_columns);
    const auto column = random_columns(random, segments, n_words, 1);
    std::vector<std::vector<std::int32_t>> expected(static_cast<std::size_t>(n_classes),
                                                    std::vector<std::int32_t>(n_columns, 0));
    for (const Segment& s : segments)
        for (std::size_t j = 0; j < n_columns; ++j)
            for (std::size_t k = 0; k < s.n_slots; ++k)
                if (bit(column.data() + s.first_word, k) &&
                    bit(others.data() + j * n_words + s.first_word, k))
                    expected[static_cast<std::size_t>(s.klass)][j] += std::int32_t{1} << s.shift;
    // Not one number more than promised may be written.
    constexpr std::int32_t untouched = -7;
    for (auto& of_class : expected) of_class.push_back(untouched);
    for_each_set([&](const Kernels& set) {
        std::vector<std::vector<std::int32_t>> found(
            static_cast<std::size_t>(n_classes),
            std::vector<std::int32_t>(n_columns + 1, untouched));
        std::vector<std::int32_t*> counts;
        for (auto& of_class : found) counts.push_back(of_class.data());
        set.count_row(column.data(), others.data(), n_words, n_columns, segments.data(),
                      segments.size(), n_classes, counts.data());
        CHECK_EQ(found, expected);
    });
}

// Scans, on the counts of real rows

/// Rows with a class and a weight each, and columns of bits over them.
struct Rows {
    std::size_t n_columns;
    std::size_t n_classes;
    std::vector<std::size_t> klass;
    std::vector<std::int64_t> weight;
    std::vector<std::vector<bool>> column;

    std::size_t size() const { return klass.size(); }
};

std::vector<bool> random_column(Random& random, std::size_t n_rows,
                                const std::vector<std::vector<bool>>& others) {
    std::vector<bool> column(n_rows);
    const double density = random.one_of({0.02, 0.2, 0.5, 0.8, 1.0});
    for (std::size_t row = 0; row < n_rows; ++row) column[row] = random.chance(density);
    if (!others.empty() && random.chance(0.15)) {
        column = others[random.below(others.size())];
        if (random.chance(0.5)) column.flip();
    }
    return column;
}

/// Total weight at most `most_weight`, and now and then exactly that.
Rows random_rows(Random& random, std::size_t n_columns, std::size_t n_classes,
                 std::int64_t most_weight) {
    Rows rows{n_columns, n_classes, {}, {}, {}};
    const auto n_rows = static_cast<std::size_t>(random.between(1, 40));
    const auto limit = static_cast<std::size_t>(
        random.one_of<std::int64_t>({2, 5, most_weight / static_cast<std::int64_t>(n_rows) + 1}));
    std::int64_t total = 0;
    for (std::size_t row = 0; row < n_rows; ++row) {
        rows.klass.push_back(random.below(n_classes));
        rows.weight.push_back(
            std::min(static_cast<std::int64_t>(random.below(limit)), most_weight - total));
        total += rows.weight.back();
    }
    if (random.chance(0.2)) rows.weight[random.below(n_rows)] += most_weight - total;
    for (std::size_t j = 0; j < n_columns; ++j)
        rows.column.push_back(random_column(random, n_rows, rows.column));
    return rows;
}

using ClassWeights = std::vector<std::int64_t>;

template <class Chosen>
ClassWeights class_weights(const Rows& rows, const Chosen& chosen) {
    ClassWeights weights(rows.n_classes, 0);
    for (std::size_t row = 0; row < rows.size(); ++row)
        if (chosen(row)) weights[rows.klass[row]] += rows.weight[row];
    return weights;
}

std::int64_t total(const ClassWeights& weights) {
    return std::accumulate(weights.begin(), weights.end(), std::int64_t{0});
}

std::int64_t majority_errors(const ClassWeights& weights) {
    return total(weights) - *std::max_element(weights.begin(), weights.end());
}

/// Errors of "then l, then the default" on the chosen rows. With two classes the scans take l and
/// the default to predict different ones: predicting the same one is the default alone, which is
/// a shorter list.
template <class Chosen>
std::int64_t errors_of_rule(const Rows& rows, std::size_t l, const Chosen& chosen) {
    const auto in =
        class_weights(rows, [&](std::size_t row) { return chosen(row) && rows.column[l][row]; });
    const auto out =
        class_weights(rows, [&](std::size_t row) { return chosen(row) && !rows.column[l][row]; });
    if (rows.n_classes == 2) return std::min(in[0] + out[1], in[1] + out[0]);
    return majority_errors(in) + majority_errors(out);
}

/// Least errors of one rule on the chosen rows; at most all of them.
template <class Chosen>
std::int64_t least_errors_of_rule(const Rows& rows, const Chosen& chosen) {
    std::int64_t least = total(class_weights(rows, chosen));
    for (std::size_t l = 0; l < rows.n_columns; ++l)
        least = std::min(least, errors_of_rule(rows, l, chosen));
    return least;
}

std::size_t padded(std::size_t n) {
    return (n + samrule::scan_lanes - 1) / samrule::scan_lanes * samrule::scan_lanes;
}

/// One row of counts per class, padded with zeros.
template <class Count>
struct CountRows {
    std::vector<std::vector<Count>> rows;
    std::vector<const Count*> pointers;

    /// The class weights of each column on the chosen rows.
    template <class Chosen>
    CountRows(const Rows& data, const Chosen& chosen)
        : rows(data.n_classes, std::vector<Count>(padded(data.n_columns), 0)) {
        for (std::size_t l = 0; l < data.n_columns; ++l) {
            const auto weights = class_weights(
                data, [&](std::size_t row) { return chosen(row) && data.column[l][row]; });
            for (std::size_t c = 0; c < data.n_classes; ++c)
                rows[c][l] = static_cast<Count>(weights[c]);
        }
        for (const auto& row : rows) pointers.push_back(row.data());
    }

    std::int64_t of(std::size_t c, std::size_t l) const { return rows[c][l]; }
};

template <class Count>
std::vector<Count> narrowed(const ClassWeights& weights) {
    return {weights.begin(), weights.end()};
}

template <class Count>
auto pair_scan_of(const Kernels& set) {
    if constexpr (sizeof(Count) == 2)
        return set.pair_scan16;
    else
        return set.pair_scan32;
}

template <class Count>
auto order_scan_of(const Kernels& set) {
    if constexpr (sizeof(Count) == 2)
        return set.order_scan16;
    else
        return set.order_scan32;
}

template <class Count>
auto triple_scan_of(const Kernels& set) {
    if constexpr (sizeof(Count) == 2)
        return set.triple_scan16;
    else
        return set.triple_scan32;
}

template <class Count>
auto survey_scan_of(const Kernels& set) {
    if constexpr (sizeof(Count) == 2)
        return set.survey_scan16;
    else
        return set.survey_scan32;
}

const auto everywhere = [](std::size_t) { return true; };

/// Leaves of the search use 16 bits up to this weight; the solver as a whole stays below 2^30.
template <class Count>
constexpr std::int64_t most_weight = sizeof(Count) == 2 ? 16'000 : (std::int64_t{1} << 30) - 1;

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
    const Count least_by_scalar = pair_scan_of<Count>(scalar())(scan, by_scalar.data());
    for_each_set([&](const Kernels& set) {
        std::vector<Count> errors(scan.n);
        const Count least = pair_scan_of<Count>(set)(scan, errors.data());
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

template <class Count>
struct OrderResult {
    std::vector<Count> i_first, j_first, rest, total;
    Count least;
};

template <class Count>
OrderResult<Count> run_order_scan(const Kernels& set, const samrule::OrderScan<Count>& scan) {
    OrderResult<Count> result{std::vector<Count>(scan.n), std::vector<Count>(scan.n),
                              std::vector<Count>(scan.n), std::vector<Count>(scan.n), 0};
    result.least = order_scan_of<Count>(set)(scan, {result.i_first.data(), result.j_first.data(),
                                                    result.rest.data(), result.total.data()});
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
    const Count least_by_scalar = triple_scan_of<Count>(scalar())(scan, by_scalar.data());
    for_each_set([&](const Kernels& set) {
        std::vector<Count> bounds(scan.n);
        const Count least = triple_scan_of<Count>(set)(scan, bounds.data());
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

template <class Count>
struct SurveyResult {
    std::vector<Count> first_two, rest;
    Count least;
};

template <class Count>
SurveyResult<Count> run_survey_scan(const Kernels& set, const samrule::SurveyScan<Count>& scan) {
    SurveyResult<Count> result{std::vector<Count>(scan.n), std::vector<Count>(scan.n), 0};
    result.least = survey_scan_of<Count>(set)(scan, {result.first_two.data(), result.rest.data()});
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

constexpr std::initializer_list<std::size_t> numbers_of_classes = {2, 3, 5};

/// Every number of columns, sparser under a sanitizer.
std::size_t length_step() { return static_cast<std::size_t>(1026 / harness::scaled(1026)); }

}  // namespace

TEST(scalar_kernels_are_always_there_and_first) {
    CHECK_EQ(samrule::available_kernels().front()->name, "scalar");
    CHECK(samrule::find_kernels("") == samrule::available_kernels().back());
    CHECK(samrule::find_kernels("no such set") == nullptr);
    for (const Kernels* set : samrule::available_kernels())
        CHECK(samrule::find_kernels(set->name) == set);
}

TEST(counts_of_two_and_four_sets_are_right_for_every_length) {
    Random random(1);
    for (std::size_t n = 0; n <= longest; ++n) {
        const auto a = random_words(random, n), b = random_words(random, n),
                   c = random_words(random, n), d = random_words(random, n);
        const std::int64_t two = count_one_by_one({a, b}, nullptr, n);
        const std::int64_t four = count_one_by_one({a, b, c}, d.data(), n);
        for_each_set([&](const Kernels& set) {
            CHECK_EQ(set.count_and(a.data(), b.data(), n), two);
            CHECK_EQ(set.count_and3_not(a.data(), b.data(), c.data(), d.data(), n), four);
        });
    }
}

TEST(counts_may_start_at_any_word) {
    Random random(2);
    const auto words = random_words(random, 100);
    for (std::size_t start = 0; start < 9; ++start)
        for (std::size_t n = 0; n + start <= words.size(); ++n)
            for_each_set([&](const Kernels& set) {
                const Word* from = words.data() + start;
                CHECK_EQ(set.count_and(from, from, n), scalar().count_and(from, from, n));
                CHECK_EQ(set.count_and3_not(from, from, from, from, n), 0);
            });
}

TEST(compacting_is_right_for_every_length) {
    Random random(3);
    for (std::size_t n = 0; n <= longest; ++n) {
        const auto keep = random_words(random, n);
        // Not one word more than promised may be written.
        constexpr Word untouched = 0xABCDEF;
        std::vector<std::vector<Word>> columns(n % 10), expected;
        std::vector<const Word*> sources;
        for (auto& column : columns) {
            column = random_words(random, n);
            sources.push_back(column.data());
            expected.push_back(compact_one_by_one(column, keep));
            expected.back().push_back(untouched);
        }
        for_each_set([&](const Kernels& set) {
            auto packed = expected;
            std::vector<Word*> targets;
            for (auto& target : packed) {
                target.assign(target.size(), untouched);
                targets.push_back(target.data());
            }
            set.compact(sources.data(), sources.size(), keep.data(), n, targets.data());
            CHECK(packed == expected);
        });
    }
}

TEST(rows_of_counts_are_right_for_every_number_of_slots) {
    Random random(4);
    for (std::size_t n_slots = 0; n_slots <= longest; ++n_slots)
        check_row_of_counts(random, n_slots, random.below(10));
}

TEST(rows_of_counts_are_right_for_every_number_of_columns) {
    Random random(5);
    for (std::size_t n_columns = 0; n_columns <= longest; ++n_columns)
        check_row_of_counts(random, random.below(200), n_columns);
}

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
