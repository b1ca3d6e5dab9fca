// The solver when it is stopped, or has little memory: limits are kept, and what it says holds.
#include <chrono>
#include <cmath>
#include <ctime>
#include <thread>
#include <utility>

#include "questions.hpp"

using namespace questions;
using samrule::Progress;

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
