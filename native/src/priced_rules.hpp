/// Lists of two and three conjunctions at any price of a group; two classes.
#pragma once

#include "conjunctions.hpp"
#include "wanted.hpp"

namespace samrule {

/// Offers every list of two rules that costs no more than the limit of `wanted`; fewer if the
/// search is stopped.
void find_two_priced_rules(State& state, const ConjunctionProblem& problem, Wanted& wanted);

/// The same for three rules. Needs memory for a table of all pairs; the search is stopped if there
/// is none.
void find_three_priced_rules(State& state, const ConjunctionProblem& problem, Wanted& wanted);

}  // namespace samrule
