/// How a leaf and a survey compute costs of many lists at once: errors exactly and in few bits, any
/// other price in floating point, with room for its rounding.
#pragma once

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "state.hpp"

namespace samrule {

/// A number from which on there is nothing: weights are below 2^30.
inline constexpr std::int32_t no_cost = 0x7fffffff;

/// Errors are whole numbers, and what a scan says is exact.
template <class CountType>
class ErrorScans {
  public:
    using Count = CountType;
    using Value = CountType;     ///< what a scan computes
    using Total = std::int64_t;  ///< sums of them
    static constexpr bool is_exact = true;
    static constexpr std::size_t effort = sizeof(Count) / sizeof(std::int16_t);

    /// For subproblems of rows that weigh no more than this.
    ErrorScans(const State& state, std::int64_t /*weight*/) : kernels_(state.kernels) {}

    /// A cost that is no more than what a scan stands for.
    static Cost cost(Total value) { return value * unit; }
    /// What a scan would say of this cost.
    static Value value(Cost cost) { return static_cast<Value>(cost / unit); }
    /// From here on cost(value) is at least `wanted`.
    static Total limit(Cost wanted) { return wanted <= 0 ? 0 : (wanted + unit - 1) / unit; }

    /// The most that a weight of class c costs.
    static Total most(std::size_t /*c*/, std::int64_t weight) { return weight; }

    Value pair(const PairScan<Count>& scan, Value* out) const {
        return choose(kernels_.pair_scan16, kernels_.pair_scan32)(scan, out);
    }
    Value order(const OrderScan<Count>& scan, const OrderCosts<Value>& out) const {
        return choose(kernels_.order_scan16, kernels_.order_scan32)(scan, out);
    }
    Value triple(const TripleScan<Count>& scan, Value* out) const {
        return choose(kernels_.triple_scan16, kernels_.triple_scan32)(scan, out);
    }
    Value survey(const SurveyScan<Count>& scan, const SurveyCosts<Value>& out) const {
        return choose(kernels_.survey_scan16, kernels_.survey_scan32)(scan, out);
    }

  private:
    template <class Narrow, class Wide>
    static auto choose(Narrow narrow, Wide wide) {
        if constexpr (std::is_same_v<Count, std::int16_t>)
            return narrow;
        else
            return wide;
    }

    const Kernels& kernels_;
};

/// Any price, in single precision: what is not ruled out is priced again, exactly.
///
/// How far off. Let W be the weight of all rows, C the number of classes, u = 2^-24. Counts are
/// whole numbers, exact until they are converted. A group's price is made of at most C + 8
/// roundings of positive numbers up to W (or of one difference of such), so it is off by at most
/// (2C + 16) u W, and so is the most that some rows cost. A total that a scan or a leaf compares
/// adds up at most four such numbers, and a few sums: less than (8C + 80) u W in all.
class PriceScans {
  public:
    using Count = std::int32_t;
    using Value = float;
    using Total = float;
    static constexpr bool is_exact = false;
    static constexpr std::size_t effort = 8;  ///< an estimate: floats, divisions

    PriceScans(const State& state, std::int64_t weight)
        : kernels_(state.kernels),
          price_(state.pricing.rough()),
          margin_(static_cast<double>(weight) *
                  (8.0 * static_cast<double>(state.instance.n_classes) + 80) / (1 << 24)) {}

    Cost cost(Total value) const {
        const double least = static_cast<double>(value) - margin_;
        return least <= 0 ? 0 : static_cast<Cost>(least * static_cast<double>(unit));
    }
    static Value value(Cost cost) {
        return static_cast<Value>(static_cast<double>(cost) / static_cast<double>(unit));
    }
    Total limit(Cost wanted) const {
        // Twice the margin, for this is rounded too.
        return wanted <= 0
                   ? 0
                   : static_cast<Total>(
                         static_cast<double>(wanted + 1) / static_cast<double>(unit) + 2 * margin_);
    }
    Total most(std::size_t c, std::int64_t weight) const {
        return static_cast<Total>(weight) * price_.steps[c];
    }

    /// What a group of two classes costs, as a scan would say it.
    Value group_of_two(Count first, Count second) const {
        const auto p = static_cast<Value>(first), q = static_cast<Value>(second);
        const Value* const costs = price_.costs;
        return std::min(p * costs[0] + q * costs[1], p * costs[2] + q * costs[3]) +
               price_.brier * (p * q) / std::max(p + q, 1.0F);
    }

    Value pair(const PairScan<Count>& scan, Value* out) const {
        return kernels_.pair_price_scan(scan, price_, out);
    }
    Value order(const OrderScan<Count, Value>& scan, const OrderCosts<Value>& out) const {
        return kernels_.order_price_scan(scan, price_, out);
    }
    Value triple(const TripleScan<Count>& scan, Value* out) const {
        return kernels_.triple_price_scan(scan, price_, out);
    }
    Value survey(const SurveyScan<Count, Value>& scan, const SurveyCosts<Value>& out) const {
        return kernels_.survey_price_scan(scan, price_, out);
    }
    void couple(const CouplePriceScan<std::uint16_t>& scan, Value* out) const {
        kernels_.couple_price_scan16(scan, price_, out);
    }
    void couple(const CouplePriceScan<std::uint32_t>& scan, Value* out) const {
        kernels_.couple_price_scan32(scan, price_, out);
    }
    OpenThirds third(const ThirdPriceScan<std::uint16_t>& scan, std::uint32_t* blocks,
                     Value* out) const {
        return kernels_.third_price_scan16(scan, price_, blocks, out);
    }
    OpenThirds third(const ThirdPriceScan<std::uint32_t>& scan, std::uint32_t* blocks,
                     Value* out) const {
        return kernels_.third_price_scan32(scan, price_, blocks, out);
    }

  private:
    const Kernels& kernels_;
    const RoughPrice price_;
    const double margin_;
};

}  // namespace samrule
