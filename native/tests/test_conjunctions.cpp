// The search for conjunctions, without good lists to start from, against the search as a tree.
#include <algorithm>
#include <cmath>

#include "conjunction_search.hpp"
#include "harness.hpp"
#include "random_tables.hpp"
#include "samrule/instance.hpp"
#include "samrule/solver.hpp"

using harness::Random;
using samrule::Cost;
using samrule::Instance;
using samrule::Options;
using samrule::Outcome;
using samrule::Table;
using samrule::Terms;

namespace {

struct Found {
    std::vector<double> path;
    std::vector<std::vector<Terms>> lists;  ///< of at most 0, 1, 2, ... rules
    double last_bound = 0;                  ///< what was proven before the last step
};

double in_weight(const Instance& instance, Cost cost) {
    return static_cast<double>(instance.unavoidable_errors) +
           static_cast<double>(cost) / static_cast<double>(samrule::unit);
}

/// With `least`, the least cost of at most 0, 1, 2, ... rules is known: only lists that cost no
/// more are looked for, as when the list to start from is as good.
Found by_pairs(const Table& table, const Options& options,
               const std::vector<double>* least = nullptr) {
    Instance instance;
    samrule::StopSign stop;
    CHECK(samrule::build_instance(table, {options.max_terms, true, SIZE_MAX, &stop}, instance));
    samrule::Team team(options.threads);
    const samrule::Pricing pricing(options, table.n_classes, 0);
    samrule::State state(instance, options, pricing, team, stop, 1 << 10);
    const auto& weight = instance.class_weight;
    state.offer(std::min(weight[0], weight[1]) * samrule::unit, {}, {});
    Found found;
    samrule::ConjunctionSearch search(
        state, {[&](Cost bound) { found.last_bound = in_weight(instance, bound); },
                [] { return 0.0; },
                {}});
    for (int rules = 0; rules <= options.max_rules; ++rules) {
        const Cost fewer = state.best();
        if (least != nullptr)
            state.aim_below(std::llround(((*least)[static_cast<std::size_t>(rules)] -
                                          static_cast<double>(instance.unavoidable_errors)) *
                                         static_cast<double>(samrule::unit)));
        search.solve(rules, fewer);
        found.path.push_back(in_weight(instance, state.best()));
        found.lists.emplace_back();
        for (const std::int32_t i : search.first_list(rules))
            found.lists.back().push_back(instance.terms[static_cast<std::size_t>(i)]);
    }
    return found;
}

/// Some conditions, and copies of them that differ in few rows: what clusters are made of.
Table table_with_lookalikes(Random& random, std::size_t n_rows, std::size_t n_columns) {
    Table table = random_tables::nasty_table(random, n_rows, n_columns, 2,
                                             random.one_of<std::uint32_t>({0, 0, 0, 3, 40}));
    for (std::size_t j = 1 + random.below(3); j < n_columns; ++j) {
        if (random.chance(0.4)) continue;
        const std::size_t other = random.below(j);
        const double flipped = random.one_of({0.01, 0.03, 0.06});
        for (std::size_t row = 0; row < n_rows; ++row)
            random_tables::set(table, row, j,
                               random_tables::holds(table, row, other) != random.chance(flipped));
    }
    // Classes that the conditions say something about: that two are unlike, or one of the ways in
    // which three rules predict.
    const std::uint64_t kind = random.below(8), swapped = random.below(2);
    const std::size_t columns[] = {random.below(n_columns), random.below(n_columns),
                                   random.below(n_columns)};
    for (std::size_t row = 0; row < n_rows; ++row) {
        const auto holds = [&](std::size_t j) { return random_tables::holds(table, row, j); };
        const bool a = holds(columns[0]), b = holds(columns[1]), c = holds(columns[2]);
        const bool predicted[] = {a || b || c, (b || c) && !a, a || (c && !b), c && !a && !b};
        if (random.chance(0.8))
            table.labels[row] =
                kind < 4 ? predicted[kind] != (swapped == 1) : holds(0) != holds(n_columns - 1);
    }
    return table;
}

void check_tables(std::uint64_t seed, int n_tables, int max_rows, int max_columns,
                  std::initializer_list<int> max_rules, std::initializer_list<int> max_terms,
                  std::size_t memory_limit = Options{}.memory_limit, bool knows_costs = false) {
    Random random(seed);
    for (int trial = 0; trial < harness::scaled(n_tables); ++trial) {
        const Table table =
            table_with_lookalikes(random, static_cast<std::size_t>(random.between(2, max_rows)),
                                  static_cast<std::size_t>(random.between(2, max_columns)));
        Options options = random_tables::options(random, max_rules, max_terms);
        const Outcome expected = samrule::solve(table, options);
        options.memory_limit = memory_limit;
        for (const auto off : {0U, static_cast<std::uint32_t>(samrule::Bound::drop),
                               static_cast<std::uint32_t>(samrule::Bound::pair),
                               static_cast<std::uint32_t>(samrule::Bound::triple),
                               static_cast<std::uint32_t>(samrule::Bound::order),
                               static_cast<std::uint32_t>(samrule::Bound::twins),
                               static_cast<std::uint32_t>(samrule::Bound::sibling),
                               static_cast<std::uint32_t>(samrule::Bound::worth),
                               static_cast<std::uint32_t>(samrule::Bound::pivots)}) {
            options.disabled_bounds = off;
            harness::explain(
                [&] {
                    const Found found =
                        by_pairs(table, options, knows_costs ? &expected.path : nullptr);
                    CHECK_EQ(found.path, expected.path);
                    CHECK(found.last_bound <= expected.cost);
                    const auto fewest =
                        std::find(found.path.begin(), found.path.end(), found.path.back());
                    CHECK_EQ(found.lists[static_cast<std::size_t>(fewest - found.path.begin())],
                             expected.rules);
                },
                [&] {
                    return "  max_rules " + std::to_string(options.max_rules) + ", max_terms " +
                           std::to_string(options.max_terms) + ", rule_cost " +
                           harness::shown(options.rule_cost) + ", without " + std::to_string(off) +
                           "\n  " + random_tables::described(table);
                });
        }
    }
}

}  // namespace

TEST(few_rules_are_found) { check_tables(1, 1500, 40, 7, {1, 2, 3}, {1, 2, 3}); }

TEST(four_rules_and_more_are_found) { check_tables(2, 2000, 90, 6, {4, 4, 5}, {1, 2}); }

namespace {

/// Tables whose classes follow three rules, but for some rows.
void check_noisy_tables(std::uint64_t seed, int n_tables, int max_rules, int most_rows,
                        int most_columns, std::initializer_list<bool> knows_costs) {
    Random random(seed);
    for (int trial = 0; trial < harness::scaled(n_tables); ++trial) {
        const auto n_columns = static_cast<std::size_t>(random.between(6, most_columns));
        Table table = random_tables::nasty_table(
            random, static_cast<std::size_t>(random.between(60, most_rows)), n_columns, 2, 0);
        for (std::size_t row = 0; row < table.n_rows; ++row) {
            const auto holds = [&](std::size_t c) { return random_tables::holds(table, row, c); };
            const bool label = (holds(0) && holds(1)) || (holds(2) && !holds(3)) ||
                               (holds(4) && holds(n_columns - 1));
            if (!random.chance(0.15)) table.labels[row] = label;
        }
        Options options;
        options.kernels = samrule::available_kernels().back();
        options.max_rules = max_rules;
        options.max_terms = 2;
        options.rule_cost = random.one_of({0.0, 0.5, 2.0});
        const Outcome expected = samrule::solve(table, options);
        for (const bool knows : knows_costs)
            harness::explain(
                [&] {
                    const Found found = by_pairs(table, options, knows ? &expected.path : nullptr);
                    CHECK_EQ(found.path, expected.path);
                    const auto fewest =
                        std::find(found.path.begin(), found.path.end(), found.path.back());
                    CHECK_EQ(found.lists[static_cast<std::size_t>(fewest - found.path.begin())],
                             expected.rules);
                },
                [&] { return "  " + random_tables::described(table); });
    }
}

}  // namespace

/// Clusters of many members that err on different weights: a search of one that is ended early has
/// not found its best list, and refutes none of them.
TEST(four_rules_of_noisy_tables_are_found) { check_noisy_tables(7, 150, 4, 500, 16, {false}); }

/// Three rules after a cluster say what each of four must be worth there.
TEST(five_rules_of_noisy_tables_are_found) {
    check_noisy_tables(13, 150, 5, 200, 8, {false, true});
}

TEST(lists_are_found_without_memory_for_a_table) {
    check_tables(5, 300, 60, 6, {3, 3, 4, 5}, {1, 2, 3}, 1);
    check_tables(9, 120, 300, 8, {3, 3, 4}, {1, 2, 2, 3}, 1, true);
}

/// But for the rows of large rules, which are refuted in groups.
TEST(lists_are_found_by_groups_of_large_rules) {
    constexpr std::size_t little = 100'000;
    check_tables(11, 200, 60, 8, {3, 3, 4}, {2, 3}, little);
    check_tables(12, 120, 300, 9, {3, 3, 4}, {2, 3}, little, true);
}

/// Then rules must classify so much correctly that groups of lookalikes are formed.
TEST(lists_whose_cost_is_known_are_found) {
    check_tables(6, 120, 300, 8, {3, 3, 4}, {1, 2, 2, 3}, Options{}.memory_limit, true);
    check_tables(8, 60, 90, 6, {4, 5}, {1, 2}, Options{}.memory_limit, true);
}

TEST(lists_of_long_tables_are_found) { check_tables(3, 100, 400, 8, {3, 4}, {2}); }

namespace {

/// A table whose search for four conjunctions takes a while.
Table long_table(Random& random) {
    Table table = table_with_lookalikes(random, 600, 26);
    for (std::size_t row = 0; row < table.n_rows; ++row)
        if (random.chance(0.3)) table.labels[row] = random.chance(0.5);
    return table;
}

Options by_conjunctions(int max_rules, int max_terms) {
    Options options;
    options.kernels = samrule::available_kernels().back();
    options.max_rules = max_rules;
    options.max_terms = max_terms;
    options.rule_cost = 0.5;
    options.disabled_bounds = static_cast<std::uint32_t>(samrule::Bound::tree);
    return options;
}

}  // namespace

TEST(a_tolerance_is_honoured) {
    Random random(4);
    for (int trial = 0; trial < harness::scaled(400); ++trial) {
        const Table table =
            table_with_lookalikes(random, static_cast<std::size_t>(random.between(2, 90)),
                                  static_cast<std::size_t>(random.between(2, 6)));
        Options options = by_conjunctions(random.between(1, 5), random.between(1, 2));
        options.rule_cost = random.one_of({0.0, 0.5, 1.5});
        const Outcome expected = samrule::solve(table, options);
        options.tolerance = random.one_of({0.01, 0.1, 0.3, 0.7, 1.0});
        options.threads = random.one_of({1, 2});
        harness::explain(
            [&] {
                const Outcome outcome = samrule::solve(table, options);
                CHECK(outcome.lower_bound <= expected.cost + 1e-6);
                CHECK(outcome.lower_bound >= (1 - options.tolerance) * outcome.cost - 1e-6);
                const bool optimal = outcome.status == samrule::Status::optimal;
                CHECK(optimal || outcome.status == samrule::Status::within_tolerance);
                if (optimal) CHECK_EQ(outcome.rules, expected.rules);
            },
            [&] {
                return "  tolerance " + harness::shown(options.tolerance) + "\n  " +
                       random_tables::described(table);
            });
    }
}

TEST(threads_change_nothing) {
    Random random(5);
    for (int trial = 0; trial < harness::scaled(6); ++trial) {
        const Table table = long_table(random);
        Options options = by_conjunctions(random.between(3, 4), 2);
        options.tolerance = random.one_of({0.0, 0.05, 0.4});
        const Outcome one = samrule::solve(table, options);
        for (const int threads : {2, 5}) {
            options.threads = threads;
            const Outcome many = samrule::solve(table, options);
            CHECK_EQ(many.rules, one.rules);
            CHECK_EQ(many.cost, one.cost);
            CHECK_EQ(many.lower_bound, one.lower_bound);
            CHECK_EQ(many.path, one.path);
        }
    }
}

TEST(limits_of_time_and_memory_stop_it_with_a_valid_bound) {
    Random random(6);
    const Table table = long_table(random);
    Options options = by_conjunctions(4, 2);
    const Outcome expected = samrule::solve(table, options);
    CHECK_EQ(to_string(expected.status), "optimal");
    const auto check = [&] {
        const Outcome outcome = samrule::solve(table, options);
        CHECK(outcome.lower_bound <= expected.cost);
        CHECK(outcome.cost >= expected.cost);
        return outcome.status;
    };
    for (const double time_limit : {0.0, 0.001, 0.01, 0.05, 0.2}) {
        options.time_limit = time_limit;
        const samrule::Status status = check();
        CHECK(status == samrule::Status::time_limit || status == samrule::Status::optimal);
    }
    options.time_limit = 100;
    for (const std::size_t limit : {1 << 16, 1 << 18, 1 << 20, 1 << 21, 1 << 22, 1 << 23}) {
        options.memory_limit = limit;
        const samrule::Status status = check();
        CHECK(status == samrule::Status::memory_limit || status == samrule::Status::optimal);
    }
}
