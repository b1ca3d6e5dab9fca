// The solver against brute force, with any threads, kernels and bounds.
#include <algorithm>
#include <cmath>
#include <thread>

#include "questions.hpp"

using namespace questions;

namespace {

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
