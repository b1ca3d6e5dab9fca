#include "conjunction_search.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "chosen.hpp"
#include "few_errors.hpp"
#include "first_rules.hpp"
#include "two_rules.hpp"
#include "wide.hpp"

namespace samrule {
namespace {

/// How much better than the best list known the lists looked for must be, from step to step. The
/// first steps take little time, and prove a bound worth having if the last does not end.
constexpr double steps_of_last[] = {0.7, 0.5, 0.3, 0.2, 0.1, 0.05, 0.02, 0};
constexpr double steps_between[] = {0.5, 0.3, 0.2, 0.1, 0};
constexpr double steps_of_three[] = {0.1, 0};  // Three rules do not take long,
constexpr std::size_t many = 10'000;           // unless there are so many candidates.

/// Whether a step is left out after one that met so many pairs of candidates: of the steps below
/// 30 % only 10 % is taken after a short one, and 30 % is not after a very short one. Where lists
/// err on little, those that err on less take as long, and 10 % is the only step.
bool is_left_out(double step, double pairs_before, bool is_little) {
    constexpr double few = 3e9, very_few = few / 8;  // about ten seconds, and one
    if (step <= 0 || step == 0.1) return false;
    if (is_little) return true;
    return step < 0.5 && pairs_before < (step < 0.3 ? few : very_few);
}

/// Whether a step that proves `aim` adds enough to the bound to be worth its time.
bool is_worth_it(Cost aim, Cost bound, Cost best) {
    return aim > 0 && aim > bound && 5 * (aim - bound) >= best - bound;
}

/// A step is taken to last so many times as long as the one before, or as the same one of a level
/// with one rule less.
constexpr double growth = 4;

/// What is left of a cost, unavoidable errors included, less a share of it.
Cost less(const State& state, Cost cost, double share) {
    const auto unavoidable = static_cast<double>(state.instance.unavoidable_errors * unit);
    return static_cast<Cost>((1 - share) * (static_cast<double>(cost) + unavoidable) - unavoidable);
}

/// Those with one rule less cost so many times as much as lists that save much; and if these must
/// be better than the best list known.
constexpr double much = 1.5, much_beyond_the_best = 1.3;

/// Whether lists that cost `best` save much of what those with one rule less cost: then each of
/// their rules classifies much correctly, and few candidates do.
bool saves_much(const State& state, Cost fewer, Cost best, double times = much) {
    const auto unavoidable = static_cast<double>(state.instance.unavoidable_errors * unit);
    return static_cast<double>(fewer) + unavoidable >
           times * (static_cast<double>(best) + unavoidable);
}

/// How much better than the best list known lists must be that are looked for among the most rules.
/// (With four rules and fewer a bound for these costs little, so that is proven before, unless
/// there are many candidates.)
double wanted_share(const State& state) {
    const int rules = state.options.max_rules;
    const bool is_dear = rules > 4 || (rules == 4 && state.instance.n_candidates() > many);
    return is_dear ? state.options.tolerance : 0;
}

/// Whether such lists save much: then a bound for one rule less is worth more than one for these.
bool last_saves_much(const State& state, const std::function<Cost(int rules)>& known) {
    const int rules = state.options.max_rules;
    const double share = wanted_share(state);
    return saves_much(state, known(rules - 1), less(state, known(rules), share),
                      share > 0 ? much_beyond_the_best : much);
}

}  // namespace

bool ConjunctionSearch::suits(const State& state) {
    const Instance& instance = state.instance;
    const Options& options = state.options;
    const int rules = options.max_rules;
    // A tree is as quick with few candidates, and for six rules and more quicker while the table of
    // its root is small.
    constexpr std::size_t few = 500;
    const bool is_tree_slower = rules <= 5 ? instance.n_candidates() > few
                                           : WideSearch::needed(instance, options.memory_limit);
    const bool asked = !state.uses(Bound::tree);
    return instance.n_classes == 2 && options.min_support == 0 && state.pricing.is_error() &&
           (asked || (instance.max_terms > 1 && is_tree_slower));
}

ConjunctionSearch::ConjunctionSearch(State& state, ConjunctionWatch watch)
    : state_(state),
      watch_(std::move(watch)),
      most_rules_(state.options.max_rules),
      all_(conjunctions_of(state.instance, state.instance.n_candidates())),
      first_(1),
      climbs_(static_cast<std::size_t>(most_rules_) + 1),
      bound_(static_cast<std::size_t>(most_rules_) + 1, 0) {
    CandidateCounter(state.kernels).count(all_.rows, all_.language, 0, counts_);
}

Cost ConjunctionSearch::solve(int rules, Cost fewer) {
    if (rules == 0) return state_.best();
    learn(rules - 1, fewer);
    Wanted wanted(state_.best());
    const ConjunctionProblem problem{all_.rows, all_.language, counts_};
    if (rules == 1) find_one_rule(state_, problem, wanted);
    if (rules == 2) find_two_rules(state_, problem, wanted);
    if (rules >= 3) find_in_steps(rules, wanted);
    first_.resize(static_cast<std::size_t>(rules) + 1);
    if (wanted.found()) {
        first_.back() = wanted.best().rules;
        state_.offer(wanted.best().cost, {wanted.best().rules, wanted.best().cost}, {});
    }
    return state_.stopped() ? 0 : state_.best();
}

Prefix ConjunctionSearch::found_ahead() const {
    Prefix best{{}, std::numeric_limits<Cost>::max()};
    for (const Climb& climb : climbs_)
        if (!climb.found.rules.empty() && climb.found.cost < best.cost)
            best = {climb.found.rules, climb.found.cost};
    return best;
}

/// Looks for lists that are much better than the best known, then for less good ones. The first
/// list that is found in a step is the best there is: every list as good was looked for. Between
/// these steps the bounds for more rules are raised, as long as that takes no longer.
void ConjunctionSearch::find_in_steps(int rules, Wanted& wanted) {
    const Cost best = wanted.limit();
    Climb& own = climb_of(rules);
    const bool has_steps = rules < most_rules_ || wanted_share(state_) > 0
                               ? looks_ahead()
                               : is_worth_steps(rules, saves_much(state_, bound(rules - 1), best));
    for (const double step : steps(rules)) {
        if (step > 0 && !has_steps) continue;
        for (int more = rules + 1; more <= most_rules_ && looks_ahead(); ++more)
            while (!state_.stopped() && is_ahead_shorter(rules, more)) climb(more);
        if (state_.stopped()) return;
        if (own.is_found) {
            if (own.found.cost <= wanted.limit()) wanted.offer(own.found);
            return;
        }
        const Cost aim = less(state_, best, step);
        if (step > 0 && !is_worth_it(aim, bound(rules), best)) continue;
        if (is_left_out(step, own.pairs, is_little(rules, best))) continue;
        Wanted better(step > 0 ? aim - 1 : best);
        if (!take_step(rules, step > 0 ? aim : best, better)) continue;
        wanted.offer(better.best());
        return;
    }
}

/// Whether the next step for more rules can be taken, and is likely to take no longer than the next
/// one for `rules`. It needs a bound for one rule less: only lists of all its rules are looked for,
/// and the drop bound wants more than that.
bool ConjunctionSearch::is_ahead_shorter(int rules, int more) const {
    const Climb& ahead = climb_of(more);
    const double step = steps(more)[ahead.n_steps];
    if (ahead.is_found || step == 0) return false;
    if (more == most_rules_ && step <= state_.options.tolerance) return false;
    constexpr double margin = 0.1;
    return less(state_, watch_.known(more), step - margin) <= bound(more - 1) &&
           next_seconds(more) <= next_seconds(rules);
}

/// Takes the next step for a level that has not come yet.
void ConjunctionSearch::climb(int rules) {
    Climb& ahead = climb_of(rules);
    const double step = steps(rules)[ahead.n_steps++];
    const Cost aim = less(state_, watch_.known(rules), step);
    if (!is_worth_it(aim, bound(rules), watch_.known(rules))) return;
    if (is_left_out(step, ahead.pairs, is_little(rules, watch_.known(rules)))) return;
    Wanted better(aim - 1);
    if (take_step(rules, aim, better)) state_.note_found(better.best().cost);
}

/// Looks for lists of exactly `rules` rules within what is wanted; if there are none, all cost at
/// least `target`. Whether one was found.
bool ConjunctionSearch::take_step(int rules, Cost target, Wanted& better) {
    Climb& climb = climb_of(rules);
    const double began = watch_.seconds();
    const std::uint64_t n_nodes = state_.n_nodes.load();
    find_within(rules, better);
    if (better.found()) climb.found = better.best();
    if (state_.stopped()) return better.found();
    climb.seconds = watch_.seconds() - began;
    const auto n = static_cast<double>(all_.language.size());
    climb.pairs = static_cast<double>(state_.n_nodes.load() - n_nodes) * n * n;
    climb.is_found = better.found();
    const Cost least = better.found() ? better.best().cost : target;
    learn(rules, std::min(least, bound(rules - 1)));
    return better.found();
}

/// Whether lists that cost so much err on little.
bool ConjunctionSearch::is_little(int rules, Cost cost) const {
    return rules > 3 &&
           errs_on_little(state_, {all_.rows, all_.language, counts_}, rules, Wanted(cost));
}

/// Whether bounds for the most rules are raised before their level.
bool ConjunctionSearch::looks_ahead() const {
    return watch_.known && is_worth_steps(most_rules_, last_saves_much(state_, watch_.known));
}

/// Four rules that save much more than three leave few candidates: the search will be short, if
/// there are not too many, or only lists are wanted that are much better than the best known.
bool ConjunctionSearch::is_worth_steps(int rules, bool saves_much) const {
    const bool is_long = all_.language.size() > many && wanted_share(state_) == 0;
    return rules == 3 || is_long || !saves_much;
}

std::vector<double> ConjunctionSearch::steps(int rules) const {
    const auto copy = [](const auto& some) {
        return std::vector<double>(std::begin(some), std::end(some));
    };
    const bool has_many = all_.language.size() > many;
    if (rules < most_rules_) return copy(steps_between);
    if (rules == 3 && !has_many) return copy(steps_of_three);
    std::vector<double> all = copy(steps_of_last);
    if (rules < 5) all.erase(all.begin());  // Half of the cost is proven soon.
    return all;
}

/// How long the next step is likely to take.
double ConjunctionSearch::next_seconds(int rules) const {
    const Climb& climb = climb_of(rules);
    if (climb.seconds >= 0) return growth * climb.seconds;
    if (rules == 3) return 0;
    const double fewer = climb_of(rules - 1).seconds;
    return fewer >= 0 ? growth * fewer : std::numeric_limits<double>::infinity();
}

void ConjunctionSearch::find_within(int rules, Wanted& wanted) {
    // A list without one of its rules errs on at most what that rule classified correctly more,
    // and costs at least as much as is known of one rule less: so every rule of a wanted list
    // classifies enough correctly.
    const Cost missing = bound(rules - 1) + state_.rule_cost - wanted.limit();
    const std::int64_t least_correct = missing > 0 ? (missing + unit - 1) / unit : 0;
    const Chosen chosen({all_.rows, all_.language, counts_}, counts_,
                        state_.uses(Bound::drop) ? least_correct : 0);
    find_lists(state_, chosen.problem(), rules, least_correct, wanted);
}

/// Lists of at most `rules` rules cost at least `bound`, and so do those with fewer.
void ConjunctionSearch::learn(int rules, Cost bound) {
    const auto r = static_cast<std::size_t>(rules);
    for (std::size_t j = 0; j <= r; ++j) bound_[j] = std::max(bound_[j], bound);
    if (rules == most_rules_) watch_.proven(bound_[r]);
}

}  // namespace samrule
