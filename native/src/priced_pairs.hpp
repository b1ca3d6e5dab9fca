/// Lists of two conjunctions at any price of a group; two classes.
#pragma once

#include "conjunctions.hpp"
#include "wanted.hpp"

namespace samrule {

/// Offers every list of two rules that costs no more than the limit of `wanted`; fewer if the
/// search is stopped.
void find_two_priced_rules(State& state, const ConjunctionProblem& problem, Wanted& wanted);

}  // namespace samrule
