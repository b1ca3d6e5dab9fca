#include "alive_conditions.hpp"

#include <algorithm>
#include <numeric>

namespace samrule {

void copy_diagonals(AliveConditions& conditions, std::size_t n_classes) {
    conditions.singles.clear();
    for (std::size_t c = 0; c < n_classes; ++c)
        for (std::size_t i = 0; i < conditions.size(); ++i)
            conditions.singles.push_back(conditions.shared(c, i)[i]);
}

void find_complements(const State& state, AliveConditions& conditions) {
    std::vector<std::int32_t>& order = conditions.by_candidate;
    const auto candidate = [&](std::int32_t k) {
        return conditions.candidate[static_cast<std::size_t>(k)];
    };
    order.resize(conditions.size());
    std::iota(order.begin(), order.end(), 0);
    std::sort(order.begin(), order.end(),
              [&](std::int32_t a, std::int32_t b) { return candidate(a) < candidate(b); });
    conditions.complement.assign(conditions.size(), -1);
    for (const std::int32_t k : order) {
        const std::int32_t other =
            state.instance.complement[static_cast<std::size_t>(candidate(k))];
        const auto found = std::lower_bound(
            order.begin(), order.end(), other,
            [&](std::int32_t at, std::int32_t wanted) { return candidate(at) < wanted; });
        if (other >= 0 && found != order.end() && candidate(*found) == other)
            conditions.complement[static_cast<std::size_t>(k)] = *found;
    }
}

void find_twins(AliveConditions& conditions, std::size_t n_classes) {
    const std::size_t n = conditions.size();
    conditions.is_twin.assign(n, 0);
    std::vector<std::int32_t> order(n);
    std::iota(order.begin(), order.end(), 0);
    const auto weights_differ = [&](std::int32_t a, std::int32_t b) {
        for (std::size_t c = 0; c < n_classes; ++c) {
            const auto wa = conditions.weight_of(c, static_cast<std::size_t>(a));
            const auto wb = conditions.weight_of(c, static_cast<std::size_t>(b));
            if (wa != wb) return wa < wb ? -1 : 1;
        }
        return 0;
    };
    std::sort(order.begin(), order.end(), [&](std::int32_t a, std::int32_t b) {
        const int d = weights_differ(a, b);
        return d != 0 ? d < 0
                      : conditions.candidate[static_cast<std::size_t>(a)] <
                            conditions.candidate[static_cast<std::size_t>(b)];
    });
    for (std::size_t first = 0, k = 0; k < n; ++k) {
        if (weights_differ(order[first], order[k]) != 0) first = k;
        const auto j = static_cast<std::size_t>(order[k]);
        for (std::size_t e = first; e < k && !conditions.is_twin[j]; ++e) {
            const auto i = static_cast<std::size_t>(order[e]);
            bool same = !conditions.is_twin[i];
            for (std::size_t c = 0; c < n_classes && same; ++c)
                same = conditions.shared(c, i)[j] == conditions.weight_of(c, j);
            if (same) conditions.is_twin[j] = 1;
        }
    }
}

}  // namespace samrule
