/// Good rule lists, found quickly and without proof: what the exact search tries to beat, and what
/// it answers with if it is stopped early.
///
/// A list is changed one rule at a time, and each time the best candidate at the best place is
/// known exactly. The rows that each rule of a list decides, and those left to the default, are
/// disjoint sets; one pass over the candidates counts the classes of each candidate in such a set,
/// and from these counts follows the cost of every candidate inserted at every place.
///
/// The search goes in stages, one for each number of rules and of terms. A stage builds on stages
/// of fewer rules or terms alone, and how much work it may do does not depend on stages to come. So
/// a question takes all the steps of every smaller one, and never has a worse list.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <set>
#include <vector>

#include "node.hpp"
#include "set_counter.hpp"
#include "state.hpp"

namespace samrule {

class LocalSearch {
  public:
    /// The most operations that the stage of so many rules and terms, with so many candidates, and
    /// the stages it builds on may take together. Grows with rules and terms.
    using Budget =
        std::function<double(std::size_t rules, std::size_t n_terms, std::size_t n_candidates)>;

    explicit LocalSearch(State& state);

    /// Looks for lists of 1, 2, ..., `max_rules` rules, first of single conditions, then of longer
    /// and longer conjunctions. Ends when nothing gets better or the budget is spent. The same
    /// lists on every machine, with any kernels and threads.
    void run(int max_rules, const Budget& budget);

    /// The cheapest list found that has at most `rules` rules; the one without rules if none.
    const Prefix& best(int rules) const;

    /// Adds a list found elsewhere.
    void add(const Prefix& list);

  private:
    using Rules = std::vector<std::int32_t>;
    struct DecidedRows;
    struct List;
    struct Insertion;
    struct Stage;
    struct Climb;
    struct Series;

    void run_on(std::size_t n_candidates, const Budget& budget, std::vector<Stage>& stages);
    void run_stage(Series& series, std::size_t n_rules);
    void climb(Climb& climb, std::size_t n_rules);
    void improve_best(Series& series, std::size_t n_rules);
    void shorten_best(Series& series, std::size_t n_rules);
    void vary_best(Series& series, std::size_t n_rules);
    void vary(const List& list, std::size_t n_out, std::size_t first, std::size_t n_rules,
              int purity);
    void improve(List& list);
    bool fill_up(List& list, std::size_t n_rules);
    bool replace_one(List& list);
    bool replace_two(List& list);
    void keep(const List& list);

    Insertion best_insertion(List& list);
    void scan_any_loss(const List& list, Insertion& best) const;
    template <class Score, class ScoreOf>
    void scan_two_classes(const List& list, const ScoreOf& score_of, Insertion& best) const;
    bool has_quick_scan() const;
    Cost price_with(const List& list, const Insertion& insertion) const;
    bool count_everything();
    bool count(List& list);
    bool count(DecidedRows& rows);
    bool spend(std::uint64_t operations);
    std::uint64_t work_of_insertion(const List& list) const;
    Cost penalty(const Gain& gain) const;
    Cost price(const List& list) const;

    List list_of(Rules rules, const List& like) const;
    List without(const List& list, std::size_t place) const;
    List with(const List& list, const Insertion& insertion) const;
    std::shared_ptr<DecidedRows> decided(const std::vector<Word>& bits, const List& like,
                                         std::int32_t rule) const;

    State& state_;
    const Instance& instance_;
    std::size_t max_rules_ = 0;
    std::size_t n_candidates_ = 0;                   ///< the first so many are looked at
    std::unique_ptr<SetCounter> counter_;            ///< of these
    std::shared_ptr<const DecidedRows> everything_;  ///< all rows, counted; null at first
    int purity_ = 0;                                 ///< see penalty()
    double allowed_ = 0;         ///< operations of the stage and those it builds on
    double spent_ = 0;           ///< by them
    bool is_exhausted_ = false;  ///< the stage wanted to spend more
    std::size_t claimed_ = 0;    ///< bytes
    std::set<Rules> improved_;   ///< lists that no replacement improves
    std::vector<Prefix> best_;   ///< best_[r]: of at most r rules
};

}  // namespace samrule
