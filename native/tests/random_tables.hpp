/// Small random tables that are nasty on purpose: ties, repeated, constant and opposite columns,
/// equal rows of different classes, weights of zero.
#pragma once

#include <algorithm>
#include <initializer_list>
#include <string>
#include <vector>

#include "harness.hpp"
#include "samrule/solver.hpp"
#include "samrule/table.hpp"

namespace random_tables {

using harness::Random;
using samrule::Table;
using samrule::Terms;
using samrule::Word;

inline bool holds(const Table& table, std::size_t row, std::size_t column) {
    return (table.column(column)[row / 64] >> (row % 64) & 1) != 0;
}

/// True if every condition of the rule holds in the row.
inline bool matches(const Table& table, std::size_t row, const Terms& terms) {
    for (const std::int32_t term : terms)
        if (!holds(table, row, static_cast<std::size_t>(term))) return false;
    return true;
}

inline void set(Table& table, std::size_t row, std::size_t column, bool value) {
    Word& word = table.bits[column * table.words() + row / 64];
    const Word bit = Word{1} << (row % 64);
    word = value ? word | bit : word & ~bit;
}

/// All conjunctions of 1..max_terms columns: fewer terms first, then by their column numbers.
inline std::vector<Terms> conjunctions(std::size_t n_columns, int max_terms) {
    std::vector<Terms> all;
    std::vector<Terms> shorter{{}};
    for (int n_terms = 1; n_terms <= max_terms; ++n_terms) {
        std::vector<Terms> longer;
        for (const Terms& terms : shorter) {
            const std::int32_t first = terms.empty() ? 0 : terms.back() + 1;
            for (std::int32_t j = first; j < static_cast<std::int32_t>(n_columns); ++j) {
                longer.push_back(terms);
                longer.back().push_back(j);
            }
        }
        all.insert(all.end(), longer.begin(), longer.end());
        shorter = std::move(longer);
    }
    return all;
}

/// Columns now and then become a copy or the opposite of another, or constant.
inline void spoil_columns(Random& random, Table& table, double probability) {
    for (std::size_t j = 0; j < table.n_columns; ++j) {
        if (!random.chance(probability)) continue;
        const std::size_t other = random.below(table.n_columns);
        const std::size_t kind = random.below(4);
        for (std::size_t row = 0; row < table.n_rows; ++row)
            set(table, row, j,
                kind == 0   ? holds(table, row, other)
                : kind == 1 ? !holds(table, row, other)
                            : kind == 2);
    }
}

/// Rows now and then become a copy of another, class aside.
inline void repeat_rows(Random& random, Table& table, double probability) {
    for (std::size_t row = 0; row < table.n_rows; ++row) {
        if (!random.chance(probability)) continue;
        const std::size_t other = random.below(table.n_rows);
        for (std::size_t j = 0; j < table.n_columns; ++j)
            set(table, row, j, holds(table, other, j));
    }
}

/// Weights below `limit`; one of them at least 1.
inline std::vector<std::uint32_t> random_weights(Random& random, std::size_t n_rows,
                                                 std::uint32_t limit) {
    std::vector<std::uint32_t> weights(n_rows);
    for (std::uint32_t& w : weights) w = static_cast<std::uint32_t>(random.below(limit));
    weights[random.below(n_rows)] += 1;
    return weights;
}

/// Classes at random, no condition true, all weights one.
inline Table blank_table(Random& random, std::size_t n_rows, std::size_t n_columns,
                         std::int32_t n_classes) {
    Table table;
    table.n_rows = n_rows;
    table.n_columns = n_columns;
    table.n_classes = n_classes;
    table.bits.assign(n_columns * table.words(), 0);
    for (std::size_t row = 0; row < n_rows; ++row)
        table.labels.push_back(
            static_cast<std::int32_t>(random.below(static_cast<std::size_t>(n_classes))));
    return table;
}

/// Independent bits and classes, all weights one.
inline Table plain_table(Random& random, std::size_t n_rows, std::size_t n_columns,
                         std::int32_t n_classes) {
    Table table = blank_table(random, n_rows, n_columns, n_classes);
    const double density = 0.2 + 0.6 * random.real();
    for (std::size_t j = 0; j < n_columns; ++j)
        for (std::size_t row = 0; row < n_rows; ++row)
            if (random.chance(density)) set(table, row, j, true);
    return table;
}

/// The conditions of real tables, which are what the bounds live on: independent or rare ones,
/// thresholds of a number with both their sides, levels of a category.
enum class Shape { independent, rare, thresholds, one_sided, levels };

/// Fills column after column from `first` with conditions on one hidden number of each row;
/// returns the first column not filled.
inline std::size_t fill_columns(Random& random, Table& table, std::size_t first, Shape shape) {
    const std::size_t n_levels = 2 + random.below(4);
    std::size_t n_filled = 1;
    if (shape == Shape::thresholds) n_filled = 2 * (n_levels - 1);
    if (shape == Shape::one_sided) n_filled = n_levels - 1;
    if (shape == Shape::levels) n_filled = n_levels;
    const double density = shape == Shape::rare ? 0.1 : 0.2 + 0.6 * random.real();
    const std::size_t end = std::min(first + n_filled, table.n_columns);
    for (std::size_t row = 0; row < table.n_rows; ++row) {
        const std::size_t level = random.below(n_levels);
        for (std::size_t j = first; j < end; ++j) {
            const std::size_t k = j - first;
            set(table, row, j,
                shape == Shape::thresholds  ? (level > k / 2) == (k % 2 == 0)
                : shape == Shape::one_sided ? level > k
                : shape == Shape::levels    ? level == k
                                            : random.chance(density));
        }
    }
    return end;
}

/// A table as bad as they come.
inline Table nasty_table(Random& random, std::size_t n_rows, std::size_t n_columns,
                         std::int32_t n_classes, std::uint32_t weight_limit) {
    const auto random_shape = [&] {
        return random.one_of(
            {Shape::independent, Shape::rare, Shape::thresholds, Shape::one_sided, Shape::levels});
    };
    Table table = blank_table(random, n_rows, n_columns, n_classes);
    const bool mixed = random.chance(0.4);
    Shape shape = random_shape();
    for (std::size_t j = 0; j < n_columns;) {
        j = fill_columns(random, table, j, shape);
        if (mixed) shape = random_shape();
    }
    if (random.chance(0.5)) spoil_columns(random, table, 0.3);
    repeat_rows(random, table, random.one_of({0.0, 0.2, 0.6}));
    if (weight_limit > 0) table.weights = random_weights(random, n_rows, weight_limit);
    return table;
}

/// The table as text, to reproduce a failure: class, weight and conditions of each row.
inline std::string described(const Table& table) {
    std::string text = std::to_string(table.n_rows) + " rows, " + std::to_string(table.n_columns) +
                       " columns, " + std::to_string(table.n_classes) + " classes\n";
    if (table.n_rows > 100) return text;
    for (std::size_t row = 0; row < table.n_rows; ++row) {
        text += "    class " + std::to_string(table.labels[row]) + " weight " +
                std::to_string(table.weight(row)) + "  ";
        for (std::size_t j = 0; j < table.n_columns; ++j) text += holds(table, row, j) ? '1' : '0';
        text += '\n';
    }
    return text;
}

/// Misclassified weight of the list, row by row: the first rule that matches decides, and each
/// rule and the default predict the class with most weight among what they decide.
inline std::int64_t errors_of(const Table& table, const std::vector<Terms>& rules) {
    const auto n_classes = static_cast<std::size_t>(table.n_classes);
    std::vector<std::vector<std::int64_t>> decided(rules.size() + 1,
                                                   std::vector<std::int64_t>(n_classes, 0));
    for (std::size_t row = 0; row < table.n_rows; ++row) {
        std::size_t r = 0;
        while (r < rules.size() && !matches(table, row, rules[r])) ++r;
        decided[r][static_cast<std::size_t>(table.labels[row])] += table.weight(row);
    }
    std::int64_t errors = 0;
    for (const auto& weights : decided) {
        std::int64_t total = 0, most = 0;
        for (const std::int64_t w : weights) {
            total += w;
            most = w > most ? w : most;
        }
        errors += total - most;
    }
    return errors;
}

/// What is asked of a small table: so many rules and terms, by any kernels, on one or two threads.
inline samrule::Options options(Random& random, std::initializer_list<int> max_rules,
                                std::initializer_list<int> max_terms) {
    samrule::Options asked;
    const auto kernels = samrule::available_kernels();
    asked.kernels = kernels[random.below(kernels.size())];
    asked.max_rules = random.one_of(max_rules);
    asked.max_terms = random.one_of(max_terms);
    asked.threads = random.one_of({1, 1, 2});
    asked.rule_cost = random.one_of({0.0, 0.25, 0.5, 1.0, 1.5, 3.0});
    return asked;
}

}  // namespace random_tables
