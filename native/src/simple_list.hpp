/// A list after a cluster of first rules, made without looking far.
#pragma once

#include <cstdint>
#include <vector>

#include "conjunctions.hpp"
#include "state.hpp"
#include "triple.hpp"
#include "wanted.hpp"

namespace samrule {

/// A list after a cluster, of which only the cost matters: the rules `first`, then the best next
/// rule, one after the other, until they are `n_rules`; idle ones are paid for. Most clusters that
/// cannot be refuted are known by it.
class SimpleList {
  public:
    SimpleList(State& state, const ConjunctionProblem& problem) : state_(state), problem_(problem) {
        problem.rows.copy_conjunction({}, left_);
    }

    void offer(const std::vector<std::int32_t>& first, int n_rules, const Before& before,
               Wanted& wanted);

  private:
    void add(std::int32_t rule);

    State& state_;
    const ConjunctionProblem problem_;
    std::vector<std::int32_t> rules_;
    std::vector<Word> left_;  ///< rows that no rule has decided yet
    std::vector<Word> rule_;
    std::int64_t wrong_ = 0;
    ConditionRows rows_;
    Counts counts_;
};

}  // namespace samrule
