/// Lists of three conjunctions at any price of a group; two classes.
#pragma once

#include <memory>

#include "conjunctions.hpp"
#include "wanted.hpp"

namespace samrule {

/// What is counted once of some candidates, to look for lists of three again and again.
class PricedTriples {
  public:
    virtual ~PricedTriples() = default;

    /// Offers every list of three rules that costs no more than the limit of `wanted`, if all rules
    /// of such a list are worth at least `least_worth`; fewer if the search is stopped.
    virtual void find(Wanted& wanted, Cost least_worth) = 0;
};

/// Whether there is memory for n candidates on such rows.
bool have_room_for_triples(const State& state, const ConditionRows& rows, std::size_t n);

/// Null if there is no memory for it or the search is stopped. The problem must outlive it.
std::unique_ptr<PricedTriples> priced_triples(State& state, const ConjunctionProblem& problem);

}  // namespace samrule
