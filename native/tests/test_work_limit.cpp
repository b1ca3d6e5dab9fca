// A limit on work ends a search at the same step on every machine: the same list, bound and status
// for any threads and kernels.
#include "harness.hpp"
#include "random_tables.hpp"
#include "samrule/solver.hpp"

using harness::Random;
using samrule::Bound;
using samrule::Options;
using samrule::Outcome;
using samrule::Status;
using samrule::Table;

namespace {

std::uint32_t without(std::initializer_list<Bound> bounds) {
    std::uint32_t mask = 0;
    for (const Bound bound : bounds) mask |= static_cast<std::uint32_t>(bound);
    return mask;
}

Options random_question(Random& random) {
    Options options;
    options.kernels = samrule::find_kernels("");
    options.memory_limit = std::size_t{64} << 20;
    options.max_rules = random.between(1, 6);
    options.max_terms = options.max_rules <= 4 ? random.between(1, 2) : 1;
    options.rule_cost = random.one_of({0.25, 1.0, 3.0});
    options.min_support = random.one_of<std::int64_t>({0, 0, 0, 5});
    options.tolerance = random.one_of({0.0, 0.0, 0.05});
    options.ladder_after = random.one_of({0.0, 0.0001, 0.3});
    // A tree, the tree without a table, and what conjunctions are searched by.
    options.disabled_bounds =
        random.one_of({without({}), without({Bound::lists}), without({Bound::table}),
                       without({Bound::tree}), without({Bound::tree, Bound::lists})});
    return options;
}

void check_same(const Outcome& found, const Outcome& expected) {
    CHECK_EQ(to_string(found.status), to_string(expected.status));
    CHECK_EQ(found.rules, expected.rules);
    CHECK_EQ(found.cost, expected.cost);
    CHECK_EQ(found.lower_bound, expected.lower_bound);
    CHECK_EQ(found.path, expected.path);
    CHECK_EQ(found.n_nodes, expected.n_nodes);
    // Threads that count one table together may all be a little past the limit when it is spent.
    if (found.status != Status::work_limit) CHECK_EQ(found.work, expected.work);
}

std::string described(const Options& options) {
    return "  max_rules " + std::to_string(options.max_rules) + ", max_terms " +
           std::to_string(options.max_terms) + ", work_limit " +
           std::to_string(options.work_limit) + ", threads " + std::to_string(options.threads) +
           ", disabled_bounds " + std::to_string(options.disabled_bounds) + ", kernels " +
           std::string(options.kernels->name);
}

/// The same question to other threads and kernels gets the same answer.
void check_everywhere(const Table& table, Options options, const Outcome& expected) {
    for (const samrule::Kernels* kernels : samrule::available_kernels())
        for (const int threads : {1, 2, 5}) {
            options.kernels = kernels;
            options.threads = threads;
            harness::explain([&] { check_same(samrule::solve(table, options), expected); },
                             [&] { return described(options); });
        }
}

constexpr std::uint64_t more_than_enough = 1'000'000'000'000;

}  // namespace

TEST(a_search_stops_at_the_same_step_whatever_the_threads_and_kernels) {
    Random random(31);
    int n_cuts = 0, n_stopped = 0, n_useful = 0;
    for (int trial = 0; trial < harness::scaled(16); ++trial) {
        const Table table = trial % 2 == 0 ? random_tables::nasty_table(
                                                 random, 300, 16, random.one_of({2, 2, 3}),
                                                 random.one_of<std::uint32_t>({0, 0, 5, 300}))
                                           : random_tables::plain_table(random, 400, 20, 2);
        Options options = random_question(random);
        options.work_limit = more_than_enough;
        const Outcome whole = samrule::solve(table, options);
        CHECK(whole.status == Status::optimal || whole.status == Status::within_tolerance);
        CHECK(whole.work > 0);
        check_everywhere(table, options, whole);
        for (int cut = 0; cut < 4; ++cut) {
            options.work_limit = 1 + random.below(whole.work);
            const Outcome outcome = samrule::solve(table, options);
            ++n_cuts;
            n_stopped += outcome.status == Status::work_limit;
            n_useful += outcome.status == Status::work_limit && outcome.lower_bound > 0;
            check_everywhere(table, options, outcome);
        }
    }
    CHECK(5 * n_stopped > 2 * n_cuts);
    CHECK(16 * n_useful > n_cuts);
}

TEST(a_table_that_threads_count_together_ends_at_the_same_step_too) {
    Random random(32);
    const Table table = random_tables::plain_table(random, 500, 450, 2);
    Options options = random_question(random);
    options.max_rules = 3;
    options.max_terms = 1;
    options.min_support = 0;
    options.disabled_bounds = 0;
    options.tolerance = 0;
    for (const std::uint64_t limit : {10'000, 1'000'000, 3'000'000, 10'000'000}) {
        options.work_limit = limit;
        const Outcome outcome = samrule::solve(table, options);
        check_everywhere(table, options, outcome);
    }
}

TEST(what_is_found_and_proven_at_the_stop_brackets_the_optimum) {
    Random random(33);
    for (int trial = 0; trial < harness::scaled(20); ++trial) {
        const Table table = random_tables::nasty_table(random, 200, 14, random.one_of({2, 2, 3}),
                                                       random.one_of<std::uint32_t>({0, 0, 9}));
        Options options = random_question(random);
        options.tolerance = 0;
        const Outcome optimum = samrule::solve(table, options);
        CHECK_EQ(to_string(optimum.status), "optimal");
        CHECK_EQ(optimum.work, 0U);
        options.work_limit = more_than_enough;
        const std::uint64_t work = samrule::solve(table, options).work;
        for (int cut = 0; cut < 10; ++cut) {
            options.work_limit = 1 + random.below(work);
            const Outcome outcome = samrule::solve(table, options);
            CHECK(outcome.cost >= optimum.cost);
            CHECK(outcome.lower_bound <= optimum.cost);
            if (outcome.status == Status::optimal) CHECK_EQ(outcome.rules, optimum.rules);
            for (std::size_t k = 0; k < outcome.path.size(); ++k)
                CHECK_EQ(outcome.path[k], optimum.path[k]);
        }
    }
}
