/// The last three rules of lists of conjunctions: by themselves, or after first rules.
#pragma once

#include <cstdint>
#include <vector>

#include "conjunctions.hpp"
#include "pair_table.hpp"
#include "state.hpp"
#include "three_rules.hpp"
#include "wanted.hpp"

namespace samrule {

/// Which problem the rows are of that first rules leave.
struct Origin {
    const Language& language;
    const WholeTable* table;  ///< of all its rows, or null
    const ConditionRows& removed;
    bool positive;                     ///< what the first rule predicts
    const std::vector<Word>& earlier;  ///< candidates that have a turn as first rule before
    Pool<ThreeRulesRoom>& rooms;
};

/// Looks for wanted lists that go on with three rules after the rules `before`; of a wanted list
/// with one rule less each rule must classify `least_in_all` correctly.
void find_three_after(State& state, const ConjunctionProblem& problem, const Counts& reach,
                      std::int64_t least_in_all, const Before& before, const Origin& origin,
                      Wanted& wanted);

/// Looks for wanted lists of three rules.
void find_three(State& state, const ConjunctionProblem& problem, std::int64_t least_correct,
                Wanted& wanted);

}  // namespace samrule
