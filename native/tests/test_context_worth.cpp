// What the first rules of a list are worth beside each other: never less than they are in any list
// that starts with them.
#include <algorithm>
#include <limits>
#include <span>

#include "context_worth.hpp"
#include "harness.hpp"
#include "random_tables.hpp"
#include "samrule/instance.hpp"

using harness::Random;
using samrule::Cost;
using samrule::Instance;
using samrule::Table;

namespace {

/// Errors of a list of candidates, on the instance's rows, each rule and the default predicting the
/// class that weighs most.
std::int64_t errors(const Instance& instance, const std::vector<std::int32_t>& rules) {
    std::vector<samrule::Word> left(instance.words, ~samrule::Word{0});
    std::int64_t errors = 0;
    const auto add = [&](const std::vector<samrule::Word>& rows) {
        std::vector<std::int64_t> weight(static_cast<std::size_t>(instance.n_classes), 0);
        for (const samrule::Segment& s : instance.segments)
            for (std::size_t slot = 0; slot < s.n_slots; ++slot)
                if (rows[s.first_word + slot / 64] >> (slot % 64) & 1)
                    weight[static_cast<std::size_t>(s.klass)] += s.weight;
        for (const std::int64_t w : weight) errors += w;
        errors -= *std::max_element(weight.begin(), weight.end());
    };
    for (const std::int32_t rule : rules) {
        std::vector<samrule::Word> taken = left;
        const samrule::Word* covered = instance.candidate(static_cast<std::size_t>(rule));
        for (std::size_t w = 0; w < taken.size(); ++w) {
            taken[w] &= covered[w];
            left[w] &= ~covered[w];
        }
        add(taken);
    }
    add(left);
    return errors;
}

std::vector<std::int32_t> without(std::vector<std::int32_t> rules, std::size_t a, std::size_t b) {
    if (b != a) rules.erase(rules.begin() + static_cast<std::ptrdiff_t>(std::max(a, b)));
    rules.erase(rules.begin() + static_cast<std::ptrdiff_t>(std::min(a, b)));
    return rules;
}

}  // namespace

TEST(no_list_costs_less_than_its_first_rules_say) {
    Random random(20261118);
    std::size_t n_tight = 0;
    const int n_rounds = harness::scaled(4000);
    for (int round = 0; round < n_rounds; ++round) {
        const Table table =
            random_tables::plain_table(random, 40 + random.below(200), 12, random.between(2, 3));
        samrule::Options options;
        options.kernels = samrule::find_kernels("");
        Instance instance;
        samrule::StopSign stop;
        CHECK(samrule::build_instance(table, {.max_terms = 1, .stop = &stop}, instance));
        if (instance.n_candidates() < 8) continue;
        samrule::Team team(1);
        const samrule::Pricing pricing(options, table.n_classes, 0);
        const samrule::State state(instance, options, pricing, team, stop, 1 << 10);
        std::vector<std::int32_t> list;
        while (list.size() < 7) {
            const auto rule = static_cast<std::int32_t>(random.below(instance.n_candidates()));
            if (std::find(list.begin(), list.end(), rule) == list.end()) list.push_back(rule);
        }
        const std::size_t n_first = 2 + random.below(5);
        constexpr Cost many = std::numeric_limits<std::int32_t>::max();
        Cost one = many, two = many;
        for (std::size_t a = 0; a < n_first; ++a)
            for (std::size_t b = a; b < n_first; ++b) {
                Cost& least = a == b ? one : two;
                least = std::min<Cost>(least, errors(instance, without(list, a, b)));
            }
        samrule::ContextSpace space;
        const std::span first(list.data(), n_first);
        const Cost cost = errors(instance, list) * samrule::unit;
        for (const auto& [without_one, without_two] : {std::pair{one, Cost{0}}, {Cost{0}, two}}) {
            const Cost bound =
                cost_by_context(state, first, without_one * samrule::unit,
                                without_two * samrule::unit, many * samrule::unit, space);
            CHECK(bound <= cost);
            n_tight += bound + 2 * samrule::unit >= cost;
        }
    }
    CHECK(n_tight > 0);
}
