/// A few candidates that stand for all, at any price of a group.
#pragma once

#include <cstdint>
#include <vector>

#include "conjunctions.hpp"

namespace samrule {

/// Chooses candidates so that every list of `rules` rules has one of theirs that costs at most
/// `room` more, whose rules may be fewer. All candidates are chosen if there is no memory for
/// their rows.
std::vector<std::int32_t> stand_ins(State& state, const ConjunctionProblem& problem, int rules,
                                    Cost room);

}  // namespace samrule
