/// The best list of two conjunctions, without a table of their pairs.
#pragma once

#include "conjunctions.hpp"
#include "wanted.hpp"

namespace samrule {

/// Offers every list of two rules that costs no more than the limit of `wanted`. Two classes. Does
/// less if the search is stopped.
void find_two_rules(State& state, const ConjunctionProblem& problem, Wanted& wanted);

/// The same for lists of one rule.
void find_one_rule(const State& state, const ConjunctionProblem& problem, Wanted& wanted);

/// What a list must gain to cost at most `limit`: the weight it classifies correctly beyond what
/// its default does on rows of the default's class. `wrong` is the default's errors alone.
std::int64_t least_gain(std::int64_t wrong, int rules, Cost rule_cost, Cost limit);

}  // namespace samrule
