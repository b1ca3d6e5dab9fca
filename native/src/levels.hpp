/// Level after level: the least cost with at most 0, 1, 2, ... rules, and for the most rules a
/// lower bound that rises from early on.
///
/// Each level builds on the exact values of those before it. On the last one the search first
/// proves that there is no list much cheaper than the best known, then none a little cheaper, then
/// none cheaper at all; or it stops where a tolerance allows. When it takes long to get there, the
/// bound is raised in between.
#pragma once

#include <functional>
#include <vector>

#include "local_search.hpp"
#include "state.hpp"

namespace samrule {

/// How one level is searched.
struct LevelSearch {
    /// Lower bound on the least cost with at most `rules` rules, exact if below state.best();
    /// cheaper lists are offered as incumbents. `fewer` is a lower bound with one rule less.
    std::function<Cost(int rules, Cost fewer)> solve;
    /// Of the lists that cost `optimum` and have exactly `rules` rules, as few as possible, the
    /// first in order. Empty if stopped.
    std::function<std::vector<std::int32_t>(int rules, Cost optimum)> first_list;
    /// The best list it found before the level that allows it; may be left out.
    std::function<Prefix()> found_ahead = {};
    /// Good bounds can be had for a level before the one below it is solved.
    bool can_skip_levels = false;
    /// On the last level it raises the bound in steps itself.
    bool has_own_ladder = false;
};

/// What others want to know while levels are searched, and what time it is.
struct LevelWatch {
    std::function<void(int rules)> started;
    std::function<void(Cost bound)> proven;
    /// Since the call of solve, and in all; if work is limited it is the clock.
    std::function<double()> seconds;
    double time_limit;
};

class Levels {
  public:
    Levels(State& state, const LocalSearch& good_lists, LevelSearch search, LevelWatch watch);

    /// Searches all levels, or until stopped. Returns the list to answer with.
    Prefix run();

    /// path()[j]: least cost with at most j rules, as far as proven.
    const std::vector<Cost>& path() const { return path_; }

    /// The last level was searched no further than the tolerance asked; what is proven then. (More
    /// may have been on the way, but that depends on the time it took.)
    bool within_tolerance() const { return within_tolerance_; }
    Cost wanted_bound() const { return wanted_bound_; }

  private:
    enum class Answer { none_cheaper, solved, stopped };

    bool exact_level(int rules);
    bool last_level();
    Answer climb(const Prefix& start);
    bool climbing_pays(double started) const;
    void look_ahead(int rules);
    void climb_ahead(int rules);
    bool will_not_end(double level_seconds) const;
    Answer prove(int rules, Cost target);
    Cost target(Cost cost, double tolerance) const;
    Prefix start_list();
    Prefix first_list(Cost optimum);
    Prefix best_known() const { return {state_.best_rules(), state_.incumbent()}; }
    void offer(const Prefix& list) { state_.offer(list.cost, list, {}); }
    void offer_found_ahead();
    void learn(int rules, Cost bound);

    State& state_;
    const LocalSearch& good_lists_;
    const LevelSearch search_;
    const LevelWatch watch_;
    const int most_rules_;
    std::vector<Cost> path_;
    std::vector<Cost> bound_;  ///< bound_[r]: lower bound on the least cost with at most r rules
    Prefix found_ahead_;       ///< a list found while the bound was raised ahead of its level
    double level_began_ = 0;   ///< seconds
    bool within_tolerance_ = false;
    Cost wanted_bound_ = 0;
};

}  // namespace samrule
