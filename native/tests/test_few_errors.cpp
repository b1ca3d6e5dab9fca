// Lists made by inserting the rule that corrects most, against the search as a tree.
#include <algorithm>
#include <cmath>

#include "few_errors.hpp"
#include "harness.hpp"
#include "random_tables.hpp"
#include "samrule/instance.hpp"
#include "samrule/solver.hpp"

using harness::Random;
using samrule::Bound;
using samrule::Cost;
using samrule::CostedList;
using samrule::Options;
using samrule::Outcome;
using samrule::Table;
using samrule::Terms;

namespace {

/// The best list of exactly so many rules that costs at most `limit`, if there is one.
std::vector<Terms> best_within(const Table& table, const Options& options, double limit) {
    samrule::Instance instance;
    samrule::StopSign stop;
    CHECK(samrule::build_instance(table, {options.max_terms, true, SIZE_MAX, &stop}, instance));
    samrule::Team team(options.threads);
    const samrule::Pricing pricing(options, table.n_classes, 0);
    samrule::State state(instance, options, pricing, team, stop, 1 << 10);
    const samrule::Conjunctions all = samrule::conjunctions_of(instance, instance.n_candidates());
    samrule::Counts counts;
    samrule::CandidateCounter(state.kernels).count(all.rows, all.language, 0, counts);
    const double beyond = limit - static_cast<double>(instance.unavoidable_errors);
    samrule::Wanted wanted(std::llround(beyond * static_cast<double>(samrule::unit)));
    samrule::find_with_few_errors(state, {all.rows, all.language, counts}, options.max_rules,
                                  wanted);
    std::vector<Terms> rules;
    if (wanted.found())
        for (const std::int32_t i : wanted.best().rules)
            rules.push_back(instance.terms[static_cast<std::size_t>(i)]);
    return rules;
}

/// A table in which lists of some conjunctions are right on most rows.
Table planted_table(Random& random, std::size_t n_rows, std::size_t n_columns) {
    Table table = random_tables::nasty_table(random, n_rows, n_columns, 2,
                                             random.one_of<std::uint32_t>({0, 0, 3, 40}));
    std::vector<Terms> rules(random.below(5));
    for (Terms& rule : rules) {
        rule.resize(1 + random.below(2));
        for (std::int32_t& term : rule) term = static_cast<std::int32_t>(random.below(n_columns));
    }
    std::vector<std::int32_t> predicted;
    for (std::size_t r = 0; r <= rules.size(); ++r)
        predicted.push_back(static_cast<std::int32_t>(random.below(2)));
    const double noise = random.one_of({0.0, 0.02, 0.1, 0.5});
    for (std::size_t row = 0; row < n_rows; ++row) {
        std::size_t r = 0;
        while (r < rules.size() && !random_tables::matches(table, row, rules[r])) ++r;
        if (!random.chance(noise)) table.labels[row] = predicted[r];
    }
    return table;
}

void check_tables(std::uint64_t seed, int n_tables, int max_rows, int max_columns,
                  std::initializer_list<int> max_rules, std::initializer_list<int> max_terms) {
    Random random(seed);
    for (int trial = 0; trial < harness::scaled(n_tables); ++trial) {
        const Table table =
            planted_table(random, static_cast<std::size_t>(random.between(2, max_rows)),
                          static_cast<std::size_t>(random.between(2, max_columns)));
        Options options = random_tables::options(random, max_rules, max_terms);
        const Outcome expected = samrule::solve(table, options);
        const double cost = expected.cost;
        const bool is_needed = expected.rules.size() == static_cast<std::size_t>(options.max_rules);
        const double limit = cost + random.one_of({0.0, 0.0, 0.3, 1.0, 2.0, 5.0});
        for (const auto off :
             {0U, static_cast<std::uint32_t>(Bound::pair), static_cast<std::uint32_t>(Bound::order),
              static_cast<std::uint32_t>(Bound::twins)}) {
            options.disabled_bounds = off;
            harness::explain(
                [&] {
                    if (is_needed) {
                        CHECK_EQ(best_within(table, options, limit), expected.rules);
                        CHECK(best_within(table, options, cost - 1e-6).empty());
                    }
                },
                [&] {
                    return "  max_rules " + std::to_string(options.max_rules) + ", max_terms " +
                           std::to_string(options.max_terms) + ", rule_cost " +
                           harness::shown(options.rule_cost) + ", limit " + harness::shown(limit) +
                           ", without " + std::to_string(off) + "\n  " +
                           random_tables::described(table);
                });
        }
    }
}

}  // namespace

TEST(few_rules_are_found) { check_tables(1, 3000, 40, 6, {1, 2, 3}, {1, 2, 3}); }

TEST(four_rules_and_more_are_found) { check_tables(2, 2000, 60, 6, {4, 4, 5}, {1, 2}); }

TEST(lists_of_long_tables_are_found) { check_tables(3, 200, 400, 9, {3, 4, 5}, {1, 2}); }

/// Nearly half a per cent of the rows wrong: the whole search takes this way.
TEST(solve_finds_the_same_with_and_without) {
    Random random(4);
    for (int trial = 0; trial < harness::scaled(60); ++trial) {
        Table table = random_tables::nasty_table(random, 600, 12, 2, 0);
        for (std::size_t row = 0; row < table.n_rows; ++row) {
            const auto holds = [&](std::size_t c) { return random_tables::holds(table, row, c); };
            const bool label = (holds(0) && holds(1)) || (!holds(2) && holds(3)) ||
                               (holds(4) && holds(5)) || (!holds(2) && holds(6) && holds(7));
            table.labels[row] = label != random.chance(0.003);
        }
        Options options;
        options.kernels = samrule::available_kernels().back();
        options.max_rules = random.between(4, 5);
        options.max_terms = 2;
        options.rule_cost = random.one_of({0.0, 0.05, 0.5});
        options.threads = random.between(1, 2);
        options.disabled_bounds = static_cast<std::uint32_t>(Bound::tree);
        const Outcome with = samrule::solve(table, options);
        options.disabled_bounds |= static_cast<std::uint32_t>(Bound::insertion);
        const Outcome without = samrule::solve(table, options);
        CHECK_EQ(with.path, without.path);
        CHECK_EQ(with.rules, without.rules);
    }
}
