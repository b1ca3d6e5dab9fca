// Rows given back: what follows some rules costs no less than what follows all of them but one
// says, and long lists are found and proven as without that.
#include <algorithm>
#include <limits>
#include <vector>

#include "given_back.hpp"
#include "harness.hpp"
#include "node.hpp"
#include "random_tables.hpp"
#include "samrule/instance.hpp"

using harness::Random;
using samrule::Bound;
using samrule::Cost;
using samrule::Instance;
using samrule::Options;
using samrule::Outcome;
using samrule::State;
using samrule::Table;
using samrule::Word;

namespace {

constexpr auto given_back = static_cast<std::uint32_t>(Bound::given_back);

std::vector<Word> without(const State& state, std::vector<Word> rows, std::int32_t rule) {
    const Word* covered = state.instance.candidate(static_cast<std::size_t>(rule));
    for (std::size_t w = 0; w < rows.size(); ++w) rows[w] &= ~covered[w];
    return rows;
}

/// What one rule or a default costs that decides the rows of `a` that are not in `b`.
Cost cost_of(const State& state, const std::vector<Word>& a, const std::vector<Word>& b) {
    std::vector<std::int64_t> weight(static_cast<std::size_t>(state.instance.n_classes), 0);
    for (const samrule::Segment& s : state.instance.segments)
        for (std::size_t slot = 0; slot < s.n_slots; ++slot) {
            const std::size_t w = s.first_word + slot / 64;
            if ((a[w] & ~b[w]) >> (slot % 64) & 1)
                weight[static_cast<std::size_t>(s.klass)] += s.weight;
        }
    return state.pricing.group(weight).cost;
}

/// The least cost of at most `rules` rules and a default on `rows`.
Cost least_cost(const State& state, const std::vector<Word>& rows, int rules) {
    Cost least = cost_of(state, rows, std::vector<Word>(rows.size(), 0));
    if (rules == 0) return least;
    for (std::size_t i = 0; i < state.instance.n_candidates(); ++i) {
        const std::vector<Word> left = without(state, rows, static_cast<std::int32_t>(i));
        least = std::min(least, state.rule_cost + cost_of(state, rows, left) +
                                    least_cost(state, left, rules - 1));
    }
    return least;
}

/// Questions about long lists, whose prefixes are tightened from the first subproblem on.
Options long_question(Random& random) {
    Options options;
    options.kernels = samrule::find_kernels("");
    options.memory_limit = std::size_t{32} << 20;
    options.max_rules = random.between(6, 7);
    options.rule_cost = random.one_of({0.0, 0.3, 1.0, 3.0});
    options.tolerance = random.one_of({0.0, 0.0, 0.0, 0.05, 0.2});
    options.tighten_after = 0;
    options.ladder_after = random.one_of({0.0, 0.3});
    if (random.chance(0.3)) options.brier_share = random.one_of({0.5, 1.0});
    if (random.chance(0.5)) options.disabled_bounds |= static_cast<std::uint32_t>(Bound::lists);
    return options;
}

}  // namespace

TEST(nothing_costs_less_than_with_rows_given_back) {
    Random random(20261119);
    int n_tight = 0;
    for (int round = 0; round < harness::scaled(1200); ++round) {
        const Table table =
            random_tables::nasty_table(random, 20 + random.below(100), 8, random.between(2, 3),
                                       random.one_of<std::uint32_t>({0, 0, 5}));
        Options options;
        options.kernels = samrule::find_kernels("");
        options.rule_cost = random.one_of({0.0, 0.5, 2.0});
        options.brier_share = random.one_of({0.0, 0.0, 1.0});
        Instance instance;
        samrule::StopSign stop;
        CHECK(samrule::build_instance(table, {.max_terms = 1, .stop = &stop}, instance));
        if (instance.n_candidates() < 4) continue;
        samrule::Team team(1);
        const samrule::Pricing pricing(options, table.n_classes, 0);
        State state(instance, options, pricing, team, stop, 1 << 12);
        std::vector<Word> all(instance.words, 0);
        for (const samrule::Segment& s : instance.segments)
            for (std::size_t slot = 0; slot < s.n_slots; ++slot)
                all[s.first_word + slot / 64] |= Word{1} << (slot % 64);
        std::vector<std::int32_t> prefix;
        const std::size_t n_first = 1 + random.below(4);
        for (std::size_t k = 0; k < n_first; ++k)
            prefix.push_back(static_cast<std::int32_t>(random.below(instance.n_candidates())));
        const int rules = random.between(0, 2);
        std::vector<Word> left = all;
        for (const std::int32_t rule : prefix) left = without(state, left, rule);
        const std::size_t forgotten = random.below(8);
        for (std::size_t out = 0; out < n_first; ++out) {
            std::vector<Word> others = all;
            for (std::size_t k = 0; k < n_first; ++k)
                if (k != out) others = without(state, others, prefix[k]);
            if (out != forgotten)
                state.cache.store(samrule::key_of(others), rules, least_cost(state, others, rules));
        }
        samrule::GivenBackSpace space;
        constexpr Cost no_limit = std::numeric_limits<Cost>::max();
        const Cost bound = cost_by_rows_given_back(state, all, prefix, rules, no_limit, space);
        const Cost least = least_cost(state, left, rules);
        CHECK(bound <= least);
        n_tight += bound == least && least > 0;
        // It may stop at what is wanted, and not before.
        const Cost wanted = bound / 2;
        const Cost enough = cost_by_rows_given_back(state, all, prefix, rules, wanted, space);
        CHECK(enough >= wanted && enough <= least);
    }
    CHECK(n_tight >= harness::scaled(1200) / 20);
}

TEST(long_lists_are_the_same_with_rows_given_back) {
    Random random(20261120);
    const int n_trials = harness::scaled(160);
    int n_fewer = 0;
    for (int trial = 0; trial < n_trials; ++trial) {
        const auto n_rows = static_cast<std::size_t>(random.between(60, 400));
        const auto n_columns = static_cast<std::size_t>(random.between(8, 16));
        const Table table =
            trial % 2 == 0
                ? random_tables::plain_table(random, n_rows, n_columns, random.between(2, 3))
                : random_tables::nasty_table(random, n_rows, n_columns, random.between(2, 3),
                                             random.one_of<std::uint32_t>({0, 3, 300}));
        Options options = long_question(random);
        const Outcome with = samrule::solve(table, options);
        Options other = options;
        other.threads = random.one_of({1, 2, 5});
        const bool is_same_question = trial % 4 == 0;
        if (!is_same_question) other.disabled_bounds |= given_back;
        harness::explain(
            [&] {
                const Outcome without = samrule::solve(table, other);
                CHECK_EQ(to_string(with.status), to_string(without.status));
                CHECK_EQ(with.rules, without.rules);
                CHECK_EQ(with.cost, without.cost);
                CHECK_EQ(with.lower_bound, without.lower_bound);
                CHECK_EQ(with.path, without.path);
                n_fewer += !is_same_question && with.n_nodes < without.n_nodes;
            },
            [&] {
                return random_tables::described(table) + "  max_rules " +
                       std::to_string(options.max_rules) + ", rule_cost " +
                       harness::shown(options.rule_cost) + ", tolerance " +
                       harness::shown(options.tolerance) + ", disabled_bounds " +
                       std::to_string(other.disabled_bounds);
            });
    }
    CHECK(n_fewer >= n_trials / 40);
}

TEST(work_limits_stop_long_searches_at_the_same_step) {
    Random random(20261121);
    for (int trial = 0; trial < harness::scaled(60); ++trial) {
        const Table table = random_tables::plain_table(
            random, static_cast<std::size_t>(random.between(100, 400)), 16, 2);
        Options options = long_question(random);
        options.work_limit = static_cast<std::uint64_t>(1) << random.between(16, 26);
        const Outcome one = samrule::solve(table, options);
        options.threads = 3;
        const Outcome three = samrule::solve(table, options);
        CHECK_EQ(to_string(one.status), to_string(three.status));
        CHECK_EQ(one.rules, three.rules);
        CHECK_EQ(one.lower_bound, three.lower_bound);
        CHECK_EQ(one.n_nodes, three.n_nodes);
    }
}
