// Some candidates stand for all: put one in the place of a rule, and no list costs much more.
#include <algorithm>
#include <vector>

#include "harness.hpp"
#include "random_tables.hpp"
#include "samrule/instance.hpp"
#include "samrule/solver.hpp"
#include "stand_ins.hpp"

using harness::Random;
using random_tables::matches;
using samrule::Cost;
using samrule::Options;
using samrule::Pricing;
using samrule::Table;
using samrule::Terms;

namespace {

/// What a list costs, its rules aside: each row belongs to the first rule that matches it.
Cost cost_of(const Table& table, const Pricing& pricing, const std::vector<Terms>& list) {
    std::vector<std::vector<std::int64_t>> groups(list.size() + 1, std::vector<std::int64_t>(2, 0));
    for (std::size_t row = 0; row < table.n_rows; ++row) {
        std::size_t r = 0;
        while (r < list.size() && !matches(table, row, list[r])) ++r;
        groups[r][static_cast<std::size_t>(table.labels[row])] += table.weight(row);
    }
    Cost cost = 0;
    for (const auto& group : groups) cost += pricing.group(group).cost;
    return cost;
}

/// A list, and which of its rules is taken for another.
struct Swap {
    std::vector<Terms> list;
    std::size_t place;
};

std::vector<Swap> random_lists(Random& random, const std::vector<Terms>& candidates, int n_rules) {
    std::vector<Swap> lists(60);
    for (Swap& one : lists) {
        for (int r = 0; r < n_rules; ++r)
            one.list.push_back(candidates[random.below(candidates.size())]);
        one.place = random.below(one.list.size());
    }
    return lists;
}

/// The most that any of the lists costs more with `stand_in` in the place of `rule`.
Cost most_lost(const Table& table, const Pricing& pricing, std::vector<Swap> lists,
               const Terms& rule, const Terms& stand_in) {
    Cost most = 0;
    for (Swap& one : lists) {
        one.list[one.place] = rule;
        const Cost before = cost_of(table, pricing, one.list);
        one.list[one.place] = stand_in;
        most = std::max(most, cost_of(table, pricing, one.list) - before);
    }
    return most;
}

Options random_price(Random& random) {
    Options options;
    options.max_terms = 2;
    options.kernels = samrule::find_kernels("");
    options.brier_share = random.one_of({0.3, 1.0});
    if (random.chance(0.5)) options.costs = {0, random.real(), random.real(), 0};
    return options;
}

}  // namespace

TEST(whatever_the_other_rules_a_stand_in_costs_at_most_its_share_of_the_room) {
    Random random(24);
    constexpr int n_rules = 3;
    int n_left_out = 0;
    for (int trial = 0; trial < harness::scaled(400); ++trial) {
        const auto n_rows = static_cast<std::size_t>(random.between(20, 60));
        Table table = random_tables::plain_table(random, n_rows, 6, 2);
        random_tables::spoil_columns(random, table, 0.3);
        if (random.chance(0.5)) table.weights = random_tables::random_weights(random, n_rows, 5);
        const Options options = random_price(random);
        samrule::Instance instance;
        samrule::StopSign stop;
        CHECK(
            samrule::build_instance(table, {options.max_terms, false, SIZE_MAX, &stop}, instance));
        samrule::Team team(1);
        const Pricing pricing(options, 2, static_cast<std::int64_t>(n_rows));
        samrule::State state(instance, options, pricing, team, stop, 1 << 10);
        const samrule::Conjunctions all =
            samrule::conjunctions_of(instance, instance.n_candidates());
        samrule::Counts counts;
        samrule::CandidateCounter(state.kernels).count(all.rows, all.language, 0, counts);
        const Cost room = random.between(5, 60) * samrule::unit;
        const auto chosen =
            samrule::stand_ins(state, {all.rows, all.language, counts}, n_rules, room);

        std::vector<Terms> candidates;
        for (const std::int32_t i : all.language.candidate)
            candidates.push_back(instance.terms[static_cast<std::size_t>(i)]);
        const std::vector<Swap> lists = random_lists(random, candidates, n_rules);
        for (std::size_t i = 0; i < candidates.size(); ++i) {
            CHECK(std::any_of(chosen.begin(), chosen.end(), [&](std::int32_t r) {
                return most_lost(table, pricing, lists, candidates[i],
                                 candidates[static_cast<std::size_t>(r)]) <= room / n_rules;
            }));
        }
        n_left_out += chosen.size() < candidates.size();
    }
    CHECK(n_left_out > 0);
}
