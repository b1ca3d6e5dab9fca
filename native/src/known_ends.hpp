/// What followed clusters of first rules that could not be refuted. That often follows others as
/// well, and to look takes far less time than to find it again: so a cluster need not be tried that
/// is known to fail.
#pragma once

#include <cstdint>
#include <mutex>
#include <span>
#include <vector>

#include "conjunctions.hpp"
#include "state.hpp"

namespace samrule {

class KnownEnds {
  public:
    KnownEnds(State& state, const ConjunctionProblem& problem) : state_(state), problem_(problem) {}

    /// Adds rules, candidates of the instance; those that are none of the problem's are left out.
    void add(std::span<const std::int32_t> rules);

    /// Whether one of them errs on no more than `most` of the rows that are not in `u`.
    bool has_one_within(std::int64_t most, const std::vector<Word>& u);

  private:
    bool is_within(std::int64_t most, const std::vector<std::size_t>& rules,
                   std::vector<Word>& left, std::vector<Word>& rule) const;
    std::int64_t errors(const std::vector<Word>& set) const;

    State& state_;
    const ConjunctionProblem problem_;
    std::mutex mutex_;
    std::vector<std::vector<std::size_t>> ends_;  ///< those that were of use last come last
};

}  // namespace samrule
