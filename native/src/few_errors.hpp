/// Lists that err on little: rules are inserted one by one, the one that corrects most first.
#pragma once

#include "conjunctions.hpp"
#include "wanted.hpp"

namespace samrule {

/// Whether wanted lists err on so little that few rules correct enough, and there is memory.
bool errs_on_little(const State& state, const ConjunctionProblem& problem, int rules,
                    const Wanted& wanted);

/// Offers every list of exactly `rules` rules that costs no more than the limit of `wanted`, but
/// those of which some rules alone cost no more; fewer if the search is stopped.
void find_with_few_errors(State& state, const ConjunctionProblem& problem, int rules,
                          Wanted& wanted);

}  // namespace samrule
