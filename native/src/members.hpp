/// Lists of three rules that are members of three groups, looked at one by one.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "representatives.hpp"
#include "triple.hpp"

namespace samrule {

/// The rows that three rules x, y and z predict as the last rule does: see three_rules.cpp.
enum class Pattern : std::uint8_t {
    x_y_z,          ///< x or y or z
    x_y_without_z,  ///< x or y, without z
    x_or_y_not_z,   ///< x, or y without z
    x_without_y_z,  ///< x without y and z
};

/// Whether the k-th rule of a pattern predicts what the last one does.
constexpr bool is_positive(Pattern pattern, std::size_t k) {
    constexpr std::size_t n_positive[] = {3, 2, 2, 1};
    return k < n_positive[static_cast<std::size_t>(pattern)];
}

class MemberSearch {
  public:
    MemberSearch(State& state, const Representatives& groups) : state_(state), groups_(groups) {}

    /// Calls found(triple) for the lists of a pattern, one rule of each group, that gain at least
    /// goal(), until the search is stopped. The last rule predicts the class `positive`.
    template <class Goal, class Found>
    void find(Pattern pattern, std::size_t positive, const std::array<std::size_t, 3>& group,
              const Goal& goal, const Found& found) {
        std::array<std::int64_t, 3> lead;
        for (std::size_t k = 0; k < 3; ++k) {
            const std::size_t klass = is_positive(pattern, k) ? positive : 1 - positive;
            lead[k] = groups_.most_lead(klass, group[k]);
        }
        const std::int32_t y_first = groups_.representative(group[1]);
        const std::int32_t z_first = groups_.representative(group[2]);
        for (const std::int32_t x : groups_.members(group[0])) {
            if (gain(pattern, positive, {x, y_first, z_first}) + lead[1] + lead[2] < goal())
                continue;
            for (const std::int32_t y : groups_.members(group[1])) {
                if (state_.stopped()) return;
                if (gain(pattern, positive, {x, y, z_first}) + lead[2] < goal()) continue;
                for (const std::int32_t z : groups_.members(group[2]))
                    if (gain(pattern, positive, {x, y, z}) >= goal()) found(triple({x, y, z}));
            }
        }
    }

  private:
    std::int64_t gain(Pattern pattern, std::size_t positive,
                      const std::array<std::int32_t, 3>& rules);
    Triple triple(const std::array<std::int32_t, 3>& rules) const;

    State& state_;
    const Representatives& groups_;
    std::vector<Word> set_;
};

}  // namespace samrule
