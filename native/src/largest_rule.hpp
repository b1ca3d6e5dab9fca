/// Lists of three conjunctions without a table of their pairs.
#pragma once

#include <array>
#include <vector>

#include "conjunctions.hpp"
#include "triple.hpp"
#include "wanted.hpp"

namespace samrule {

/// What each candidate of a problem is worth at least if it predicts class 0 or 1: without it a
/// wanted list errs on so much more.
using LeastWorth = std::array<std::vector<std::int32_t>, 2>;

/// Whether wanted lists err on more than a quarter of a class. Then what is counted on the rows of
/// their largest rule leaves many others.
bool errs_on_a_quarter(const State& state, const ConjunctionProblem& problem, const Wanted& wanted);

/// How many candidates are large enough to be the largest rule of a wanted list.
std::size_t number_of_pivots(const State& state, const ConjunctionProblem& problem,
                             const Wanted& wanted);

/// Offers every list of exactly three rules, after those `before`, that costs no more than the
/// limit of `wanted`; fewer if the search is stopped. For two classes. `other_orders` as in
/// triple.hpp.
void find_three_by_largest(State& state, const ConjunctionProblem& problem, const LeastWorth& worth,
                           const Before& before, bool other_orders, Wanted& wanted);

}  // namespace samrule
