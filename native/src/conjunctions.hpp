/// Candidate rules as conjunctions of base conditions, and how they are counted on some rows.
///
/// Tens of thousands of conjunctions are made of a few hundred conditions. So only conditions are
/// packed, and the conjunctions of a family, which share all conditions but the last, are counted
/// together: the rows of what they share meet eight last conditions at a time.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "node.hpp"
#include "state.hpp"

namespace samrule {

/// Candidates [first, last) of a language, which share all conditions but the last.
struct Family {
    std::size_t first;
    std::size_t last;
};

/// The terms of many candidates, in one array: tens of thousands of small ones take longer to make
/// than all candidates take to count.
class TermLists {
  public:
    std::size_t size() const { return ends_.size() - 1; }
    std::span<const std::int32_t> operator[](std::size_t i) const {
        return {values_.data() + ends_[i], ends_[i + 1] - ends_[i]};
    }
    void push_back(std::span<const std::int32_t> terms) {
        values_.insert(values_.end(), terms.begin(), terms.end());
        ends_.push_back(values_.size());
    }
    void reserve(std::size_t n, std::size_t n_terms) {
        values_.reserve(n_terms);
        ends_.reserve(n + 1);
    }

  private:
    std::vector<std::int32_t> values_;
    std::vector<std::size_t> ends_{0};
};

/// Candidates in an order that keeps families together. Conditions are numbered by how much they
/// cover, least first, and families are in the order of their prefixes, single conditions last: so
/// of two candidates the first mostly covers less, and is the one whose rows are looked at.
struct Language {
    std::size_t n_conditions = 0;
    std::vector<std::int32_t> candidate;  ///< its number in the instance
    TermLists terms;                      ///< conditions, ascending
    std::vector<std::int32_t> last;       ///< the last condition of each
    std::vector<Family> families;
    std::size_t first_group = 0;  ///< groups of conditions before it are in no candidate

    std::size_t size() const { return candidate.size(); }
    std::int32_t last_term(std::size_t i) const { return last[i]; }
    /// What the candidates of a family share.
    std::span<const std::int32_t> prefix(const Family& family) const {
        const auto first = terms[family.first];
        return first.first(first.size() - 1);
    }
    /// The candidates from here on are single conditions.
    std::size_t first_single() const {
        return !families.empty() && prefix(families.back()).empty() ? families.back().first
                                                                    : size();
    }
    /// The language of some of the candidates, which are given in ascending order.
    Language only(std::span<const std::int32_t> chosen) const;
};

/// Weights of the two classes.
struct Two {
    std::int64_t negative = 0;  ///< class 0
    std::int64_t positive = 0;  ///< class 1
    std::int64_t all() const { return negative + positive; }
};

/// Some rows, and the conditions that hold on them, in groups (see group_size).
struct ConditionRows {
    PackedRows rows;
    std::vector<Word> groups;
    std::size_t n_groups = 0;
    Two weight;

    /// The rows on which condition c holds.
    void copy_condition(std::size_t c, std::vector<Word>& to) const;
    /// The rows on which all terms hold; all rows if there are none.
    void copy_conjunction(std::span<const std::int32_t> terms, std::vector<Word>& to) const;
};

/// The conditions of an instance on all its rows, and the candidates made of them.
struct Conjunctions {
    Language language;
    ConditionRows rows;
};
/// With the first `n_candidates` of the instance: at least all single conditions.
Conjunctions conjunctions_of(const Instance& instance, std::size_t n_candidates);

/// Packs the rows in `keep` together. What holds there of conditions of groups before `first_group`
/// is left unsaid.
void keep_rows(const Kernels& kernels, const ConditionRows& from, const std::vector<Word>& keep,
               ConditionRows& to, std::size_t first_group = 0);
/// The rows of `rows` that are not in `set`.
void complement_of(const ConditionRows& rows, std::vector<Word>& set);

/// The rows that candidates of a language cover, one candidate after the other: what the first
/// conditions of the last one left is kept for the next. Conditions that are in no candidate are
/// not packed.
class CoveredRows {
  public:
    CoveredRows(const Kernels& kernels, const ConditionRows& all, const Language& language)
        : kernels_(kernels), all_(all), first_group_(language.first_group) {}
    /// The rows on which all terms hold, with groups of conditions from `first_group` on.
    const ConditionRows& of(std::span<const std::int32_t> terms, std::size_t first_group = 0);

  private:
    const Kernels& kernels_;
    const ConditionRows& all_;
    const std::size_t first_group_;
    std::vector<std::int32_t> terms_;
    std::vector<ConditionRows> within_;  ///< within_[t]: rows on which the first t + 1 terms hold
    std::vector<std::size_t> from_;      ///< from_[t]: the first group that is packed there
    std::vector<Word> keep_;
};

/// Counts of a language's candidates on some rows, by class.
struct Counts {
    std::array<std::vector<std::int32_t>, 2> of_class;
    std::int32_t negative(std::size_t i) const { return of_class[0][i]; }
    std::int32_t positive(std::size_t i) const { return of_class[1][i]; }
    void resize(std::size_t n) {
        for (auto& counts : of_class) counts.resize(n);
    }
};

/// A subproblem: some rows, the candidates that may follow, their counts there.
struct ConjunctionProblem {
    const ConditionRows& rows;
    const Language& language;
    const Counts& counts;
};

/// Counts candidates; keeps its space for the next rows.
class CandidateCounter {
  public:
    explicit CandidateCounter(const Kernels& kernels) : kernels_(kernels) {}

    /// Counts the candidates from `first` on.
    void count(const ConditionRows& rows, const Language& language, std::size_t first,
               Counts& counts) {
        count(rows, language, first, language.size(), counts);
    }
    /// Those before `last`, which begins a family.
    void count(const ConditionRows& rows, const Language& language, std::size_t first,
               std::size_t last, Counts& counts);
    /// Counts the conditions; on the rows of a set, if there is one, and from a group on.
    void count_conditions(const ConditionRows& rows, Counts& counts);
    void count_conditions(const ConditionRows& rows, const std::vector<Word>& set, Counts& counts,
                          std::size_t first_group = 0);
    /// Counts the candidates of a family whose last condition lies in groups that are `wanted`; on
    /// the rows of a set, if there is one.
    void count_family(const ConditionRows& rows, const Language& language, const Family& family,
                      const std::vector<std::uint8_t>& wanted, Counts& counts,
                      const std::vector<Word>* set = nullptr);

  private:
    void set_prefix(const ConditionRows& rows, std::span<const std::int32_t> prefix);
    void find_words(const ConditionRows& rows, const std::vector<Word>& set);

    const Kernels& kernels_;
    std::vector<Word> set_;
    SparseWords sparse_;
    Counts of_conditions_;
};

}  // namespace samrule
