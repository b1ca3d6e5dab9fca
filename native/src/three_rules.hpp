/// The best list of three conjunctions, from a table of their pairs.
#pragma once

#include <array>
#include <memory>
#include <span>

#include "conjunctions.hpp"
#include "pair_table.hpp"
#include "representatives.hpp"
#include "triple.hpp"
#include "wanted.hpp"

namespace samrule {

/// What a search for three rules needs most memory for.
struct ThreeRulesRoom {
    KeptRoom table, partners;
    std::size_t claimed() const { return table.claimed() + partners.claimed(); }
};

/// What a first rule, or each of a cluster of first rules, leaves of a problem.
struct AfterFirst {
    const WholeTable* whole;              ///< all rows' pairs, or null
    const ConditionRows* removed;         ///< the rows that are left out
    std::span<const std::int32_t> place;  ///< of each candidate left, among those of `whole`
    bool positive;                        ///< what the first rule predicts
    /// Candidates left that have a turn as first rule before, as a set. (The rules at the beginning
    /// of a list that predict the same may change places: the first turn of them will do.)
    std::span<const Word> earlier;
    /// What each candidate left is worth at least in a wanted list if it predicts class 0 or 1, as
    /// far as the list as a whole says; empty if it says nothing.
    std::array<std::span<const std::int32_t>, 2> worth;
};

/// Finds lists of exactly three rules. The table of pairs is counted once, and may then be asked
/// for lists within different limits.
class ThreeRules {
  public:
    virtual ~ThreeRules() = default;

    /// Counts the table. False if there is no memory for it or the search was stopped.
    virtual bool prepare() = 0;

    /// What every wanted list of three rules, after those `before`, gains more than any list of two
    /// representatives.
    virtual std::int64_t lead_over_two(const Before& before, const Wanted& wanted) = 0;

    /// Offers every list of three rules, after those `before`, that costs no more than the limit
    /// of `wanted`; fewer if the search is stopped.
    virtual void find(const Before& before, Wanted& wanted) = 0;
};

/// Lists of candidates of different groups, for two classes. `after` is null if no rule comes
/// before; its places are those of the representatives. `room` is its own until it is gone.
std::unique_ptr<ThreeRules> make_three_rules(State& state, const Representatives& groups,
                                             ThreeRulesRoom& room,
                                             const AfterFirst* after = nullptr);

/// Bytes that takes for `n` candidates on rows of this weight.
std::size_t three_rules_bytes(std::size_t n, const Two& weight);

}  // namespace samrule
