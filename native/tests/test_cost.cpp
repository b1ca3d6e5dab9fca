// What a group of rows costs: the facts that every bound of the search is built on.
#include <cmath>

#include "cost.hpp"
#include "harness.hpp"

using harness::Random;
using samrule::Gain;
using samrule::Options;
using samrule::Pricing;
using samrule::unit;

namespace {

using Weights = std::vector<std::int64_t>;

Weights random_group(Random& random, std::size_t n_classes) {
    Weights weights(n_classes);
    const auto most = random.one_of<std::size_t>({2, 5, 1000, (std::size_t{1} << 28) / n_classes});
    for (std::int64_t& w : weights) w = static_cast<std::int64_t>(random.below(most));
    return weights;
}

Weights sum(const Weights& a, const Weights& b) {
    Weights both(a.size());
    for (std::size_t c = 0; c < a.size(); ++c) both[c] = a[c] + b[c];
    return both;
}

Options random_price(Random& random, std::size_t n_classes) {
    Options options;
    options.brier_share = random.one_of({0.0, 0.1, 0.5, 1.0});
    options.min_support = 1;  // so that no matrix becomes weights
    if (options.brier_share == 0 || random.chance(0.5))
        for (std::size_t k = 0; k < n_classes * n_classes; ++k)
            options.costs.push_back(random.chance(0.3) ? 0 : random.real());
    return options;
}

/// From the definition, in floating point.
double cost_of(const Options& options, const Weights& weights) {
    const std::size_t n = weights.size();
    double weight = 0, squares = 0, least = INFINITY;
    for (std::size_t k = 0; k < n; ++k) {
        const auto w = static_cast<double>(weights[k]);
        weight += w;
        squares += w * w;
        double cost = 0;
        for (std::size_t j = 0; j < n; ++j)
            cost += static_cast<double>(weights[j]) *
                    (options.costs.empty() ? (j == k ? 0 : 1) : options.costs[j * n + k]);
        least = std::min(least, cost);
    }
    const double brier = weight == 0 ? 0 : (weight - squares / weight) / 2;
    return (1 - options.brier_share) * least + options.brier_share * brier;
}

template <class Check>
void for_random_prices(std::uint64_t seed, const Check& check) {
    Random random(seed);
    for (int trial = 0; trial < harness::scaled(20'000); ++trial) {
        const auto n_classes = static_cast<std::size_t>(random.between(2, 5));
        const Options options = random_price(random, n_classes);
        const Pricing pricing(options, static_cast<std::int32_t>(n_classes), 1);
        check(random, options, pricing, random_group(random, n_classes));
    }
}

}  // namespace

TEST(a_group_costs_what_the_options_say) {
    for_random_prices(
        1, [](Random&, const Options& options, const Pricing& pricing, const Weights& group) {
            const Gain gain = pricing.group(group);
            std::int64_t weight = 0;
            for (const std::int64_t w : group) weight += w;
            CHECK_EQ(gain.weight, weight);
            const double expected = cost_of(options, group);
            const double found = static_cast<double>(gain.cost) / static_cast<double>(unit);
            // A unit for the group, one for every row, and the rounding of doubles.
            const double units = 1 + static_cast<double>(weight) + 1e-6 * expected;
            CHECK(std::abs(found - expected) <= units / static_cast<double>(unit));
        });
}

TEST(more_rows_cost_no_less_and_at_most_their_steps_more) {
    for_random_prices(
        2, [](Random& random, const Options&, const Pricing& pricing, const Weights& group) {
            const Weights more = random_group(random, group.size());
            const Gain before = pricing.group(group), after = pricing.group(sum(group, more));
            CHECK(after.cost >= before.cost);
            std::int64_t most = 0;
            for (std::size_t c = 0; c < more.size(); ++c) most += more[c] * pricing.step(c);
            CHECK(after.cost - before.cost <= most);
            CHECK(after.worth >= before.worth);
            CHECK(before.worth >= 0);
        });
}

TEST(two_groups_cost_no_more_than_both_together_but_for_the_last_unit) {
    for_random_prices(
        3, [](Random& random, const Options&, const Pricing& pricing, const Weights& group) {
            const Weights other = random_group(random, group.size());
            CHECK(pricing.group(group).cost + pricing.group(other).cost <=
                  pricing.group(sum(group, other)).cost + 1);
        });
}

TEST(costs_by_true_class_become_whole_weights) {
    Options options;
    options.costs = {0, 1, 0.3, 0};
    const Pricing pricing(options, 2, 1000);
    CHECK(pricing.is_error());
    CHECK_EQ(pricing.class_factors(), (Weights{10, 3}));
    CHECK_EQ(pricing.scale(), 10);
    // Not if the weights would be too many, or supports matter.
    CHECK(!Pricing(options, 2, std::int64_t{1} << 28).is_error());
    options.min_support = 5;
    CHECK(!Pricing(options, 2, 1000).is_error());
    options = {};
    options.costs = {0, 1, 0.31415926, 0};
    CHECK(!Pricing(options, 2, 1000).is_error());
    options.costs = {0, 1, 0.5, 0.25};
    CHECK(!Pricing(options, 2, 1000).is_error());
}
