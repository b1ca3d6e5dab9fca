// All lists up to a cost: the best of them is the optimum, the known path of optima changes nothing
// but the time, and nor do threads. (Trying all lists, in Python, says whether they are all.)
#include "harness.hpp"
#include "random_tables.hpp"
#include "samrule/good_lists.hpp"

using harness::Random;
using samrule::GoodLists;
using samrule::GoodListsOptions;
using samrule::Outcome;
using samrule::Table;
using samrule::Terms;

namespace {

GoodListsOptions random_question(Random& random) {
    GoodListsOptions options;
    options.search.kernels = samrule::find_kernels("");
    options.search.max_rules = random.between(1, 4);
    options.search.max_terms = options.search.max_rules <= 3 ? random.between(1, 2) : 1;
    options.search.rule_cost = random.one_of({0.0, 0.25, 1.0});
    options.search.min_support = random.one_of<std::int64_t>({0, 0, 3});
    options.search.brier_share = random.one_of({0.0, 0.0, 1.0});
    options.most_lists = 1'000'000;
    return options;
}

std::vector<std::vector<Terms>> rules_of(const GoodLists& found) {
    std::vector<std::vector<Terms>> rules;
    for (const auto& list : found.lists) rules.push_back(list.rules);
    return rules;
}

}  // namespace

TEST(the_optimum_comes_first_and_what_is_known_changes_nothing) {
    Random random(41);
    for (int trial = 0; trial < harness::scaled(200); ++trial) {
        const Table table = random_tables::nasty_table(random, 40, 6, random.one_of({2, 2, 3}),
                                                       random.one_of<std::uint32_t>({0, 0, 9}));
        GoodListsOptions options = random_question(random);
        const Outcome optimum = samrule::solve(table, options.search);
        options.most_cost = optimum.cost * 1.1 + 1;
        const GoodLists slow = samrule::good_lists(table, options);
        CHECK_EQ(slow.complete_up_to, options.most_cost);
        CHECK(!slow.lists.empty());
        CHECK_EQ(slow.lists.front().cost, optimum.cost);
        options.least_cost = optimum.path;
        options.search.threads = random.between(1, 4);
        CHECK_EQ(rules_of(samrule::good_lists(table, options)), rules_of(slow));
    }
}

TEST(a_stopped_search_claims_nothing) {
    Random random(42);
    const Table table = random_tables::nasty_table(random, 2000, 40, 2, 0);
    GoodListsOptions options = random_question(random);
    options.search.max_rules = 5;
    options.search.time_limit = 0;
    options.most_cost = 1e6;
    const GoodLists found = samrule::good_lists(table, options);
    CHECK(found.complete_up_to < 0);
    CHECK_EQ(to_string(found.status), "time_limit");
}
