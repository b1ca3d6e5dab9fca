/// Two rules that made a wanted list with the set that stands for some pivots. They often do so
/// with the sets of others, and to look takes far less time than to find them again.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "conjunctions.hpp"
#include "state.hpp"

namespace samrule {

/// The rows that a pivot i and two rules x, y predict positive: see largest_rule.cpp.
enum class Beside : std::uint8_t {
    adds_both,         ///< i or x or y
    takes_both,        ///< i without x and y
    adds_x_takes_y,    ///< i or x, without y
    adds_x_without_y,  ///< i, or x without y
    adds_x_after_y,    ///< i without y, or x
};

class PivotCompany {
  public:
    PivotCompany(State& state, const ConditionRows& rows) : state_(state), rows_(rows) {}

    /// Adds two rules, by their conditions.
    void add(Beside beside, std::size_t positive, std::span<const std::int32_t> x,
             std::span<const std::int32_t> y);

    /// Whether one of them makes a list that gains so much with `set` as pivot.
    bool has_one_for(const std::vector<Word>& set, std::size_t positive, std::int64_t gain);

  private:
    /// The list predicts positive what is in `kept` of the pivot, and what is in `added`.
    struct Company {
        std::size_t positive;
        std::vector<Word> kept, added;
    };
    std::int64_t gain_of(const std::vector<Word>& set, const Company& company);

    State& state_;
    const ConditionRows& rows_;
    std::vector<Company> known_;  ///< those that were of use last come last
    std::vector<Word> predicted_;
};

}  // namespace samrule
