/// Candidates that are worth looking at.
#pragma once

#include <cstdint>

#include "conjunctions.hpp"

namespace samrule {

/// Those candidates of a problem that classify at least some weight correctly.
class Chosen {
  public:
    /// `reach` is what each candidate may decide elsewhere as well.
    Chosen(const ConjunctionProblem& problem, const Counts& reach, std::int64_t least_correct);
    ConjunctionProblem problem() const { return {rows_, language_, counts_}; }
    const Counts& reach() const { return reach_; }

  private:
    const ConditionRows& rows_;
    Language language_;
    Counts counts_, reach_;
};

}  // namespace samrule
