/// Lists of four and more conjunctions: the first rule is chosen, and what it leaves is solved.
#pragma once

#include "conjunctions.hpp"
#include "three_rules.hpp"
#include "wanted.hpp"

namespace samrule {

/// Offers every list of exactly `rules` rules (at least three) that costs no more than the limit of
/// `wanted`; fewer if the search is stopped. Every rule of such a list classifies at least
/// `least_correct` weight correctly.
void find_lists(State& state, const ConjunctionProblem& problem, int rules,
                std::int64_t least_correct, Wanted& wanted);

}  // namespace samrule
