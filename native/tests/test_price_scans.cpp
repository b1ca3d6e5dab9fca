// Scans for any price: near the truth where they are to say it, and never above it but for their
// rounding where they bound it; all kernels alike to the bit.
#include <algorithm>
#include <cmath>

#include "cost.hpp"
#include "scanned_rows.hpp"

namespace {

using samrule::Options;
using samrule::Pricing;
using samrule::RoughPrice;

Options random_price(Random& random, std::size_t n_classes) {
    Options options;
    options.brier_share = random.one_of({0.0, 0.5, 1.0, 1.0});
    options.min_support = 1;  // so that no matrix becomes weights
    if (options.brier_share == 0 || random.chance(0.3))
        for (std::size_t k = 0; k < n_classes * n_classes; ++k)
            options.costs.push_back(random.chance(0.3) ? 0 : random.real());
    return options;
}

/// Rows, a price, and everything the scans read about rules i and j.
struct Scene {
    Rows rows;
    Options options;
    Pricing pricing;
    RoughPrice price;
    std::size_t i, j;

    Scene(Random& random, std::size_t n_columns, std::size_t n_classes)
        : rows(random_rows(random, n_columns, n_classes, most_weight<std::int32_t>)),
          options(random_price(random, n_classes)),
          pricing(options, static_cast<std::int32_t>(n_classes), 1),
          price(pricing.rough()),
          i(random.below(n_columns)),
          j(random.below(n_columns)) {}

    bool in(std::size_t column, std::size_t row) const { return rows.column[column][row]; }

    template <class Chosen>
    double cost(const Chosen& chosen) const {
        return static_cast<double>(pricing.group(class_weights(rows, chosen)).cost) /
               static_cast<double>(samrule::unit);
    }
    template <class Chosen>
    double most(const Chosen& chosen) const {
        const ClassWeights weights = class_weights(rows, chosen);
        double most = 0;
        for (std::size_t c = 0; c < weights.size(); ++c)
            most += static_cast<double>(weights[c] * pricing.step(c));
        return most / static_cast<double>(samrule::unit);
    }
    /// Cost of rule l and a default on the chosen rows.
    template <class Chosen>
    double cost_of_rule(std::size_t l, const Chosen& chosen) const {
        return cost([&](std::size_t row) { return chosen(row) && in(l, row); }) +
               cost([&](std::size_t row) { return chosen(row) && !in(l, row); });
    }
    template <class Chosen>
    double least_cost_of_rule(const Chosen& chosen) const {
        double least = cost(chosen);
        for (std::size_t l = 0; l < rows.n_columns; ++l)
            least = std::min(least, cost_of_rule(l, chosen));
        return least;
    }
    /// What PriceScans allow for.
    double margin() const {
        return static_cast<double>(total(class_weights(rows, everywhere))) *
               (8.0 * static_cast<double>(rows.n_classes) + 80) / (1 << 24);
    }
};

/// Calls the same scan of all kernels, which must fill `n` numbers alike; returns them.
template <class Scan>
std::vector<float> scanned(std::size_t n, const Scan& scan) {
    std::vector<float> by_scalar(n);
    const float least = scan(scalar(), by_scalar.data());
    for_each_set([&](const Kernels& set) {
        std::vector<float> values(n);
        CHECK_EQ(scan(set, values.data()), least);
        CHECK_EQ(values, by_scalar);
    });
    return by_scalar;
}

void check_pair_scan(Random& random, std::size_t n_columns, std::size_t n_classes) {
    const Scene scene(random, n_columns, n_classes);
    const auto in_i = [&](std::size_t row) { return scene.in(scene.i, row); };
    const auto left = [&](std::size_t row) { return !in_i(row); };
    const CountRows<std::int32_t> single(scene.rows, everywhere), with_i(scene.rows, in_i);
    const auto rest = narrowed<std::int32_t>(class_weights(scene.rows, left));
    const samrule::PairScan<std::int32_t> scan{
        padded(n_columns), static_cast<std::int32_t>(n_classes), single.pointers.data(),
        with_i.pointers.data(), rest.data()};
    const std::vector<float> costs = scanned(scan.n, [&](const Kernels& set, float* out) {
        return set.pair_price_scan(scan, scene.price, out);
    });
    for (std::size_t l = 0; l < n_columns; ++l)
        CHECK(std::abs(costs[l] - scene.cost_of_rule(l, left)) <= scene.margin());
}

void check_order_scan(Random& random, std::size_t n_columns, std::size_t n_classes) {
    const Scene scene(random, n_columns, n_classes);
    const std::size_t i = scene.i, n = padded(n_columns);
    const auto in = [&](std::size_t k) {
        return [&scene, k](std::size_t row) { return scene.in(k, row); };
    };
    const auto after = [&](std::size_t k) {
        return [&scene, k](std::size_t row) { return !scene.in(k, row); };
    };
    const CountRows<std::int32_t> single(scene.rows, everywhere), with_i(scene.rows, in(i));
    const auto i_weight = narrowed<std::int32_t>(class_weights(scene.rows, in(i)));
    std::vector<float> costs(n, 0), after_one(n, 0);
    for (std::size_t k = 0; k < n_columns; ++k) {
        costs[k] = static_cast<float>(scene.cost(in(k)));
        after_one[k] = static_cast<float>(scene.least_cost_of_rule(after(k)));
    }
    const samrule::OrderScan<std::int32_t, float> scan{n,
                                                       static_cast<std::int32_t>(n_classes),
                                                       single.pointers.data(),
                                                       with_i.pointers.data(),
                                                       i_weight.data(),
                                                       costs.data(),
                                                       after_one.data(),
                                                       costs[i],
                                                       after_one[i],
                                                       i};
    const std::vector<float> out = scanned(4 * n, [&](const Kernels& set, float* to) {
        return set.order_price_scan(scan, scene.price, {to, to + n, to + 2 * n, to + 3 * n});
    });
    for (std::size_t k = i + 1; k < n_columns; ++k) {
        const auto both = [&](std::size_t row) { return scene.in(i, row) || scene.in(k, row); };
        const auto left = [&](std::size_t row) { return !both(row); };
        const double i_first = scene.cost(in(i)) + scene.cost([&](std::size_t row) {
            return scene.in(k, row) && !scene.in(i, row);
        });
        const double j_first = scene.cost(in(k)) + scene.cost([&](std::size_t row) {
            return scene.in(i, row) && !scene.in(k, row);
        });
        CHECK(std::abs(out[k] - i_first) <= scene.margin());
        CHECK(std::abs(out[n + k] - j_first) <= scene.margin());
        CHECK(out[2 * n + k] <= scene.least_cost_of_rule(left) + scene.margin());
        CHECK(std::abs(out[3 * n + k] - std::min(out[k], out[n + k]) - out[2 * n + k]) <=
              scene.margin());
    }
}

void check_triple_scan(Random& random, std::size_t n_columns, std::size_t n_classes) {
    const Scene scene(random, n_columns, n_classes);
    const auto in_i = [&](std::size_t row) { return scene.in(scene.i, row); };
    const auto in_j = [&](std::size_t row) { return scene.in(scene.j, row); };
    const auto in_both = [&](std::size_t row) { return in_i(row) && in_j(row); };
    const auto left = [&](std::size_t row) { return !in_i(row) && !in_j(row); };
    const CountRows<std::int32_t> single(scene.rows, everywhere), with_i(scene.rows, in_i),
        with_j(scene.rows, in_j);
    const auto i_weight = narrowed<std::int32_t>(class_weights(scene.rows, in_i));
    const auto j_weight = narrowed<std::int32_t>(class_weights(scene.rows, in_j));
    const auto ij_weight = narrowed<std::int32_t>(class_weights(scene.rows, in_both));
    const auto rest = narrowed<std::int32_t>(class_weights(scene.rows, left));
    const samrule::TripleScan<std::int32_t> scan{padded(n_columns),
                                                 static_cast<std::int32_t>(n_classes),
                                                 single.pointers.data(),
                                                 with_i.pointers.data(),
                                                 with_j.pointers.data(),
                                                 i_weight.data(),
                                                 j_weight.data(),
                                                 ij_weight.data(),
                                                 rest.data()};
    const std::vector<float> bounds = scanned(scan.n, [&](const Kernels& set, float* out) {
        return set.triple_price_scan(scan, scene.price, out);
    });
    for (std::size_t l = 0; l < n_columns; ++l) {
        const double truth = scene.cost_of_rule(l, left);
        CHECK(bounds[l] <= truth + scene.margin());
        // A rule that i and j do not meet is known exactly.
        if (total(class_weights(scene.rows, [&](std::size_t row) {
                return scene.in(l, row) && (in_i(row) || in_j(row));
            })) == 0)
            CHECK(bounds[l] >= truth - scene.margin());
    }
}

void check_survey_scan(Random& random, std::size_t n_columns, std::size_t n_classes) {
    const Scene scene(random, n_columns, n_classes);
    const std::size_t i = scene.i, a = scene.j, n = padded(n_columns);
    const auto in_i = [&](std::size_t row) { return scene.in(i, row); };
    const auto in_a = [&](std::size_t row) { return scene.in(a, row); };
    const auto in_both = [&](std::size_t row) { return in_i(row) && in_a(row); };
    const auto left = [&](std::size_t row) { return !in_i(row) && !in_a(row); };
    const auto after_i = [&](std::size_t k) {
        return [&scene, i, k](std::size_t row) { return !scene.in(i, row) && scene.in(k, row); };
    };
    const auto left_by = [&](std::size_t k) {
        return [&scene, i, k](std::size_t row) { return !scene.in(i, row) && !scene.in(k, row); };
    };
    const CountRows<std::int32_t> single(scene.rows, everywhere), with_i(scene.rows, in_i),
        with_a(scene.rows, in_a);
    const auto i_weight = narrowed<std::int32_t>(class_weights(scene.rows, in_i));
    const auto a_weight = narrowed<std::int32_t>(class_weights(scene.rows, in_a));
    const auto ia_weight = narrowed<std::int32_t>(class_weights(scene.rows, in_both));
    const auto rest = narrowed<std::int32_t>(class_weights(scene.rows, left));
    std::vector<float> costs(n, 0), after_one(n, 0), at_least(n, 0);
    for (std::size_t k = 0; k < n_columns; ++k) {
        costs[k] = static_cast<float>(scene.cost(after_i(k)));
        after_one[k] = static_cast<float>(scene.least_cost_of_rule(left_by(k)));
    }
    const samrule::SurveyScan<std::int32_t, float> scan{n,
                                                        static_cast<std::int32_t>(n_classes),
                                                        single.pointers.data(),
                                                        with_i.pointers.data(),
                                                        with_a.pointers.data(),
                                                        i_weight.data(),
                                                        a_weight.data(),
                                                        ia_weight.data(),
                                                        rest.data(),
                                                        costs.data(),
                                                        after_one.data(),
                                                        at_least.data(),
                                                        costs[a],
                                                        after_one[a],
                                                        a};
    const std::vector<float> out = scanned(2 * n, [&](const Kernels& set, float* to) {
        return set.survey_price_scan(scan, scene.price, {to, to + n});
    });
    for (std::size_t b = a + 1; b < n_columns; ++b) {
        const auto only = [&](std::size_t k, std::size_t other) {
            return scene.cost([&](std::size_t row) {
                return !in_i(row) && scene.in(k, row) && !scene.in(other, row);
            });
        };
        const double a_first = scene.cost(after_i(a)) + only(b, a);
        const double b_first = scene.cost(after_i(b)) + only(a, b);
        CHECK(out[b] <= std::min(a_first, b_first) + scene.margin());
        const auto after_all = [&](std::size_t row) { return left(row) && !scene.in(b, row); };
        CHECK(out[n + b] <= scene.least_cost_of_rule(after_all) + scene.margin());
    }
}

template <class Count>
void check_couple_scan(const Scene& scene, bool with_default) {
    const std::size_t i = scene.i, n = padded(scene.rows.n_columns);
    const auto in_i = [&](std::size_t row) { return scene.in(i, row); };
    const auto left = [&](std::size_t row) { return !in_i(row); };
    const CountRows<std::int32_t> single(scene.rows, everywhere);
    const CountRows<Count> shared(scene.rows, in_i);
    const auto weight = narrowed<std::int32_t>(class_weights(scene.rows, in_i));
    const auto rest = narrowed<std::int32_t>(class_weights(scene.rows, left));
    std::vector<float> alone(n, 0);
    for (std::size_t l = 0; l < scene.rows.n_columns; ++l)
        alone[l] =
            static_cast<float>(scene.cost([&](std::size_t row) { return scene.in(l, row); }));
    const samrule::CouplePriceScan<Count> scan{n,
                                               single.pointers.data(),
                                               shared.pointers.data(),
                                               alone.data(),
                                               weight.data(),
                                               with_default ? rest.data() : nullptr,
                                               alone[i]};
    const std::vector<float> costs = scanned(n, [&](const Kernels& set, float* out) {
        scan_of<Count>(set.couple_price_scan16, set.couple_price_scan32)(scan, scene.price, out);
        return out[0];
    });
    for (std::size_t l = 0; l < scene.rows.n_columns; ++l) {
        const auto then = [&](std::size_t first, std::size_t second) {
            return scene.cost([&](std::size_t row) { return scene.in(first, row); }) +
                   scene.cost([&](std::size_t row) {
                       return scene.in(second, row) && !scene.in(first, row);
                   });
        };
        const double rest_cost =
            with_default
                ? scene.cost([&](std::size_t row) { return left(row) && !scene.in(l, row); })
                : 0;
        CHECK(std::abs(costs[l] - std::min(then(i, l), then(l, i)) - rest_cost) <= scene.margin());
    }
}

template <class Count>
void check_third_scan(const Scene& scene) {
    const auto in_i = [&](std::size_t row) { return scene.in(scene.i, row); };
    const auto in_j = [&](std::size_t row) { return scene.in(scene.j, row); };
    const auto weights = [&](bool i, bool j) {
        return narrowed<std::int32_t>(class_weights(
            scene.rows, [&](std::size_t row) { return in_i(row) == i && in_j(row) == j; }));
    };
    const CountRows<std::int32_t> single(scene.rows, everywhere);
    const CountRows<Count> with_i(scene.rows, in_i), with_j(scene.rows, in_j);
    const auto i_only = weights(true, false), j_only = weights(false, true);
    const auto both = weights(true, true), rest = weights(false, false);
    // All third rules, then those that cost less than rule i would.
    std::vector<std::uint32_t> blocks;
    for (std::size_t k = 0; k < padded(scene.rows.n_columns) / samrule::third_lanes; ++k)
        blocks.push_back(static_cast<std::uint32_t>(k));
    const auto bounds_of = [&](std::size_t n_blocks, float room, std::vector<std::uint32_t>& open) {
        const samrule::ThirdPriceScan<Count> scan{n_blocks,
                                                  blocks.data(),
                                                  single.pointers.data(),
                                                  with_i.pointers.data(),
                                                  with_j.pointers.data(),
                                                  i_only.data(),
                                                  j_only.data(),
                                                  both.data(),
                                                  rest.data(),
                                                  room};
        open.resize(n_blocks);
        std::size_t n_open = 0;
        std::vector<float> bounds =
            scanned(n_blocks * samrule::third_lanes, [&](const Kernels& set, float* out) {
                const samrule::OpenThirds found =
                    scan_of<Count>(set.third_price_scan16, set.third_price_scan32)(
                        scan, scene.price, open.data(), out);
                n_open = found.n_blocks;
                std::fill(out + n_open * samrule::third_lanes,
                          out + n_blocks * samrule::third_lanes, 0.0F);
                return found.least;
            });
        open.resize(n_open);
        bounds.resize(n_open * samrule::third_lanes);
        return bounds;
    };
    constexpr float no_limit = 1e30F;
    std::vector<std::uint32_t> open;
    const std::vector<float> bounds = bounds_of(blocks.size(), no_limit, open);
    CHECK_EQ(open, blocks);
    const float room = bounds[scene.i];
    const std::vector<float> of_use = bounds_of(blocks.size(), room, open);
    std::vector<std::uint32_t> expected;
    for (const std::uint32_t block : blocks)
        if (const auto* first = bounds.data() + block * samrule::third_lanes;
            *std::min_element(first, first + samrule::third_lanes) < room)
            expected.push_back(block);
    CHECK_EQ(open, expected);
    for (std::size_t k = 0; k < of_use.size(); ++k)
        CHECK_EQ(of_use[k], bounds[open[k / samrule::third_lanes] * samrule::third_lanes +
                                   k % samrule::third_lanes]);
    for (std::size_t l = 0; l < scene.rows.n_columns; ++l) {
        const double truth =
            scene.cost_of_rule(l, [&](std::size_t row) { return !in_i(row) && !in_j(row); });
        CHECK(bounds[l] <= truth + scene.margin());
        // A rule that i and j do not meet is known exactly.
        if (total(class_weights(scene.rows, [&](std::size_t row) {
                return scene.in(l, row) && (in_i(row) || in_j(row));
            })) == 0)
            CHECK(bounds[l] >= truth - scene.margin());
    }
}

/// Both widths where counts fit into the narrow one.
void check_scans_of_conjunctions(Random& random, std::size_t n_columns, std::size_t n_classes) {
    if (n_classes != 2) return;
    const Scene scene(random, n_columns, n_classes);
    const bool with_default = random.chance(0.5);
    check_couple_scan<std::uint32_t>(scene, with_default);
    check_third_scan<std::uint32_t>(scene);
    if (total(class_weights(scene.rows, everywhere)) >= 65536) return;
    check_couple_scan<std::uint16_t>(scene, with_default);
    check_third_scan<std::uint16_t>(scene);
}

template <class Check>
void for_random_tables(std::uint64_t seed, int n_tables, const Check& check) {
    Random random(seed);
    for (const std::size_t n_classes : numbers_of_classes)
        for (int trial = 0; trial < harness::scaled(n_tables); ++trial)
            check(random, static_cast<std::size_t>(random.between(1, 60)), n_classes);
}

}  // namespace

TEST(pair_price_scans_are_right) { for_random_tables(1, 500, check_pair_scan); }

TEST(order_price_scans_are_right_and_bound_what_follows) {
    for_random_tables(2, 100, check_order_scan);
}

TEST(triple_price_scans_bound_the_truth_from_below) {
    for_random_tables(3, 500, check_triple_scan);
}

TEST(survey_price_scans_bound_the_truth_from_below) {
    for_random_tables(4, 100, check_survey_scan);
}

TEST(price_scans_of_conjunctions_are_right_and_bound_third_rules) {
    for_random_tables(5, 500, check_scans_of_conjunctions);
}
