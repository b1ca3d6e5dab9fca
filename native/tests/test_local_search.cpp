// The lists that the search starts from: real lists at their real cost, the same everywhere.
#include <algorithm>

#include "brute_force.hpp"
#include "harness.hpp"
#include "local_search.hpp"
#include "random_tables.hpp"
#include "samrule/instance.hpp"

using harness::Random;
using samrule::Cost;
using samrule::Instance;
using samrule::LocalSearch;
using samrule::Options;
using samrule::Prefix;
using samrule::Table;
using samrule::Terms;

namespace {

constexpr std::uint64_t plenty = std::uint64_t{1} << 40;

struct Found {
    std::vector<Terms> rules;
    double cost = 0;
    bool operator==(const Found&) const = default;
};

/// So much for lists of any number of rules and terms, a part of it for those of few.
LocalSearch::Budget budget_of(std::uint64_t work) {
    return [work](std::size_t rules, std::size_t terms, std::size_t) {
        const double part = 1 - 0.5 / static_cast<double>(rules * terms);
        return part * static_cast<double>(work);
    };
}

/// The lists of at most 0, 1, ..., max_rules rules.
std::vector<Found> good_lists(const Table& table, const Options& options, std::uint64_t work) {
    Instance instance;
    samrule::StopSign stop;
    CHECK(samrule::build_instance(table,
                                  {.max_terms = options.max_terms,
                                   .subtract_unavoidable = options.min_support == 0,
                                   .stop = &stop},
                                  instance));
    samrule::Team team(options.threads);
    const samrule::Pricing pricing(options, table.n_classes, 0);
    samrule::State state(instance, options, pricing, team, stop, 1 << 10);
    LocalSearch search(state);
    search.run(options.max_rules, budget_of(work));
    std::vector<Found> found;
    for (int n = 0; n <= options.max_rules; ++n) {
        const Prefix& list = search.best(n);
        found.push_back({{},
                         static_cast<double>(instance.unavoidable_errors) +
                             static_cast<double>(list.cost) / double{samrule::unit}});
        for (const std::int32_t rule : list.rules)
            found.back().rules.push_back(instance.terms[static_cast<std::size_t>(rule)]);
    }
    return found;
}

Options question(Random& random) {
    Options options;
    options.kernels = samrule::find_kernels("");
    options.max_rules = random.between(1, 5);
    options.max_terms = random.between(1, 2);
    options.rule_cost = random.one_of({0.0, 0.25, 0.5, 1.0, 3.0});
    options.min_support = random.one_of({0, 0, 2, 5});
    return options;
}

Table small_table(Random& random) {
    return random_tables::nasty_table(random, static_cast<std::size_t>(random.between(1, 28)),
                                      static_cast<std::size_t>(random.between(1, 8)),
                                      random.one_of({2, 2, 3}),
                                      random.one_of<std::uint32_t>({0, 4}));
}

}  // namespace

TEST(lists_are_allowed_and_cost_what_they_say) {
    Random random(1);
    for (int trial = 0; trial < harness::scaled(600); ++trial) {
        const Table table = small_table(random);
        const Options options = question(random);
        const std::vector<Found> lists = good_lists(
            table, options, random.one_of<std::uint64_t>({0, 200, 1000, 10'000, plenty}));
        for (std::size_t n = 0; n < lists.size(); ++n) {
            const std::vector<Terms>& rules = lists[n].rules;
            CHECK(rules.size() <= n);
            CHECK_EQ(lists[n].cost, static_cast<double>(random_tables::errors_of(table, rules)) +
                                        options.rule_cost * static_cast<double>(rules.size()));
            if (n > 0) CHECK(lists[n].cost <= lists[n - 1].cost);
            const auto decided = samrule::count_decided(table, rules);
            for (std::size_t k = 0; k < rules.size(); ++k) {
                std::int64_t weight = 0;
                for (const std::int64_t w : decided[k]) weight += w;
                CHECK(weight >= std::max<std::int64_t>(options.min_support, 1));
            }
        }
    }
}

TEST(most_lists_are_the_best_of_all) {
    Random random(2);
    int n_lists = 0, n_best = 0;
    for (int trial = 0; trial < 300; ++trial) {
        const Table table = small_table(random);
        const Options options = question(random);
        brute_force::BruteForce force(
            table, {options.max_rules, options.max_terms, samrule::unit,
                    static_cast<std::int64_t>(options.rule_cost * double{samrule::unit}),
                    options.min_support});
        const std::vector<Found> lists = good_lists(table, options, plenty);
        for (int n = 0; n <= options.max_rules; ++n) {
            const double best = static_cast<double>(force.best(n).cost) / double{samrule::unit};
            const double cost = lists[static_cast<std::size_t>(n)].cost;
            CHECK(cost >= best);
            n_best += cost == best;
            ++n_lists;
        }
    }
    CHECK(n_best > n_lists * 95 / 100);
}

TEST(more_rules_or_terms_never_make_a_list_worse) {
    Random random(6);
    for (int trial = 0; trial < harness::scaled(300); ++trial) {
        const Table table = random_tables::nasty_table(random, 60, 9, random.one_of({2, 2, 3}),
                                                       random.one_of<std::uint32_t>({0, 4}));
        Options options = question(random);
        const std::uint64_t work = random.one_of<std::uint64_t>({500, 3000, 20'000, 200'000});
        const std::vector<Found> lists = good_lists(table, options, work);
        Options larger = options;
        larger.max_rules += random.between(0, 2);
        larger.max_terms += random.between(0, 2);
        const std::vector<Found> more = good_lists(table, larger, work);
        for (std::size_t n = 0; n < lists.size(); ++n) CHECK(more[n].cost <= lists[n].cost);
    }
}

TEST(threads_and_kernels_find_the_same_lists) {
    Random random(3);
    for (int trial = 0; trial < harness::scaled(20); ++trial) {
        // Enough words for a pass to be shared among threads.
        const Table table = random_tables::plain_table(random, 20'000, 90, 2 + trial % 2);
        Options options = question(random);
        options.memory_limit = std::size_t{1} << 30;
        options.rule_cost = 1;
        const std::uint64_t work = 30'000'000;
        const std::vector<Found> expected = good_lists(table, options, work);
        for (const samrule::Kernels* kernels : samrule::available_kernels()) {
            options.kernels = kernels;
            options.threads = random.between(1, 5);
            CHECK(good_lists(table, options, work) == expected);
        }
    }
}

TEST(a_rule_that_agrees_with_the_default_is_found) {
    // The first two rules change nothing alone, and without them the third errs on most of its
    // rows.
    Random random(4);
    Table table = random_tables::plain_table(random, 2000, 12, 2);
    for (std::size_t row = 0; row < table.n_rows; ++row)
        table.labels[row] = !random_tables::holds(table, row, 3) &&
                            !random_tables::holds(table, row, 5) &&
                            random_tables::holds(table, row, 7);
    Options options;
    options.kernels = samrule::find_kernels("");
    options.rule_cost = 1;
    options.max_rules = 3;
    CHECK_EQ(good_lists(table, options, plenty)[3].cost, 3.0);
}

TEST(without_memory_there_is_the_list_without_rules) {
    Random random(5);
    const Table table = random_tables::plain_table(random, 200, 10, 2);
    Options options = question(random);
    options.memory_limit = 1;
    for (const Found& list : good_lists(table, options, plenty)) CHECK(list.rules.empty());
}
