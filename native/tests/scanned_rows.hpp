/// What the scans are tested on: rows with classes, weights and columns, and the counts of them.
#pragma once

#include <algorithm>
#include <numeric>

#include "kernel_sets.hpp"
#include "leaf_table.hpp"

/// Rows with a class and a weight each, and columns of bits over them.
struct Rows {
    std::size_t n_columns;
    std::size_t n_classes;
    std::vector<std::size_t> klass;
    std::vector<std::int64_t> weight;
    std::vector<std::vector<bool>> column;

    std::size_t size() const { return klass.size(); }
};

inline std::vector<bool> random_column(Random& random, std::size_t n_rows,
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
inline Rows random_rows(Random& random, std::size_t n_columns, std::size_t n_classes,
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

inline std::int64_t total(const ClassWeights& weights) {
    return std::accumulate(weights.begin(), weights.end(), std::int64_t{0});
}

inline std::int64_t majority_errors(const ClassWeights& weights) {
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

inline std::size_t padded(std::size_t n) {
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

inline constexpr auto everywhere = [](std::size_t) { return true; };

/// Leaves of the search use 16 bits up to a limit; the solver as a whole stays below 2^30.
template <class Count>
constexpr std::int64_t most_weight =
    sizeof(Count) == 2 ? samrule::narrow_limit : (std::int64_t{1} << 30) - 1;

inline constexpr std::initializer_list<std::size_t> numbers_of_classes = {2, 3, 5};

/// Every number of columns, sparser under a sanitizer.
inline std::size_t length_step() { return static_cast<std::size_t>(1026 / harness::scaled(1026)); }

/// Of a kernel's two widths, the one that counts in `Count`.
template <class Count, class Narrow, class Wide>
auto scan_of(Narrow narrow, Wide wide) {
    if constexpr (sizeof(Count) == 2)
        return narrow;
    else
        return wide;
}
