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

Found by_pairs(const Table& table, const Options& options) {
    Instance instance;
    samrule::StopSign stop;
    CHECK(samrule::build_instance(table, {options.max_terms, true, SIZE_MAX, &stop}, instance));
    samrule::Team team(options.threads);
    samrule::State state(instance, options, team, stop, 1 << 10);
    const auto& weight = instance.class_weight;
    state.offer(std::min(weight[0], weight[1]) * samrule::unit, {}, {});
    Found found;
    samrule::ConjunctionSearch search(
        state, [&](Cost bound) { found.last_bound = in_weight(instance, bound); });
    for (int rules = 0; rules <= options.max_rules; ++rules) {
        search.solve(rules, state.best());
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
    // Classes that the conditions say something about.
    for (std::size_t row = 0; row < n_rows; ++row)
        if (random.chance(0.8))
            table.labels[row] = random_tables::holds(table, row, 0) !=
                                random_tables::holds(table, row, n_columns - 1);
    return table;
}

void check_tables(std::uint64_t seed, int n_tables, int max_rows, int max_columns,
                  std::initializer_list<int> max_rules, std::initializer_list<int> max_terms) {
    Random random(seed);
    for (int trial = 0; trial < harness::scaled(n_tables); ++trial) {
        const Table table =
            table_with_lookalikes(random, static_cast<std::size_t>(random.between(2, max_rows)),
                                  static_cast<std::size_t>(random.between(2, max_columns)));
        Options options;
        const auto kernels = samrule::available_kernels();
        options.kernels = kernels[random.below(kernels.size())];
        options.max_rules = random.one_of(max_rules);
        options.max_terms = random.one_of(max_terms);
        options.threads = random.one_of({1, 1, 2});
        options.rule_cost = random.one_of({0.0, 0.25, 0.5, 1.0, 1.5, 3.0});
        const Outcome expected = samrule::solve(table, options);
        for (const auto off : {0U, static_cast<std::uint32_t>(samrule::Bound::drop),
                               static_cast<std::uint32_t>(samrule::Bound::pair),
                               static_cast<std::uint32_t>(samrule::Bound::triple),
                               static_cast<std::uint32_t>(samrule::Bound::sibling)}) {
            options.disabled_bounds = off;
            harness::explain(
                [&] {
                    const Found found = by_pairs(table, options);
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

TEST(lists_of_long_tables_are_found) { check_tables(3, 100, 400, 8, {3, 4}, {2}); }
