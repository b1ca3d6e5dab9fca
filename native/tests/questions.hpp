/// Questions to the solver that tests share: random ones with brute force's answer, hard ones, and
/// what must hold of any answer. The environment variable SAMRULE_FORCE_KERNELS names the kernels;
/// without it, the fastest.
#pragma once

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <string>
#include <vector>

#include "brute_force.hpp"
#include "harness.hpp"
#include "random_tables.hpp"
#include "samrule/solver.hpp"
#include "state.hpp"

namespace questions {

using brute_force::BruteForce;
using harness::Random;
using samrule::Options;
using samrule::Outcome;
using samrule::Status;
using samrule::Table;
using samrule::Terms;

/// Costs are whole multiples of 1 / unit, and so the oracle's must be.
inline std::int64_t price_of_rule(const Options& options) {
    return static_cast<std::int64_t>(
        std::ceil(options.rule_cost * static_cast<double>(samrule::unit)));
}

/// Equal but for the last digits, which a double may not have room for.
inline bool is_near(double found, double expected) {
    constexpr double epsilon = std::numeric_limits<double>::epsilon();
    return std::abs(found - expected) <= 4 * epsilon * std::max(1.0, std::abs(expected));
}

inline const samrule::Kernels* chosen_kernels() {
    const char* asked = std::getenv("SAMRULE_FORCE_KERNELS");
    const std::string name = asked == nullptr ? "" : asked;
    const samrule::Kernels* kernels = samrule::find_kernels(name);
    if (kernels == nullptr) throw harness::Skipped("no kernels called " + name + " here");
    return kernels;
}

inline Options with_kernels() {
    Options options;
    options.kernels = chosen_kernels();
    options.memory_limit = std::size_t{32} << 20;  // a small cache is made faster
    return options;
}

inline std::string described(const Table& table, const Options& options) {
    return "  max_rules " + std::to_string(options.max_rules) + ", max_terms " +
           std::to_string(options.max_terms) + ", rule_cost " + harness::shown(options.rule_cost) +
           ", min_support " + std::to_string(options.min_support) + ", threads " +
           std::to_string(options.threads) + ", disabled_bounds " +
           std::to_string(options.disabled_bounds) + ", tolerance " +
           harness::shown(options.tolerance) + ", ladder_after " +
           harness::shown(options.ladder_after) + ", costs " + harness::shown(options.costs) +
           ", brier_share " + harness::shown(options.brier_share) + ", kernels " +
           std::string(options.kernels->name) + "\n  " + random_tables::described(table);
}

/// What a group costs, in the solver's units: written from the definition of the options alone.
inline std::int64_t price_of_group(const Options& options,
                                   const std::vector<std::int64_t>& weights) {
    const std::size_t n = weights.size();
    const auto brier = std::llround(options.brier_share * static_cast<double>(samrule::unit));
    const auto others = static_cast<double>(samrule::unit - brier);
    std::int64_t weight = 0, least = std::numeric_limits<std::int64_t>::max();
    std::uint64_t squares = 0;  // weights are below 2^30 in total
    for (std::size_t k = 0; k < n; ++k) {
        weight += weights[k];
        squares += static_cast<std::uint64_t>(weights[k] * weights[k]);
        std::int64_t cost = 0;  // of predicting k
        for (std::size_t j = 0; j < n; ++j)
            cost += weights[j] *
                    std::llround(others * (options.costs.empty() ? (j == k ? 0.0 : 1.0)
                                                                 : options.costs[j * n + k]));
        least = std::min(least, cost);
    }
    if (weight == 0) return 0;
    // (w^2 - squares) * brier / 2w, rounded up: whole multiples of 2w first, for the product may be
    // longer than 64 bits.
    const auto w = static_cast<std::uint64_t>(weight), share = static_cast<std::uint64_t>(brier);
    const std::uint64_t mixed = w * w - squares, whole = mixed / (2 * w), rest = mixed % (2 * w);
    return least + static_cast<std::int64_t>(whole * share + (rest * share + 2 * w - 1) / (2 * w));
}

/// What the reported rules cost, row by row: the first rule that matches decides.
inline double cost_of(const Table& table, const Options& options, const std::vector<Terms>& rules) {
    std::vector<std::vector<std::int64_t>> decided(
        rules.size() + 1, std::vector<std::int64_t>(static_cast<std::size_t>(table.n_classes), 0));
    for (std::size_t row = 0; row < table.n_rows; ++row) {
        std::size_t r = 0;
        while (r < rules.size() && !random_tables::matches(table, row, rules[r])) ++r;
        decided[r][static_cast<std::size_t>(table.labels[row])] += table.weight(row);
    }
    double cost = options.rule_cost * static_cast<double>(rules.size());
    for (const auto& weights : decided)
        cost += static_cast<double>(price_of_group(options, weights)) /
                static_cast<double>(samrule::unit);
    return cost;
}

/// The right answer to one question.
struct Expected {
    std::vector<Terms> rules;
    std::vector<double> path;
};

inline Expected by_brute_force(const Table& table, const Options& options) {
    BruteForce force(table, {options.max_rules, options.max_terms, samrule::unit,
                             price_of_rule(options), options.min_support, [&](const auto& weights) {
                                 return price_of_group(options, weights);
                             }});
    Expected expected;
    for (int n_rules = 0; n_rules <= options.max_rules; ++n_rules)
        expected.path.push_back(static_cast<double>(force.best(n_rules).cost) /
                                static_cast<double>(samrule::unit));
    expected.rules = force.rules(force.best(options.max_rules));
    return expected;
}

/// The same question with other threads, without each bound in turn, and without some of them.
inline std::vector<Options> variants(Random& random, const Options& options) {
    std::vector<Options> all;
    for (const int threads : {1, 2, 5}) {
        all.push_back(options);
        all.back().threads = threads;
    }
    all.push_back(options);
    all.back().ladder_after = 0;
    std::uint32_t every = 0;
    for (const samrule::NamedBound& named : samrule::all_bounds()) {
        all.push_back(options);
        all.back().disabled_bounds = static_cast<std::uint32_t>(named.bound);
        every |= static_cast<std::uint32_t>(named.bound);
    }
    all.push_back(options);
    all.back().disabled_bounds = every;
    all.push_back(options);
    all.back().disabled_bounds = static_cast<std::uint32_t>(random.word()) & every;
    all.back().threads = random.between(1, 5);
    return all;
}

inline std::int64_t total_weight(const Table& table) {
    std::int64_t total = 0;
    for (std::size_t row = 0; row < table.n_rows; ++row) total += table.weight(row);
    return total;
}

/// From nothing to more than any rule is worth; some make ties, some are odd numbers.
inline double random_rule_cost(Random& random, const Table& table) {
    const auto total = static_cast<double>(total_weight(table));
    switch (random.below(6)) {
        case 0:
            return 0;
        case 1:
            return static_cast<double>(random.between(1, 4));
        case 2:
            return static_cast<double>(random.between(1, 8)) / 8;
        case 3:
            return 0.1 * random.real() * total;
        case 4:
            return total * random.one_of({0.0001, 0.001, 0.01, 0.03, 0.05, 0.1});
        default:
            return random.chance(0.1) ? 2 * total : 1e-4 * random.real() * total;
    }
}

inline std::int64_t random_min_support(Random& random, const Table& table) {
    const auto total = static_cast<double>(total_weight(table));
    return static_cast<std::int64_t>(
        std::ceil(total * random.one_of({0.0, 0.0, 0.0, 0.1, 0.2, 0.35, 0.6})));
}

/// Weights: none, few, some, beyond what 16-bit counts can hold, nearly too many at all.
inline std::uint32_t random_weight_limit(Random& random, std::size_t n_rows) {
    return random.one_of<std::uint32_t>(
        {0, 0, 4, 1000, 50'000, (1U << 30) / static_cast<std::uint32_t>(n_rows) - 1});
}

/// Any loss but errors: the Brier score, costs, mixtures of them.
inline void choose_price(Random& random, std::int32_t n_classes, Options& options) {
    options.brier_share = random.one_of({0.0, 0.25, 0.3, 0.5, 1.0, 1.0});
    const bool by_class = random.chance(0.3);
    if (options.brier_share > 0 && random.chance(0.5)) return;
    const auto n = static_cast<std::size_t>(n_classes);
    for (std::size_t j = 0; j < n; ++j) {
        const double of_class = j == 0 ? 1 : 0.125 * random.between(0, 8);
        for (std::size_t k = 0; k < n; ++k)
            options.costs.push_back(by_class            ? (j == k ? 0 : of_class)
                                    : random.chance(.8) ? (j == k ? 0 : 1)
                                                        : 0.125 * random.between(0, 8));
    }
}

/// A table whose search takes long: many conditions, noisy classes.
inline Table hard_table(std::size_t n_rows, std::size_t n_columns, std::int32_t n_classes,
                        std::uint64_t seed) {
    Random random(seed);
    return random_tables::plain_table(random, n_rows, n_columns, n_classes);
}

inline Options hard_question() {
    Options options = with_kernels();
    options.max_rules = 7;
    options.rule_cost = 0.5;
    options.memory_limit = std::size_t{256} << 20;
    return options;
}

/// Whatever stopped the search, what it reports must hold.
inline void check_claims(const Table& table, const Options& options, const Outcome& outcome) {
    CHECK(outcome.lower_bound >= 0);
    CHECK(outcome.lower_bound <= outcome.cost);
    CHECK(static_cast<int>(outcome.rules.size()) <= options.max_rules);
    CHECK(std::abs(outcome.cost - cost_of(table, options, outcome.rules)) < 1e-3);
    for (std::size_t k = 1; k < outcome.path.size(); ++k)
        CHECK(outcome.path[k] <= outcome.path[k - 1]);
    if (outcome.status != Status::optimal) return;
    CHECK_EQ(outcome.lower_bound, outcome.cost);
    CHECK_EQ(outcome.path.size(), static_cast<std::size_t>(options.max_rules) + 1);
    CHECK_EQ(outcome.path.back(), outcome.cost);
}

inline double seconds_since(std::chrono::steady_clock::time_point start) {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace questions
