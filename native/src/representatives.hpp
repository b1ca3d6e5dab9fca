/// Candidates that cover nearly the same rows, in groups, and the one that stands for each group.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "conjunctions.hpp"

namespace samrule {

// Put representative r of its group in the place of rule i of a list. Predictions change on rows
// that one of the two covers and the other does not. If rule i predicts class k, of those rows the
// list with i is right and the one with r wrong at most on the rows of class k that only i covers,
// and on the others that only r covers: more rows covered means more rows predicted k. So
//   gain of the list with i <= gain of the list with r + lead(k, i),
//   lead(k, i) = weight of class k in i without r + weight of the other class in r without i.
// All leads in a group are at most the radius.
class Representatives {
  public:
    /// Every candidate is its own group if there is no radius (it is negative), no memory, or too
    /// little to be gained.
    Representatives(State& state, const ConjunctionProblem& all, std::int64_t radius);
    ~Representatives() { state_.release_spare(claimed_); }
    Representatives(const Representatives&) = delete;
    Representatives& operator=(const Representatives&) = delete;

    /// The same with the representatives as candidates.
    ConjunctionProblem problem() const { return {all_.rows, language_, counts_}; }
    /// The problem that they are the representatives of.
    const ConjunctionProblem& all() const { return all_; }

    bool has_groups() const { return !words_.empty(); }
    /// The candidates that representative r stands for, itself among them.
    std::span<const std::int32_t> members(std::size_t r) const {
        return {members_.data() + first_[r], first_[r + 1] - first_[r]};
    }
    std::int32_t representative(std::size_t r) const { return chosen_[r]; }
    /// The most that a list gains if a member of group r takes its place and predicts class k.
    std::int32_t most_lead(std::size_t k, std::size_t r) const { return most_lead_[k][r]; }
    /// The most of all groups.
    std::int32_t radius() const { return radius_; }
    /// The rows that a candidate covers, if there are groups.
    const Word* rows_of(std::int32_t i) const {
        return words_.data() + static_cast<std::size_t>(i) * all_.rows.rows.words;
    }

  private:
    void copy_rows();
    std::vector<std::int32_t> group(std::int64_t radius);
    Two shared(std::int32_t i, std::int32_t j) const;
    void set_groups(const std::vector<std::int32_t>& stands_for);

    State& state_;
    const ConjunctionProblem all_;
    std::vector<Word> words_;
    std::size_t claimed_ = 0;
    std::vector<std::int32_t> chosen_;  ///< the representatives
    std::vector<std::int32_t> members_;
    std::vector<std::size_t> first_;
    std::array<std::vector<std::int32_t>, 2> lead_, most_lead_;
    std::int32_t radius_ = 0;
    Language language_;
    Counts counts_;
};

}  // namespace samrule
