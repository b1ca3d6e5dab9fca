/// Candidates of two classes at any price of a group: what they weigh and cost, as scans read it.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "conjunctions.hpp"
#include "scans.hpp"

namespace samrule {

using Weights = std::array<std::int32_t, 2>;

inline std::size_t padded(std::size_t n) { return (n + scan_lanes - 1) / scan_lanes * scan_lanes; }

inline Cost cost_of(const Pricing& pricing, const Weights& weights) {
    return pricing.group(2, [&](std::size_t c) { return std::int64_t{weights[c]}; }).cost;
}

inline Weights weights_of(const Two& two) {
    return {static_cast<std::int32_t>(two.negative), static_cast<std::int32_t>(two.positive)};
}

inline Weights operator-(const Weights& a, const Weights& b) { return {a[0] - b[0], a[1] - b[1]}; }
inline Weights operator+(const Weights& a, const Weights& b) { return {a[0] + b[0], a[1] + b[1]}; }

inline std::int64_t sum(const Weights& weights) { return std::int64_t{weights[0]} + weights[1]; }

/// What two sets of rows share.
inline Weights shared_weight(const Kernels& kernels, const PackedRows& rows, const Word* a,
                             const Word* b) {
    Weights weight{};
    for (const Segment& s : rows.segments)
        weight[static_cast<std::size_t>(s.klass)] += static_cast<std::int32_t>(
            kernels.count_and(a + s.first_word, b + s.first_word, s.n_words) * s.weight);
    return weight;
}

/// The weights of candidates, and what each costs as first rule, as scans read them.
struct Singles {
    std::array<std::vector<std::int32_t>, 2> weight;
    std::vector<float> cost;

    Singles(const Pricing& pricing, const Counts& counts, std::span<const std::int32_t> order) {
        for (auto& weights : weight) weights.resize(padded(order.size()), 0);
        cost.resize(padded(order.size()), 0);
        for (std::size_t k = 0; k < order.size(); ++k) {
            for (std::size_t c = 0; c < 2; ++c)
                weight[c][k] = counts.of_class[c][static_cast<std::size_t>(order[k])];
            cost[k] = PriceScans::value(cost_of(pricing, of(k)));
        }
    }
    Weights of(std::size_t k) const { return {weight[0][k], weight[1][k]}; }
    std::array<const std::int32_t*, 2> rows() const { return {weight[0].data(), weight[1].data()}; }
};

}  // namespace samrule
