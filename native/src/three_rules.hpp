/// The best list of three conjunctions, from a table of their pairs.
#pragma once

#include <memory>

#include "conjunctions.hpp"
#include "pair_table.hpp"
#include "wanted.hpp"

namespace samrule {

/// Rules that come before, and what they cost.
struct Before {
    std::vector<std::int32_t> rules;  ///< candidates of the instance
    Cost cost = 0;
};

/// Finds lists of exactly three rules. The table of pairs is counted once, and may then be asked
/// for lists within different limits.
class ThreeRules {
  public:
    virtual ~ThreeRules() = default;

    /// Counts the table. False if there is no memory for it or the search was stopped.
    virtual bool prepare() = 0;

    /// Offers every list of three rules, after those `before`, that costs no more than the limit
    /// of `wanted`; fewer if the search is stopped.
    virtual void find(const Before& before, Wanted& wanted) = 0;
};

/// For two classes.
std::unique_ptr<ThreeRules> make_three_rules(State& state, const ConjunctionProblem& problem);

/// Bytes that takes for `n` candidates on rows of this weight.
std::size_t three_rules_bytes(std::size_t n, const Two& weight);

}  // namespace samrule
