/// What followed clusters of first rules that could not be refuted. That often follows others as
/// well, and to look takes far less time than to find it again: so a cluster need not be tried that
/// is known to fail, and one that is tried can be chosen so that it will not.
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
    /// The default alone is known from the start.
    KnownEnds(State& state, const ConjunctionProblem& problem)
        : state_(state), problem_(problem), ends_(1) {}

    /// Adds rules, candidates of the instance; those that are none of the problem's are left out.
    void add(std::span<const std::int32_t> rules);

    /// Whether one of them errs on no more than `most` of the rows that are not in `u`.
    bool has_one_within(std::int64_t most, const std::vector<Word>& u);

    /// The one that errs least on the rows that are not in `u`: on how much, and on which.
    struct Least {
        std::int64_t errors;
        std::vector<Word> rows;
    };
    Least least(const std::vector<Word>& u);

  private:
    struct Lesser {
        std::size_t klass;
        std::int64_t weight;
    };
    std::int64_t errors(const std::vector<std::size_t>& rules, std::int64_t most,
                        std::vector<Word>& left, std::vector<Word>* wrong) const;
    Lesser lesser_class(const std::vector<Word>& set) const;
    void add_rows(const std::vector<Word>& set, std::size_t klass, std::vector<Word>& to) const;
    void move_last(std::size_t k);

    State& state_;
    const ConjunctionProblem problem_;
    std::mutex mutex_;
    std::vector<std::vector<std::size_t>> ends_;  ///< those that were of use last come last
};

}  // namespace samrule
