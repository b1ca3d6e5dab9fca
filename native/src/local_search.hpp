/// Good rule lists, found quickly and without proof: what the exact search tries to beat, and what
/// it answers with if it is stopped early.
///
/// A list is changed one rule at a time, and each time the best candidate at the best place is
/// known exactly. The rows that each rule of a list decides, and those left to the default, are
/// disjoint sets; one pass over the candidates counts the classes of each candidate in such a set,
/// and from these counts follows the cost of every candidate inserted at every place.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "node.hpp"
#include "state.hpp"

namespace samrule {

class LocalSearch {
  public:
    explicit LocalSearch(State& state);

    /// Looks for lists of 1, 2, ..., `max_rules` rules, first of single conditions, then of longer
    /// and longer conjunctions. Ends when nothing gets better, or after about `work` words of
    /// candidates were counted; then later lists are what suffers. The same lists on every machine,
    /// with any kernels and threads.
    void run(int max_rules, std::uint64_t work);

    /// The cheapest list found that has at most `rules` rules; the one without rules if none.
    const Prefix& best(int rules) const;

    /// Adds a list found elsewhere.
    void add(const Prefix& list);

  private:
    struct DecidedRows;
    struct List;
    struct Insertion;

    void run_on(std::size_t n_candidates, std::size_t max_rules);
    void climb(std::size_t max_rules, int purity);
    void climb_from_best(std::size_t max_rules);
    void descend(std::size_t max_rules);
    void improve(List& list);
    bool fill_up(List& list, std::size_t n_rules);
    bool replace_one(List& list);
    bool replace_two(List& list);
    void keep(const List& list);

    Insertion best_insertion(List& list);
    bool count(List& list);
    void count(DecidedRows& rows) const;
    void spend_pass();  ///< the work of counting every candidate in one set of rows
    Cost penalty(const Gain& gain) const;
    Cost price(const List& list) const;

    List list_of(std::vector<std::int32_t> rules, const List& like) const;
    List without(const List& list, std::size_t place) const;
    List with(const List& list, const Insertion& insertion) const;
    std::shared_ptr<DecidedRows> decided(const std::vector<Word>& bits, const List& like) const;
    bool exhausted() const { return work_left_ <= 0 || state_.stopped(); }

    State& state_;
    const Instance& instance_;
    std::size_t n_candidates_ = 0;      ///< the first so many are looked at
    std::vector<std::int32_t> totals_;  ///< class after class, the weight of each of them
    int purity_ = 0;                    ///< see penalty()
    std::int64_t work_left_ = 0;
    std::size_t claimed_ = 0;   ///< bytes
    std::vector<Prefix> best_;  ///< best_[r]: of at most r rules
};

}  // namespace samrule
