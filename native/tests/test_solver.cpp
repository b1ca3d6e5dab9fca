// The solver against brute force, with any threads, kernels and bounds; and when it is stopped.
// The environment variable SAMRULE_FORCE_KERNELS names the kernels; without it, the fastest.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <ctime>
#include <limits>
#include <thread>

#include "brute_force.hpp"
#include "harness.hpp"
#include "random_tables.hpp"
#include "samrule/solver.hpp"
#include "state.hpp"

using brute_force::BruteForce;
using harness::Random;
using samrule::Options;
using samrule::Outcome;
using samrule::Progress;
using samrule::Status;
using samrule::Table;
using samrule::Terms;

namespace {

/// Costs are whole multiples of 1 / unit, and so the oracle's must be.
std::int64_t price_of_rule(const Options& options) {
    return static_cast<std::int64_t>(
        std::ceil(options.rule_cost * static_cast<double>(samrule::unit)));
}

/// Equal but for the last digits, which a double may not have room for.
bool is_near(double found, double expected) {
    constexpr double epsilon = std::numeric_limits<double>::epsilon();
    return std::abs(found - expected) <= 4 * epsilon * std::max(1.0, std::abs(expected));
}

const samrule::Kernels* chosen_kernels() {
    const char* asked = std::getenv("SAMRULE_FORCE_KERNELS");
    const std::string name = asked == nullptr ? "" : asked;
    const samrule::Kernels* kernels = samrule::find_kernels(name);
    if (kernels == nullptr) throw harness::Skipped("no kernels called " + name + " here");
    return kernels;
}

Options with_kernels() {
    Options options;
    options.kernels = chosen_kernels();
    options.memory_limit = std::size_t{32} << 20;  // a small cache is made faster
    return options;
}

std::string described(const Table& table, const Options& options) {
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
std::int64_t price_of_group(const Options& options, const std::vector<std::int64_t>& weights) {
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
double cost_of(const Table& table, const Options& options, const std::vector<Terms>& rules) {
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

Expected by_brute_force(const Table& table, const Options& options) {
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

void check_answer(const Table& table, const Options& options, const Expected& expected) {
    harness::explain(
        [&] {
            const Outcome outcome = samrule::solve(table, options);
            CHECK_EQ(to_string(outcome.status), "optimal");
            CHECK(is_near(outcome.cost, expected.path.back()));
            CHECK_EQ(outcome.lower_bound, outcome.cost);
            CHECK_EQ(outcome.path.size(), expected.path.size());
            for (std::size_t k = 0; k < expected.path.size(); ++k)
                CHECK(is_near(outcome.path[k], expected.path[k]));
            CHECK_EQ(outcome.rules, expected.rules);
        },
        [&] { return described(table, options); });
}

/// The same question with other threads, without each bound in turn, and without some of them.
std::vector<Options> variants(Random& random, const Options& options) {
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

std::int64_t total_weight(const Table& table) {
    std::int64_t total = 0;
    for (std::size_t row = 0; row < table.n_rows; ++row) total += table.weight(row);
    return total;
}

/// From nothing to more than any rule is worth; some make ties, some are odd numbers.
double random_rule_cost(Random& random, const Table& table) {
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

std::int64_t random_min_support(Random& random, const Table& table) {
    const auto total = static_cast<double>(total_weight(table));
    return static_cast<std::int64_t>(
        std::ceil(total * random.one_of({0.0, 0.0, 0.0, 0.1, 0.2, 0.35, 0.6})));
}

/// Weights: none, few, some, beyond what 16-bit counts can hold, nearly too many at all.
std::uint32_t random_weight_limit(Random& random, std::size_t n_rows) {
    return random.one_of<std::uint32_t>(
        {0, 0, 4, 1000, 50'000, (1U << 30) / static_cast<std::uint32_t>(n_rows) - 1});
}

/// Any loss but errors: the Brier score, costs, mixtures of them.
void choose_price(Random& random, std::int32_t n_classes, Options& options) {
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

enum class Price { errors, any };

void check_random_tables(std::uint64_t seed, int n_tables, int max_rows, int max_columns,
                         std::initializer_list<int> max_rules, std::initializer_list<int> max_terms,
                         Price price = Price::errors) {
    Random random(seed);
    for (int trial = 0; trial < harness::scaled(n_tables); ++trial) {
        const auto n_rows = static_cast<std::size_t>(random.between(1, max_rows));
        const auto n_columns = static_cast<std::size_t>(random.between(1, max_columns));
        const Table table =
            random_tables::nasty_table(random, n_rows, n_columns, random.one_of({2, 2, 3, 4}),
                                       random_weight_limit(random, n_rows));
        Options options = with_kernels();
        if (price == Price::any) choose_price(random, table.n_classes, options);
        options.max_rules = random.one_of(max_rules);
        options.max_terms = random.one_of(max_terms);
        options.rule_cost = random_rule_cost(random, table);
        // Exact in any number of parts of a row.
        if (price == Price::any) options.rule_cost = std::floor(1024 * options.rule_cost) / 1024;
        options.min_support = random_min_support(random, table);
        const Expected expected = by_brute_force(table, options);
        for (const Options& variant : variants(random, options))
            check_answer(table, variant, expected);
    }
}

/// A table whose search takes long: many conditions, noisy classes.
Table hard_table(std::size_t n_rows, std::size_t n_columns, std::int32_t n_classes,
                 std::uint64_t seed) {
    Random random(seed);
    return random_tables::plain_table(random, n_rows, n_columns, n_classes);
}

Options hard_question() {
    Options options = with_kernels();
    options.max_rules = 7;
    options.rule_cost = 0.5;
    options.memory_limit = std::size_t{256} << 20;
    return options;
}

/// Whatever stopped the search, what it reports must hold.
void check_claims(const Table& table, const Options& options, const Outcome& outcome) {
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

double seconds_since(std::chrono::steady_clock::time_point start) {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace

TEST(small_tables_get_the_answer_of_brute_force) {
    check_random_tables(1, 1500, 24, 8, {0, 1, 2, 3, 3, 4, 4}, {1});
}

TEST(small_tables_with_pairs_get_the_answer_of_brute_force) {
    check_random_tables(2, 500, 20, 6, {1, 2, 3, 4}, {2});
}

TEST(longer_lists_get_the_answer_of_brute_force) {
    check_random_tables(3, 250, 28, 8, {5, 6, 7}, {1});
    check_random_tables(4, 100, 20, 5, {5, 6}, {2, 3});
}

TEST(tables_with_more_conditions_than_lanes_get_the_answer_of_brute_force) {
    check_random_tables(5, 200, 30, 40, {2, 3}, {1});
}

TEST(tables_with_enough_conditions_to_share_a_scan_get_the_answer_of_brute_force) {
    Random random(6);
    for (int trial = 0; trial < harness::scaled(8); ++trial) {
        const Table table = random_tables::plain_table(random, 20, 22, 2 + trial % 2);
        Options options = with_kernels();
        if (trial >= 4) choose_price(random, table.n_classes, options);
        options.max_rules = 3;
        options.max_terms = 2;
        options.rule_cost = random.one_of({0.0, 0.25, 0.75});
        options.min_support = trial % 3 == 0 ? 3 : 0;
        const Expected expected = by_brute_force(table, options);
        for (const Options& variant : variants(random, options))
            check_answer(table, variant, expected);
    }
}

TEST(any_price_of_a_group_gets_the_answer_of_brute_force) {
    check_random_tables(21, 1200, 24, 8, {0, 1, 2, 3, 3, 4, 4}, {1}, Price::any);
    check_random_tables(22, 300, 20, 6, {1, 2, 3, 4}, {2}, Price::any);
    check_random_tables(23, 150, 28, 8, {5, 6, 7}, {1}, Price::any);
    check_random_tables(24, 60, 20, 5, {5, 6}, {2, 3}, Price::any);
    check_random_tables(25, 100, 30, 40, {2, 3}, {1}, Price::any);
}

TEST(costs_that_depend_on_the_true_class_alone_are_weights_of_rows) {
    Random random(26);
    for (int trial = 0; trial < harness::scaled(100); ++trial) {
        const std::int32_t n_classes = random.one_of({2, 3});
        Table table = random_tables::nasty_table(random, 200, 10, n_classes, 0);
        Options options = with_kernels();
        options.max_rules = 3;
        options.rule_cost = 0.5;
        const std::vector<std::uint32_t> weight_of{10, 1, 3};
        for (std::int32_t j = 0; j < n_classes; ++j)
            for (std::int32_t k = 0; k < n_classes; ++k)
                options.costs.push_back(j == k ? 0 : weight_of[static_cast<std::size_t>(j)] / 10.0);
        const Outcome by_costs = samrule::solve(table, options);
        for (const std::int32_t label : table.labels)
            table.weights.push_back(weight_of[static_cast<std::size_t>(label)]);
        options.costs.clear();
        options.rule_cost = 5;
        const Outcome by_weights = samrule::solve(table, options);
        CHECK_EQ(by_costs.rules, by_weights.rules);
        CHECK(is_near(10 * by_costs.cost, by_weights.cost));
        CHECK(is_near(10 * by_costs.lower_bound, by_weights.lower_bound));
    }
}

TEST(long_tables_get_one_answer_whatever_the_threads_and_bounds) {
    Random random(7);
    for (int trial = 0; trial < harness::scaled(60); ++trial) {
        const auto n_rows = static_cast<std::size_t>(random.between(100, 3000));
        const Table table = random_tables::nasty_table(
            random, n_rows, static_cast<std::size_t>(random.between(6, 14)),
            random.one_of({2, 2, 3}), random.one_of<std::uint32_t>({0, 0, 3, 300}));
        Options options = with_kernels();
        options.max_rules = random.between(3, 5);
        options.max_terms = options.max_rules == 3 ? random.between(1, 2) : 1;
        options.rule_cost = random_rule_cost(random, table);
        options.min_support = random_min_support(random, table) / 4;
        if (trial % 2 == 1) choose_price(random, table.n_classes, options);
        const Outcome first = samrule::solve(table, options);
        check_claims(table, options, first);
        CHECK_EQ(to_string(first.status), "optimal");
        for (const Options& variant : variants(random, options))
            harness::explain(
                [&] {
                    const Outcome other = samrule::solve(table, variant);
                    CHECK_EQ(other.cost, first.cost);
                    CHECK_EQ(other.lower_bound, first.lower_bound);
                    CHECK_EQ(other.path, first.path);
                    CHECK_EQ(other.rules, first.rules);
                },
                [&] { return described(table, variant); });
    }
}

TEST(a_hidden_list_without_noise_is_found) {
    Random random(8);
    for (int trial = 0; trial < harness::scaled(20); ++trial) {
        Table table = random_tables::plain_table(random, 2000, 12, 2);
        for (std::size_t row = 0; row < table.n_rows; ++row)
            table.labels[row] = random_tables::holds(table, row, 3)   ? 1
                                : random_tables::holds(table, row, 7) ? 0
                                : random_tables::holds(table, row, 1) ? 1
                                                                      : 0;
        Options options = with_kernels();
        options.max_rules = 4;
        options.rule_cost = 0.5;
        const Outcome outcome = samrule::solve(table, options);
        CHECK_EQ(outcome.cost, 1.5);
        CHECK_EQ(random_tables::errors_of(table, outcome.rules), 0);
    }
}

TEST(tables_without_choice_are_solved) {
    Random random(9);
    Options options = with_kernels();
    for (const std::size_t n_columns : {0, 1, 3})
        for (const std::uint32_t weight : {0, 1, 5})
            for (const bool one_class : {false, true}) {
                Table table = random_tables::plain_table(random, 10, n_columns, 2);
                for (std::size_t row = 0; row < table.n_rows; ++row) {
                    for (std::size_t j = 0; j < n_columns; ++j)
                        random_tables::set(table, row, j, j % 2 == 0);
                    if (one_class) table.labels[row] = 1;
                }
                table.weights.assign(10, weight);
                const Expected expected = by_brute_force(table, options);
                CHECK(expected.rules.empty());
                for (const Options& variant : variants(random, options))
                    check_answer(table, variant, expected);
            }
}

TEST(nodes_are_counted) {
    Options options = with_kernels();
    CHECK(samrule::solve(hard_table(100, 5, 2, 1), options).n_nodes > 0);
}

TEST(a_time_limit_is_kept_and_its_gap_holds) {
    const Table table = hard_table(3000, 100, 2, 10);
    for (const int threads : {1, 2, 5})
        for (const double time_limit : {0.0, 0.001, 0.1}) {
            Options options = hard_question();
            options.threads = threads;
            options.time_limit = time_limit;
            const auto start = std::chrono::steady_clock::now();
            const Outcome outcome = samrule::solve(table, options);
            CHECK_EQ(to_string(outcome.status), "time_limit");
            CHECK(seconds_since(start) < time_limit + 5);  // generous: sanitizers, busy machines
            check_claims(table, options, outcome);
        }
}

TEST(limits_are_kept_while_conjunctions_are_collected) {
    // Many distinct conjunctions of many rows; and many equal ones of few rows, which a fast
    // machine may be through with in time.
    for (const auto& [n_rows, n_columns] : {std::pair{2000, 150}, std::pair{12, 3000}}) {
        const Table table = hard_table(static_cast<std::size_t>(n_rows),
                                       static_cast<std::size_t>(n_columns), 2, 17);
        const auto check_stopped = [&](const Options& options, Status reason) {
            const std::clock_t start = std::clock();
            const Outcome outcome = samrule::solve(table, options);
            // Of the processor, whatever else it does meanwhile.
            CHECK(static_cast<double>(std::clock() - start) < 5.0 * CLOCKS_PER_SEC);
            CHECK(outcome.status == reason || (n_rows < 20 && outcome.status == Status::optimal));
            check_claims(table, options, outcome);
        };
        Options options = hard_question();
        options.max_terms = 3;
        options.time_limit = 0.05;
        check_stopped(options, Status::time_limit);
        options.time_limit = 100;
        options.poll = [](const Progress&) { return true; };
        check_stopped(options, Status::interrupted);
    }
}

TEST(polls_are_a_few_a_second_even_after_the_time_limit) {
    const Table table = hard_table(20'000, 400, 2, 18);
    Options options = hard_question();
    options.time_limit = 0.02;
    options.threads = 2;
    int n_polls = 0;
    options.poll = [&](const Progress&) {
        ++n_polls;
        return false;
    };
    const auto start = std::chrono::steady_clock::now();
    const Outcome outcome = samrule::solve(table, options);
    CHECK_EQ(to_string(outcome.status), "time_limit");
    CHECK(n_polls <= 25 * seconds_since(start) + 1);
}

TEST(a_search_that_was_cut_short_brackets_the_optimum) {
    Random random(11);
    for (int trial = 0; trial < harness::scaled(80); ++trial) {
        const Table table = trial % 2 == 0 ? random_tables::nasty_table(random, 400, 20, 3, 0)
                                           : random_tables::plain_table(random, 400, 24, 2);
        Options options = with_kernels();
        options.max_rules = random.between(3, 7);
        options.rule_cost = 1 + random_rule_cost(random, table);
        options.ladder_after = random.one_of({0.0, 0.0, 0.01, 0.3});
        if (options.max_rules < 6 && random.chance(0.3))
            options.disabled_bounds = static_cast<std::uint32_t>(samrule::Bound::table);
        const auto start = std::chrono::steady_clock::now();
        const Outcome optimum = samrule::solve(table, options);
        const double seconds = seconds_since(start);
        CHECK_EQ(to_string(optimum.status), "optimal");
        for (int cut = 0; cut < 10; ++cut) {
            // Anywhere in the search, and so in any of its stages.
            options.time_limit = seconds * random.real();
            options.threads = random.between(1, 3);
            const Outcome outcome = samrule::solve(table, options);
            CHECK(outcome.status == Status::optimal || outcome.status == Status::time_limit);
            harness::explain(
                [&] {
                    check_claims(table, options, outcome);
                    CHECK(outcome.lower_bound <= optimum.cost);
                    CHECK(outcome.cost >= optimum.cost);
                    for (std::size_t k = 0; k < outcome.path.size(); ++k)
                        CHECK_EQ(outcome.path[k], optimum.path[k]);
                },
                [&] {
                    return "  time_limit " + harness::shown(options.time_limit) + "\n" +
                           described(table, options);
                });
        }
    }
}

TEST(with_a_tolerance_the_bound_holds_and_the_list_is_within_it) {
    Random random(21);
    int n_within = 0, n_optimal = 0;
    for (int trial = 0; trial < harness::scaled(700); ++trial) {
        const auto n_rows = static_cast<std::size_t>(random.between(4, 28));
        const Table table = random_tables::nasty_table(
            random, n_rows, static_cast<std::size_t>(random.between(2, 8)),
            random.one_of({2, 2, 3}), random_weight_limit(random, n_rows));
        Options options = with_kernels();
        options.max_rules = random.between(0, 7);
        options.max_terms = options.max_rules <= 4 ? random.between(1, 2) : 1;
        options.rule_cost = random_rule_cost(random, table);
        options.min_support = random_min_support(random, table);
        options.tolerance = random.one_of({0.001, 0.02, 0.1, 0.3, 0.7, 1.0});
        const Expected expected = by_brute_force(table, options);
        const double optimum = expected.path.back();
        const Outcome first = samrule::solve(table, options);
        const auto other_lists = static_cast<std::uint32_t>(samrule::Bound::table) |
                                 static_cast<std::uint32_t>(samrule::Bound::lists);
        for (const Options& variant : variants(random, options))
            harness::explain(
                [&] {
                    const Outcome outcome = samrule::solve(table, variant);
                    CHECK(std::abs(outcome.cost - cost_of(table, variant, outcome.rules)) < 1e-3);
                    CHECK(outcome.cost >= optimum || is_near(outcome.cost, optimum));
                    CHECK(outcome.lower_bound <= optimum || is_near(outcome.lower_bound, optimum));
                    CHECK(outcome.lower_bound >= (1 - options.tolerance) * outcome.cost - 1e-6);
                    if (outcome.status == Status::optimal) {
                        ++n_optimal;
                        CHECK_EQ(outcome.lower_bound, outcome.cost);
                        CHECK_EQ(outcome.rules, expected.rules);
                    } else {
                        ++n_within;
                        CHECK_EQ(to_string(outcome.status), "within_tolerance");
                        CHECK(outcome.lower_bound < outcome.cost);
                        // A list is taken as it is found if nothing need be proven.
                        const auto lists = static_cast<std::uint32_t>(samrule::Bound::lists);
                        const bool is_searched =
                            options.tolerance < 1 || (variant.disabled_bounds & lists) != 0;
                        CHECK_EQ(outcome.path.size(),
                                 static_cast<std::size_t>(is_searched ? options.max_rules : 0));
                    }
                    for (std::size_t k = 0; k < outcome.path.size(); ++k)
                        CHECK(is_near(outcome.path[k], expected.path[k]));
                    // Without a pair table, or a local search, other lists are known before.
                    if (variant.disabled_bounds & other_lists) return;
                    CHECK_EQ(to_string(outcome.status), to_string(first.status));
                    CHECK_EQ(outcome.rules, first.rules);
                    CHECK_EQ(outcome.cost, first.cost);
                    CHECK_EQ(outcome.lower_bound, first.lower_bound);
                },
                [&] { return described(table, variant); });
    }
    CHECK(n_within > 100);
    CHECK(n_optimal > 100);
}

/// Thresholds on a few noisy numbers: next rules come in clusters that leave much the same rows.
Table table_of_thresholds(Random& random) {
    constexpr std::size_t n_thresholds = 5;
    const auto n_numbers = static_cast<std::size_t>(random.between(3, 5));
    Table table;
    table.n_rows = static_cast<std::size_t>(random.between(60, 400));
    table.n_columns = n_numbers * n_thresholds;
    table.n_classes = random.one_of({2, 2, 3});
    table.bits.assign(table.n_columns * table.words(), 0);
    for (std::size_t row = 0; row < table.n_rows; ++row) {
        int score = random.between(0, 8);
        for (std::size_t number = 0; number < n_numbers; ++number) {
            const int value = random.between(0, 11);
            score += number % 2 == 0 ? value : -value / 2;
            for (std::size_t t = 0; t < n_thresholds; ++t)
                random_tables::set(table, row, number * n_thresholds + t,
                                   value >= static_cast<int>(2 * t + 1));
        }
        table.labels.push_back(std::clamp(score / 8, 0, table.n_classes - 1));
    }
    return table;
}

TEST(clusters_of_next_rules_prove_no_more_than_is_true) {
    Random random(23);
    const int n_trials = harness::scaled(240);
    int n_clustered = 0;
    for (int trial = 0; trial < n_trials; ++trial) {
        const Table table = table_of_thresholds(random);
        Options options = with_kernels();
        options.max_rules = random.between(4, 6);
        options.rule_cost = random.one_of({0.0, 0.3, 1.0});
        options.disabled_bounds = static_cast<std::uint32_t>(samrule::Bound::cluster);
        const Outcome exact = samrule::solve(table, options);
        CHECK_EQ(to_string(exact.status), "optimal");
        options.tolerance = random.one_of({0.02, 0.05, 0.1, 0.2, 0.4});
        // A poor list at the start: the search has to find a better one where there is one.
        if (trial % 2 == 0)
            options.disabled_bounds |= static_cast<std::uint32_t>(samrule::Bound::lists);
        const Outcome without = samrule::solve(table, options);
        options.disabled_bounds &= ~static_cast<std::uint32_t>(samrule::Bound::cluster);
        options.threads = random.one_of({1, 1, 2});
        harness::explain(
            [&] {
                const Outcome with = samrule::solve(table, options);
                CHECK(with.lower_bound <= exact.cost || is_near(with.lower_bound, exact.cost));
                CHECK_EQ(to_string(with.status), to_string(without.status));
                CHECK_EQ(with.rules, without.rules);
                CHECK_EQ(with.lower_bound, without.lower_bound);
                n_clustered += with.n_nodes != without.n_nodes;
            },
            [&] { return described(table, options); });
    }
    CHECK(n_clustered >= n_trials / 8);
}

TEST(what_rules_must_be_worth_in_all_prunes_no_list_that_is_wanted) {
    constexpr auto off = static_cast<std::uint32_t>(samrule::Bound::drop) |
                         static_cast<std::uint32_t>(samrule::Bound::worth);
    Random random(24);
    const int n_trials = harness::scaled(240);
    int n_fewer = 0;
    for (int trial = 0; trial < n_trials; ++trial) {
        const Table table = hard_table(static_cast<std::size_t>(random.between(100, 500)), 20,
                                       random.one_of({2, 2, 3}), random.below(1 << 20));
        Options options = with_kernels();
        options.max_rules = random.between(5, 6);
        options.rule_cost = random.one_of({0.0, 0.3, 1.0, 3.0});
        options.tolerance = random.one_of({0.0, 0.0, 0.05, 0.2});
        if (trial % 2 == 0)
            options.disabled_bounds |= static_cast<std::uint32_t>(samrule::Bound::lists);
        const Outcome with = samrule::solve(table, options);
        options.threads = random.one_of({1, 1, 2});
        options.disabled_bounds |= off;
        harness::explain(
            [&] {
                const Outcome without = samrule::solve(table, options);
                CHECK_EQ(to_string(with.status), to_string(without.status));
                CHECK_EQ(with.rules, without.rules);
                CHECK_EQ(with.cost, without.cost);
                CHECK_EQ(with.lower_bound, without.lower_bound);
                n_fewer += with.n_nodes < without.n_nodes;
            },
            [&] { return described(table, options); });
    }
    CHECK(n_fewer >= n_trials / 8);
}

TEST(a_bound_is_known_before_the_last_level_is_reached) {
    const Table table = hard_table(3000, 60, 2, 22);
    Options options = hard_question();
    options.ladder_after = 0;
    std::vector<double> bounds;
    options.poll = [&](const Progress& progress) {
        bounds.push_back(progress.lower_bound);
        return progress.lower_bound > 0.45 * progress.incumbent;
    };
    const Outcome outcome = samrule::solve(table, options);
    CHECK_EQ(to_string(outcome.status), "interrupted");
    CHECK(outcome.lower_bound > 0.45 * outcome.cost);
    CHECK(outcome.path.size() < static_cast<std::size_t>(options.max_rules));
}

TEST(a_poll_that_says_so_interrupts_the_search) {
    const Table table = hard_table(3000, 100, 3, 12);
    for (const int threads : {1, 2, 5})
        for (const int n_polls : {1, 4}) {
            Options options = hard_question();
            options.threads = threads;
            int n = 0;
            const std::thread::id caller = std::this_thread::get_id();
            bool on_caller = true;
            options.poll = [&](const Progress&) {
                on_caller &= std::this_thread::get_id() == caller;
                return ++n >= n_polls;
            };
            const auto start = std::chrono::steady_clock::now();
            const Outcome outcome = samrule::solve(table, options);
            CHECK_EQ(to_string(outcome.status), "interrupted");
            CHECK(seconds_since(start) < 10);
            CHECK(on_caller);
            CHECK(n >= n_polls);
            check_claims(table, options, outcome);
        }
}

TEST(progress_never_goes_back) {
    const Table table = hard_table(2000, 60, 2, 13);
    Options options = hard_question();
    options.threads = 2;
    options.time_limit = 0.7;
    std::vector<Progress> seen;
    options.poll = [&](const Progress& progress) {
        seen.push_back(progress);
        return false;
    };
    const Outcome outcome = samrule::solve(table, options);
    CHECK(seen.size() > 3);
    for (std::size_t k = 0; k < seen.size(); ++k) {
        CHECK(seen[k].share >= 0 && seen[k].share <= 1);
        CHECK(seen[k].lower_bound <= seen[k].incumbent);
        CHECK(seen[k].incumbent >= outcome.cost);
        CHECK(seen[k].lower_bound <= outcome.cost);
        if (k == 0) continue;
        CHECK(seen[k].share >= seen[k - 1].share);
        CHECK(seen[k].elapsed >= seen[k - 1].elapsed);
        CHECK(seen[k].incumbent <= seen[k - 1].incumbent);
        CHECK(seen[k].lower_bound >= seen[k - 1].lower_bound);
    }
}

TEST(a_memory_limit_stops_the_search_with_a_valid_bound) {
    const Table table = hard_table(500, 14, 2, 14);
    Options options = with_kernels();
    options.max_rules = 5;
    options.rule_cost = 2;
    const Outcome optimum = samrule::solve(table, options);
    CHECK_EQ(to_string(optimum.status), "optimal");
    bool reached = false, kept = false;
    for (const int threads : {1, 3})
        for (std::size_t limit = 1; limit < std::size_t{64} << 20; limit += 1 + limit / 3) {
            options.threads = threads;
            options.memory_limit = limit;
            const Outcome outcome = samrule::solve(table, options);
            CHECK(outcome.status == Status::optimal || outcome.status == Status::memory_limit);
            (outcome.status == Status::optimal ? kept : reached) = true;
            harness::explain(
                [&] {
                    check_claims(table, options, outcome);
                    CHECK(outcome.lower_bound <= optimum.cost);
                    CHECK(outcome.cost >= optimum.cost);
                    if (outcome.status == Status::optimal) CHECK_EQ(outcome.rules, optimum.rules);
                },
                [&] { return "  memory_limit " + std::to_string(limit); });
        }
    CHECK(reached);
    CHECK(kept);
}

TEST(a_survey_never_takes_memory_that_the_search_needs) {
    const Table table = hard_table(150, 30, 2, 20);
    Options options = with_kernels();
    options.max_rules = 4;
    options.rule_cost = 2;
    int n_optimal = 0;
    for (std::size_t limit = 1 << 15; limit < std::size_t{1} << 18; limit += limit / 30) {
        options.memory_limit = limit;
        options.disabled_bounds = static_cast<std::uint32_t>(samrule::Bound::survey);
        const Outcome without = samrule::solve(table, options);
        if (without.status != Status::optimal) continue;
        ++n_optimal;
        options.disabled_bounds = 0;
        const Outcome with = samrule::solve(table, options);
        CHECK_EQ(to_string(with.status), "optimal");
        CHECK_EQ(with.rules, without.rules);
    }
    CHECK(n_optimal > 10);
}

TEST(small_tables_get_the_answer_of_brute_force_with_hardly_any_memory) {
    // Then pair counts are not kept, and the search goes on without them at several levels.
    Random random(19);
    int n_optimal = 0;
    const int n_trials = harness::scaled(1500);
    for (int trial = 0; trial < n_trials; ++trial) {
        const Table table = random_tables::nasty_table(
            random, static_cast<std::size_t>(random.between(5, 24)),
            static_cast<std::size_t>(random.between(5, 24)), random.one_of({2, 3}),
            random.one_of<std::uint32_t>({0, 4, 1000}));
        Options options = with_kernels();
        options.max_rules = random.between(2, 4);
        options.rule_cost = std::floor(1024 * random_rule_cost(random, table)) / 1024;
        options.min_support = random_min_support(random, table);
        if (trial % 2 == 1) choose_price(random, table.n_classes, options);
        const Expected expected = by_brute_force(table, options);
        for (const std::size_t limit : {1 << 12, 1 << 14, 1 << 15, 1 << 16, 1 << 17}) {
            options.memory_limit = limit + random.below(limit);
            options.threads = random.between(1, 3);
            const Outcome outcome = samrule::solve(table, options);
            harness::explain(
                [&] {
                    check_claims(table, options, outcome);
                    CHECK(outcome.lower_bound <= expected.path.back() + 1e-6);
                    CHECK(outcome.cost >= expected.path.back() - 1e-6);
                    if (outcome.status != Status::optimal) return;
                    ++n_optimal;
                    CHECK_EQ(outcome.rules, expected.rules);
                },
                [&] {
                    return "  memory_limit " + std::to_string(options.memory_limit) + "\n" +
                           described(table, options);
                });
        }
    }
    CHECK(n_optimal > n_trials);
}

TEST(a_tiny_memory_limit_is_reported) {
    Options options = with_kernels();
    options.memory_limit = 1;
    const Table table = hard_table(200, 10, 3, 15);
    const Outcome outcome = samrule::solve(table, options);
    CHECK_EQ(to_string(outcome.status), "memory_limit");
    check_claims(table, options, outcome);
}

TEST(searches_at_the_same_time_do_not_disturb_each_other) {
    Random random(16);
    for (int trial = 0; trial < harness::scaled(20); ++trial) {
        const Table tables[2] = {random_tables::nasty_table(random, 300, 16, 2, 0),
                                 random_tables::nasty_table(random, 300, 16, 3, 5)};
        Options options = with_kernels();
        options.rule_cost = 1;
        options.threads = 2;
        Outcome together[2];
        std::thread other([&] { together[1] = samrule::solve(tables[1], options); });
        together[0] = samrule::solve(tables[0], options);
        other.join();
        for (std::size_t k = 0; k < 2; ++k) {
            const Outcome alone = samrule::solve(tables[k], options);
            CHECK_EQ(together[k].rules, alone.rules);
            CHECK_EQ(together[k].path, alone.path);
        }
    }
}
