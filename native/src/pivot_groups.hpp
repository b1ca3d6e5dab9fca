/// Large rules that cover similar rows, in groups, and the set of rows that stands for a group.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "conjunctions.hpp"
#include "state.hpp"

namespace samrule {

// Let the rules of a group predict class k, and let S be the rows of class k that some of them
// cover and those of the other class that all of them cover. Put S in the place of one in a list.
// Rows of class k that come in are predicted right now. Rows of the other class that go out were
// predicted wrong, and whatever decides them instead errs on no more of them. So the list errs on
// no more rows than before: if no list with S is wanted, none with a rule of the group is.
class PivotGroups {
  public:
    using Group = std::span<std::int32_t>;

    /// Each rule stays by itself if groups are switched off or there is no memory for their rows.
    PivotGroups(State& state, const ConjunctionProblem& problem, std::size_t klass,
                std::vector<std::int32_t> rules);
    ~PivotGroups() { state_.release_spare(claimed_); }
    PivotGroups(const PivotGroups&) = delete;
    PivotGroups& operator=(const PivotGroups&) = delete;

    /// All rules, in groups that are small enough to be worth a look.
    std::vector<Group> groups();

    /// The set S of a group of two rules or more.
    void copy_set(Group group, std::vector<Word>& to) const;

    /// Two parts of a group of two rules or more: those that are more like one of its rules, and
    /// those that are more like another one, far from it. Changes their order in the group.
    std::array<Group, 2> halves(Group group) const;

  private:
    const Word* rows_of(std::int32_t rule) const {
        return rows_.data() + place_[static_cast<std::size_t>(rule)] * problem_.rows.rows.words;
    }
    std::int64_t shared(std::int32_t a, std::int32_t b) const;
    std::int64_t distance(std::int32_t a, std::int32_t b) const;
    std::int32_t farthest_from(std::int32_t rule, Group group) const;

    State& state_;
    const ConjunctionProblem problem_;
    const std::size_t klass_;
    std::vector<std::int32_t> rules_;  ///< those of a group stand together
    std::vector<std::size_t> place_;   ///< of each candidate's rows
    std::vector<Word> rows_;           ///< of each rule; empty if they stay by themselves
    std::size_t claimed_ = 0;
};

}  // namespace samrule
