/// What a group of rows costs: the one place that knows which loss is minimized.
///
/// A group is the rows that one rule of a list decides, or those left to the default. Its cost
/// depends on its class weights alone:
///
///   cost(W) = min over predictions k of (sum of c_j costs[j][k]) + share of Brier (w - sum
///   c_j^2/w)/2
///
/// for weights c_j of the classes, w of all, and costs in [0, 1]: errors, costs of a matrix, the
/// Brier score of predicting the group's class shares, or a mixture. The search uses no more than
/// these facts, true of every minimum of linear functions whose slopes are in [0, 1]:
///
///   - More rows cost no less.
///   - Rows W added to a group add at most most(W) = sum of c_j step_j, where step_j is the most
///     that a row of class j can cost. (A minimum of linear functions grows no faster than the
///     steepest of them.)
///   - So most(W) - cost(W), the worth of a rule that decides W, falls with the rows: without the
///     rule its rows fall to later groups, and the list costs at most that much more.
///   - Splitting a group in two costs no more.
///
/// The first three hold exactly for the fixed-point numbers below: linear parts are whole numbers
/// of units, and the Brier part of a group is rounded up, which keeps the order of costs, and since
/// ceil(x + n) = ceil(x) + n for whole n and steps are whole, the steps. Splitting may cost a unit
/// more, so of lists that cost the same those of fewer rules win; nothing counts on the fourth.
///
/// How far off they are: a list of k rules by at most k + 1 units from the Brier part (rounded up),
/// and by at most one unit per row where a share or a cost of a matrix is no multiple of a unit.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "samrule/bound_cache.hpp"
#include "samrule/kernels.hpp"
#include "samrule/solver.hpp"

namespace samrule {

/// Cost of one unit of misclassified weight. A power of two, so that errors are exact, the price
/// of a rule is rounded to a few billionths of a row and the Brier score of a group is as well.
inline constexpr Cost unit = Cost{1} << 28;

/// What a group of rows means for a list.
struct Gain {
    std::int64_t weight = 0;
    Cost cost = 0;
    Cost worth = 0;  ///< a list without the rule that decides them costs at most so much more
};

class Pricing {
  public:
    /// For a table whose rows weigh `total_weight` together.
    Pricing(const Options& options, std::int32_t n_classes, std::int64_t total_weight);

    /// Plain errors: every cost is a whole number of units, rows of all classes with equal
    /// conditions cancel out, and faster searches apply.
    bool is_error() const { return is_error_; }

    /// Costs that depend on the true class alone are errors of rows that weigh more: the factor of
    /// each class, empty if all are one.
    const std::vector<std::int64_t>& class_factors() const { return class_factors_; }
    /// What a row that costs 1 weighs then.
    std::int64_t scale() const { return scale_; }

    /// Every cost is a multiple of this.
    Cost grain() const { return is_error_ ? unit : 1; }

    /// A group with weight_of(c) of each class c.
    template <class WeightOfClass>
    Gain group(std::size_t n_classes, const WeightOfClass& weight_of) const {
        if (!is_error_) return general_group(n_classes, weight_of);
        std::int64_t weight = 0, most = 0;
        for (std::size_t c = 0; c < n_classes; ++c) {
            const std::int64_t w = weight_of(c);
            weight += w;
            most = std::max(most, w);
        }
        return {weight, (weight - most) * unit, most * unit};
    }
    Gain group(const std::vector<std::int64_t>& class_weight) const {
        return group(class_weight.size(), [&](std::size_t c) { return class_weight[c]; });
    }

    /// What to predict for a group of rows if one class must be: the first of the cheapest.
    std::size_t cheapest_class(const std::vector<std::int64_t>& class_weight) const;

    /// A rule that takes taken(c) of the all(c) weight of each class c, and a default.
    template <class All, class Taken>
    Cost rule_and_default(std::size_t n_classes, const All& all, const Taken& taken) const {
        return group(n_classes, taken).cost +
               group(n_classes, [&](std::size_t c) { return all(c) - taken(c); }).cost;
    }

    /// The most that a row of class c adds to a group, per unit of weight.
    Cost step(std::size_t c) const { return is_error_ ? unit : steps_[c]; }

    /// Roughly the same, for scans.
    RoughPrice rough() const;

  private:
    template <class WeightOfClass>
    Gain general_group(std::size_t n_classes, const WeightOfClass& weight_of) const {
        Gain gain;
        std::int64_t most = 0;
        std::uint64_t squares = 0;
        for (std::size_t c = 0; c < n_classes; ++c) {
            const std::int64_t w = weight_of(c);
            gain.weight += w;
            most = std::max(most, w);
            squares += static_cast<std::uint64_t>(w) * static_cast<std::uint64_t>(w);
            gain.worth += w * steps_[c];
        }
        gain.cost =
            costs_.empty() ? (gain.weight - most) * error_ : least_of_matrix(n_classes, weight_of);
        gain.cost += brier_of(static_cast<std::uint64_t>(gain.weight), squares);
        gain.worth -= gain.cost;
        return gain;
    }

    template <class WeightOfClass>
    Cost least_of_matrix(std::size_t n_classes, const WeightOfClass& weight_of) const {
        Cost least = INT64_MAX;
        for (std::size_t k = 0; k < n_classes; ++k) {
            Cost cost = 0;
            for (std::size_t c = 0; c < n_classes; ++c)
                cost += weight_of(c) * costs_[k * n_classes + c];
            least = std::min(least, cost);
        }
        return least;
    }

    /// Rounded up. Weights are below 2^30, so w^2 has 60 bits, and what is left of a division by
    /// 2w has 31: times the share, of 29 bits, no number has more than 60.
    Cost brier_of(std::uint64_t weight, std::uint64_t squares) const {
        if (brier_ == 0 || weight == 0) return 0;
        const std::uint64_t impurity = weight * weight - squares, twice = 2 * weight;
        return static_cast<Cost>(impurity / twice * brier_ +
                                 (impurity % twice * brier_ + twice - 1) / twice);
    }

    bool is_error_;
    std::vector<std::int64_t> class_factors_;
    std::int64_t scale_ = 1;
    std::uint64_t brier_ = 0;  ///< share of the Brier score, in units
    Cost error_ = 0;           ///< of a misclassified row, if there is no matrix
    std::vector<Cost> costs_;  ///< prediction after prediction, of each true class
    std::vector<Cost> steps_;
    std::vector<float> rough_costs_, rough_steps_;
};

}  // namespace samrule
