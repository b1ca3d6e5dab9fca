#include "cost.hpp"

#include <cmath>

namespace samrule {
namespace {

float in_rows(Cost cost) { return static_cast<float>(cost) / static_cast<float>(unit); }

/// What a row of each class costs wherever it is not predicted, if that is the same everywhere
/// and nothing where it is; else empty.
std::vector<double> cost_of_classes(const std::vector<double>& costs, std::size_t n_classes) {
    std::vector<double> of_class;
    for (std::size_t c = 0; c < n_classes; ++c) {
        const double* row = costs.data() + c * n_classes;
        of_class.push_back(row[c == 0 ? 1 : 0]);
        for (std::size_t k = 0; k < n_classes; ++k)
            if (row[k] != (k == c ? 0 : of_class.back())) return {};
    }
    return of_class;
}

/// Whole numbers in the proportion of the costs, but for the last digits of a double; empty if
/// there are none that are small enough.
std::vector<std::int64_t> proportions(const std::vector<double>& costs, std::int64_t most) {
    constexpr double last_digits = 1e-12;
    const double dearest = *std::max_element(costs.begin(), costs.end());
    if (dearest <= 0) return {};
    for (std::int64_t scale = 1; scale <= most; ++scale) {
        std::vector<std::int64_t> found;
        for (const double cost : costs) {
            const double exact = cost / dearest * static_cast<double>(scale);
            if (std::abs(exact - std::round(exact)) > last_digits * exact) break;
            found.push_back(static_cast<std::int64_t>(std::round(exact)));
        }
        if (found.size() == costs.size()) return found;
    }
    return {};
}

}  // namespace

Pricing::Pricing(const Options& options, std::int32_t n_classes, std::int64_t total_weight)
    : is_error_(options.costs.empty() && options.brier_share == 0) {
    if (is_error_) return;
    const auto n = static_cast<std::size_t>(n_classes);
    // Supports are measured in true weights.
    if (options.brier_share == 0 && options.min_support == 0) {
        constexpr std::int64_t most_scale = 1000;
        const std::int64_t room = (static_cast<std::int64_t>(total_weight_limit) - 1) /
                                  std::max<std::int64_t>(total_weight, 1);
        const std::vector<double> of_class = cost_of_classes(options.costs, n);
        const double dearest =
            of_class.empty() ? 0 : *std::max_element(of_class.begin(), of_class.end());
        // The dearest row costs 1; else the price of a rule would be in another measure.
        if (dearest == 1) class_factors_ = proportions(of_class, std::min(most_scale, room));
        if (!class_factors_.empty()) {
            is_error_ = true;
            scale_ = *std::max_element(class_factors_.begin(), class_factors_.end());
            return;
        }
    }
    const auto whole = [](double number) { return static_cast<Cost>(std::llround(number)); };
    brier_ = static_cast<std::uint64_t>(whole(options.brier_share * static_cast<double>(unit)));
    error_ = unit - static_cast<Cost>(brier_);
    if (!options.costs.empty()) {
        costs_.resize(n * n);
        for (std::size_t c = 0; c < n; ++c)
            for (std::size_t k = 0; k < n; ++k)
                costs_[k * n + c] = whole(options.costs[c * n + k] * static_cast<double>(error_));
    } else if (n == 2) {
        // The scans of two classes take a matrix.
        costs_ = {0, error_, error_, 0};
    }
    for (std::size_t c = 0; c < n; ++c) {
        Cost dearest = costs_.empty() ? error_ : 0;
        for (std::size_t k = 0; k < n && !costs_.empty(); ++k)
            dearest = std::max(dearest, costs_[k * n + c]);
        steps_.push_back(dearest + static_cast<Cost>(brier_));
    }
    for (const Cost cost : costs_) rough_costs_.push_back(in_rows(cost));
    for (const Cost step : steps_) rough_steps_.push_back(in_rows(step));
}

std::size_t Pricing::cheapest_class(const std::vector<std::int64_t>& class_weight) const {
    const std::size_t n = class_weight.size();
    if (costs_.empty())
        return static_cast<std::size_t>(std::max_element(class_weight.begin(), class_weight.end()) -
                                        class_weight.begin());
    std::vector<Cost> of_prediction(n, 0);
    for (std::size_t k = 0; k < n; ++k)
        for (std::size_t c = 0; c < n; ++c) of_prediction[k] += class_weight[c] * costs_[k * n + c];
    return static_cast<std::size_t>(std::min_element(of_prediction.begin(), of_prediction.end()) -
                                    of_prediction.begin());
}

RoughPrice Pricing::rough() const {
    return {rough_costs_.empty() ? nullptr : rough_costs_.data(), rough_steps_.data(),
            in_rows(error_), in_rows(static_cast<Cost>(brier_))};
}

}  // namespace samrule
