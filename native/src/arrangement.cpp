#include "arrangement.hpp"

namespace samrule {

void arrange(const AliveConditions& conditions, const std::vector<std::int32_t>& chosen,
             Arrangement& arrangement, const std::vector<std::uint8_t>* leads) {
    std::vector<std::uint8_t> is_chosen(conditions.size(), 0);
    for (const std::int32_t k : chosen) is_chosen[static_cast<std::size_t>(k)] = 1;
    const auto may_lead = [&](std::int32_t k) {
        return leads == nullptr || (*leads)[static_cast<std::size_t>(k)] != 0;
    };
    std::vector<std::int32_t> alone, last_only, complements;
    arrangement.index.clear();
    for (const std::int32_t k : conditions.by_candidate) {
        if (!is_chosen[static_cast<std::size_t>(k)]) continue;
        const std::int32_t other = conditions.complement[static_cast<std::size_t>(k)];
        const std::int32_t partner =
            other >= 0 && is_chosen[static_cast<std::size_t>(other)] ? other : -1;
        // The first of the two has spoken for both.
        if (partner >= 0 && conditions.candidate[static_cast<std::size_t>(k)] >
                                conditions.candidate[static_cast<std::size_t>(partner)])
            continue;
        if (partner >= 0 && may_lead(k) && may_lead(partner)) {
            arrangement.index.push_back(k);
            complements.push_back(partner);
        } else if (may_lead(k)) {
            alone.push_back(k);
        } else if (partner >= 0 && may_lead(partner)) {
            alone.push_back(partner);
        } else {
            last_only.push_back(k);
        }
    }
    arrangement.n_paired = complements.size();
    arrangement.index.insert(arrangement.index.end(), alone.begin(), alone.end());
    arrangement.n_leading = arrangement.index.size();
    arrangement.index.insert(arrangement.index.end(), last_only.begin(), last_only.end());
    arrangement.index.insert(arrangement.index.end(), complements.begin(), complements.end());
}

}  // namespace samrule
