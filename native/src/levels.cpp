#include "levels.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "leaf.hpp"

namespace samrule {
namespace {

/// How far below the best list known the bound is proven, step by step.
constexpr std::array ladder{0.5, 0.3, 0.2, 0.15, 0.1, 0.05, 0.02};

/// A step that is hardly shorter than the last, to the tolerance asked for, is left to that one.
constexpr double hardly_shorter = 1.2;

/// The same ahead of the levels between, in fewer steps: each of them raises all these levels.
constexpr std::array ladder_ahead{0.7, 0.5, 0.3, 0.15, 0.05, 0.02};

/// How much nearer than in proportion the levels between come to their best lists. (Adult, eight
/// rules within 15 %: 45 CPU seconds once seven are known within 5 %; within 20 % not after 98 once
/// seven are known within 15 %.) The first step is to be short.
double nearer(double tolerance) { return tolerance > ladder.front() ? 1 : 2.0 / 3; }

/// Seconds before the last level from which on a bound on the way is worth its price.
constexpr double long_search = 2;

/// Seconds that the last level is searched for before the bound is raised again.
constexpr double patience = 10;

/// A step of the ladder is taken to last so many times as long as the one before.
constexpr double steeper = 4;

/// A level is taken to last so many times as long as the one before, or as many as that did.
constexpr double growth = 8;

/// So many times as long as the next level takes what comes after it, at least.
constexpr double beyond = 4;

}  // namespace

Levels::Levels(State& state, const LocalSearch& good_lists, LevelSearch search, LevelWatch watch)
    : state_(state),
      good_lists_(good_lists),
      search_(std::move(search)),
      watch_(std::move(watch)),
      most_rules_(state.options.max_rules),
      bound_(static_cast<std::size_t>(most_rules_) + 1, 0),
      found_ahead_{{}, std::numeric_limits<Cost>::max()} {}

Prefix Levels::run() {
    for (int rules = 0; rules <= most_rules_; ++rules) {
        level_began_ = watch_.seconds();
        if (rules < most_rules_) watch_.started(rules);
        // So many rules cost more than the best list does: no longer list is better.
        if (rules > 0 && rules * state_.rule_cost >= state_.best() && state_.rule_cost > 0) {
            path_.resize(bound_.size(), state_.best());
            break;
        }
        if (!(rules < most_rules_ ? exact_level(rules) : last_level())) return best_known();
    }
    if (within_tolerance_) return best_known();
    learn(most_rules_, path_.back());
    const Prefix first = first_list(path_.back());
    return state_.stopped() ? best_known() : first;
}

/// False if stopped.
bool Levels::exact_level(int rules) {
    offer(good_lists_.best(rules));
    search_.solve(rules, rules == 0 ? 0 : path_.back());
    if (!state_.stopped()) {
        path_.push_back(state_.best());
        learn(rules, state_.best());
        look_ahead(rules);
    }
    if (!state_.stopped()) return true;
    offer(good_lists_.best(most_rules_));
    offer_found_ahead();
    return false;
}

/// False if stopped.
bool Levels::last_level() {
    const Prefix start = start_list();
    offer(start);
    const Answer answer = state_.stopped() ? Answer::stopped : climb(start);
    if (answer == Answer::stopped) {
        state_.aim_below(state_.incumbent());
        offer_found_ahead();
        return false;
    }
    wanted_bound_ = target(start.cost, state_.options.tolerance);
    within_tolerance_ = answer == Answer::none_cheaper && wanted_bound_ < start.cost;
    if (answer == Answer::none_cheaper) state_.restore(start);
    if (!within_tolerance_) path_.push_back(state_.best());
    return true;
}

/// The list that the last level tries to beat. With a tolerance it may be the answer, so it must
/// not depend on which of several equally good lists was found first.
Prefix Levels::start_list() {
    const Prefix& good = good_lists_.best(most_rules_);
    if (state_.options.tolerance == 0) {
        offer(good);
        offer(found_ahead_);
        return best_known();
    }
    return path_.empty() || good.cost <= path_.back() ? good : first_list(path_.back());
}

/// The last level: none much cheaper than `start`, none a little cheaper, none cheaper at all. If a
/// search finds a cheaper list than it was to rule out, it ends with the best of all.
Levels::Answer Levels::climb(const Prefix& start) {
    const double started = watch_.seconds();
    const bool is_long = started >= long_search || will_not_end(started);
    const std::uint64_t n_nodes = state_.n_nodes.load();
    if (!is_long) state_.pause_after(n_nodes + n_nodes / 2);
    Answer answer = Answer::none_cheaper;
    std::size_t rung = 0;     // the next one
    double rung_seconds = 0;  // of the last one
    const auto climb_while = [&](const std::function<bool()>& it_pays) {
        const double last = hardly_shorter * state_.options.tolerance;
        for (; rung < ladder.size() && ladder[rung] > last && it_pays(); ++rung) {
            const double began = watch_.seconds();
            answer = prove(most_rules_, target(start.cost, ladder[rung]));
            if (answer != Answer::none_cheaper) break;
            rung_seconds = watch_.seconds() - began;
        }
        state_.resume();
    };
    climb_while([&] { return climbing_pays(started); });
    watch_.started(most_rules_);
    while (!state_.stopped() && answer != Answer::solved) {
        // To the end, in stretches; after each the bound rises for a quarter of what it took, if
        // that is likely to do.
        const double began = watch_.seconds();
        const std::uint64_t before = state_.n_nodes.load();
        const double stretch = std::max(1.0, patience / std::max(began, 1e-3));
        if (search_.can_skip_levels && rung < ladder.size())
            state_.pause_after(before +
                               static_cast<std::uint64_t>(stretch * static_cast<double>(before)));
        answer = prove(most_rules_, target(start.cost, state_.options.tolerance));
        state_.resume();
        if (answer != Answer::stopped || state_.stopped()) return answer;
        const double now = watch_.seconds();
        const double spare = (now - began) / 4;
        if (now < patience || spare < steeper * rung_seconds) continue;
        const std::uint64_t after = state_.n_nodes.load();
        state_.pause_after(after + (after - before) / 4);
        climb_while([&] { return watch_.seconds() - now < spare; });
    }
    return state_.stopped() ? Answer::stopped : answer;
}

/// The first steps are cheap. They are taken while they cost no more than all levels before did;
/// all of them if the end is not in reach anyway.
bool Levels::climbing_pays(double started) const {
    return !search_.has_own_ladder && started >= state_.options.ladder_after &&
           (watch_.seconds() - started < started || will_not_end(started));
}

bool Levels::will_not_end(double level_seconds) const {
    return std::isfinite(watch_.time_limit) &&
           watch_.seconds() + growth * level_seconds > watch_.time_limit;
}

/// After a level that took long: raises the bound for the most rules, for an eighth of the
/// subproblems opened so far; or as far as possible, if the next levels cannot be finished in time.
void Levels::look_ahead(int rules) {
    const double now = watch_.seconds();
    if (!search_.can_skip_levels || rules <= leaf_rules || rules + 1 >= most_rules_ ||
        now < state_.options.ladder_after)
        return;
    const Prefix known = best_known();
    const std::uint64_t n_nodes = state_.n_nodes.load();
    const double level_seconds = now - level_began_;
    const double grew = level_seconds / std::max(level_began_, 1e-3);
    if (!will_not_end(beyond * level_seconds * std::max(1.0, grew / growth)))
        state_.pause_after(n_nodes + n_nodes / 8);
    climb_ahead(rules);
    state_.resume();
    const Prefix found = best_known();
    if (found.cost < std::min(known.cost, found_ahead_.cost)) found_ahead_ = found;
    // The levels to come must not start from a list of too many rules.
    state_.restore(known);
}

/// The levels between are raised too, nearer to their best lists: what is known of lists with fewer
/// rules is what the drop bound builds on.
void Levels::climb_ahead(int rules) {
    for (const double step : ladder_ahead) {
        const bool is_last = step <= hardly_shorter * state_.options.tolerance;
        const double tolerance = is_last ? state_.options.tolerance : step;
        for (int level = rules + 1; level <= most_rules_; ++level) {
            const double between = static_cast<double>(level - rules) / (most_rules_ - rules);
            const double share = level == most_rules_ ? 1 : nearer(tolerance) * between;
            if (prove(level, target(good_lists_.best(level).cost, share * tolerance)) !=
                Answer::none_cheaper)
                return;
        }
        if (is_last) return;
    }
}

/// Is there a list of at most `rules` rules that costs less than `target`?
Levels::Answer Levels::prove(int rules, Cost target) {
    const auto r = static_cast<std::size_t>(rules);
    // What is known already. (But the optimum's own level is searched: ties are broken with what
    // that leaves behind.)
    if (target <= bound_[r] && target < state_.incumbent()) return Answer::none_cheaper;
    state_.aim_below(std::min(target, state_.incumbent()));
    const Cost bound = search_.solve(rules, rules == 0 ? 0 : bound_[r - 1]);
    if (state_.stopped()) {
        learn(rules, std::min(bound, state_.incumbent()));
        return Answer::stopped;
    }
    learn(rules, state_.best());
    return state_.best() < target ? Answer::solved : Answer::none_cheaper;
}

/// What is left of a cost, unavoidable errors included, less a share of it; or the cost itself if
/// no list can cost anything in between, but for the price of each rule that was rounded up.
Cost Levels::target(Cost cost, double tolerance) const {
    if (tolerance == 0) return cost;  // not every cost is a double
    const Cost unavoidable = state_.instance.unavoidable_errors * unit;
    const auto less = static_cast<Cost>((1 - tolerance) * static_cast<double>(cost + unavoidable));
    const Cost target = std::max<Cost>(less - unavoidable, 0);
    for (int rules = 0; rules <= most_rules_; ++rules) {
        const Cost price = rules * state_.rule_cost;
        const Cost grain = state_.pricing.grain();
        const Cost groups = (std::max<Cost>(target - price, 0) + grain - 1) / grain * grain;
        if (price + groups + most_rules_ < cost) return std::min(target, cost);
    }
    return cost;
}

/// The first of the lists of least cost with as few rules as possible.
Prefix Levels::first_list(Cost optimum) {
    const auto fewest = std::find(path_.begin(), path_.end(), optimum) - path_.begin();
    Prefix first{search_.first_list(static_cast<int>(fewest), optimum), optimum};
    state_.aim_below(optimum);
    return first;
}

/// When the search is stopped.
void Levels::offer_found_ahead() {
    offer(found_ahead_);
    if (search_.found_ahead) offer(search_.found_ahead());
}

/// Lists with fewer rules cost no less.
void Levels::learn(int rules, Cost bound) {
    for (std::size_t r = 0; r <= static_cast<std::size_t>(rules); ++r)
        bound_[r] = std::max(bound_[r], bound);
    if (rules == most_rules_) watch_.proven(bound_.back());
}

}  // namespace samrule
