/// The search among tens of thousands of conjunctions of two classes: level after level without a
/// tree, and bounds for more rules before the levels between are solved.
#pragma once

#include <functional>
#include <limits>
#include <vector>

#include "conjunctions.hpp"
#include "three_rules.hpp"
#include "wanted.hpp"

namespace samrule {

/// What a search for conjunctions may build on, and whom it tells.
struct ConjunctionWatch {
    /// Every list of the most rules costs at least so much.
    std::function<void(Cost)> proven;
    /// Since the start; as counted, if work is limited.
    std::function<double()> seconds;
    /// The cost of some list of at most so many rules.
    std::function<Cost(int rules)> known;
};

class ConjunctionSearch {
  public:
    ConjunctionSearch(State& state, ConjunctionWatch watch);

    /// Whether this search can answer the question, and is the better one to ask.
    static bool suits(const State& state);

    /// The least cost with at most `rules` rules, if `fewer` is that with one less; better lists
    /// are offered to the state.
    Cost solve(int rules, Cost fewer);

    /// Of the lists of `rules` rules that were proven best, the one that comes first.
    const std::vector<std::int32_t>& first_list(int rules) const {
        return first_[static_cast<std::size_t>(rules)];
    }

    /// The best list found before its level was reached; one that costs more than any if there is
    /// none.
    Prefix found_ahead() const;

  private:
    /// How far lists of exactly so many rules were searched.
    struct Climb {
        std::size_t n_steps = 0;  ///< taken, or left out, before the level itself
        double seconds = -1;      ///< of the last one
        /// Of candidates, that it met: subproblems opened, times the square of all candidates.
        double pairs = std::numeric_limits<double>::infinity();
        CostedList found{};     ///< the best so far, if any
        bool is_found = false;  ///< and of all
    };

    void find_in_steps(int rules, Wanted& wanted);
    bool is_ahead_shorter(int rules, int more) const;
    void climb(int rules);
    bool take_step(int rules, Cost target, Wanted& better);
    bool is_little(int rules, Cost cost) const;
    bool looks_ahead() const;
    bool is_worth_steps(int rules, bool saves_much) const;
    std::vector<double> steps(int rules) const;
    double next_seconds(int rules) const;
    void find_within(int rules, Wanted& wanted);
    void learn(int rules, Cost bound);
    Climb& climb_of(int rules) { return climbs_[static_cast<std::size_t>(rules)]; }
    const Climb& climb_of(int rules) const { return climbs_[static_cast<std::size_t>(rules)]; }
    Cost bound(int rules) const { return bound_[static_cast<std::size_t>(rules)]; }

    State& state_;
    const ConjunctionWatch watch_;
    const int most_rules_;
    Conjunctions all_;
    Counts counts_;
    std::vector<std::vector<std::int32_t>> first_;
    std::vector<Climb> climbs_;  ///< by number of rules
    std::vector<Cost> bound_;    ///< bound_[r]: lower bound on the cost of at most r rules
};

}  // namespace samrule
