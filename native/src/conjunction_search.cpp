#include "conjunction_search.hpp"

#include <algorithm>
#include <span>

#include "first_rules.hpp"
#include "two_rules.hpp"
#include "wide.hpp"

namespace samrule {
namespace {

/// How much better than the best list known the lists looked for must be, from step to step. The
/// first steps take little time, and prove a bound worth having if the last does not end.
constexpr double steps[] = {0.3, 0.1, 0.05, 0.02, 0};
constexpr double steps_of_three[] = {0.1, 0};  // Three rules do not take long,
constexpr double steps_of_many[] = {0.5, 0.3, 0.1, 0.05, 0.02, 0};
constexpr std::size_t many = 10'000;  // unless there are so many candidates.

}  // namespace

bool ConjunctionSearch::suits(const State& state) {
    const Instance& instance = state.instance;
    const Options& options = state.options;
    // A tree is as quick with few candidates, and for five rules and more quicker while the table
    // of its root is small.
    constexpr std::size_t few = 500;
    const bool is_tree_slower = options.max_rules <= 4
                                    ? instance.n_candidates() > few
                                    : WideSearch::needed(instance, options.memory_limit);
    const bool asked = !state.uses(Bound::tree);
    return instance.n_classes == 2 && options.min_support == 0 && state.pricing.is_error() &&
           (asked || (instance.max_terms > 1 && is_tree_slower));
}

ConjunctionSearch::ConjunctionSearch(State& state, std::function<void(Cost)> raise)
    : state_(state),
      raise_(std::move(raise)),
      all_(conjunctions_of(state.instance, state.instance.n_candidates())),
      first_(1) {
    CandidateCounter(state.kernels).count(all_.rows, all_.language, 0, counts_);
}

Cost ConjunctionSearch::solve(int rules, Cost fewer) {
    if (rules == 0) return state_.best();
    Wanted wanted(state_.best());
    const ConjunctionProblem problem{all_.rows, all_.language, counts_};
    if (rules == 1) find_one_rule(state_, problem, wanted);
    if (rules == 2) find_two_rules(state_, problem, wanted);
    if (rules >= 3) find_in_steps(rules, fewer, wanted);
    first_.resize(static_cast<std::size_t>(rules) + 1);
    if (wanted.found()) {
        first_.back() = wanted.best().rules;
        state_.offer(wanted.best().cost, {wanted.best().rules, wanted.best().cost}, {});
    }
    return state_.stopped() ? 0 : state_.best();
}

/// Looks for lists that are much better than the best known, then for less good ones. The first
/// list that is found in a step is the best there is: every list as good was looked for.
void ConjunctionSearch::find_in_steps(int rules, Cost fewer, Wanted& wanted) {
    const bool last_level = rules == state_.options.max_rules;
    const auto unavoidable = static_cast<double>(state_.instance.unavoidable_errors * unit);
    const auto best = static_cast<double>(wanted.limit()) + unavoidable;
    // Four rules that save much more than three leave few candidates: the search will be short.
    const bool has_many = all_.language.size() > many;
    const bool is_easy =
        rules > 3 && !has_many && static_cast<double>(fewer) + unavoidable > 1.5 * best;
    std::uint64_t opened = 0;  // subproblems, by the last step
    const std::span<const double> all_steps =
        has_many ? std::span<const double>(steps_of_many)
                 : (rules > 3 ? std::span<const double>(steps) : steps_of_three);
    for (const double step : all_steps) {
        if (state_.stopped()) return;
        const bool is_worth_it = last_level && !is_easy && (step >= 0.1 || !is_short(opened));
        if (step > 0 && !is_worth_it) continue;
        const Cost target = static_cast<Cost>((1 - step) * best - unavoidable);
        if (step > 0 && target <= 0) continue;
        Wanted better(step > 0 ? target - 1 : wanted.limit());
        opened = state_.n_nodes.load();
        find_within(rules, fewer, better);
        opened = state_.n_nodes.load() - opened;
        if (better.found()) wanted.offer(better.best());
        if (better.found()) return;
        if (last_level && !state_.stopped()) raise_(target);
    }
}

/// Whether a step that opened so many subproblems was short: then smaller steps are not worth it.
bool ConjunctionSearch::is_short(std::uint64_t opened) const {
    constexpr double few_pairs = 3e9;  // about ten seconds
    const auto n = static_cast<double>(all_.language.size());
    return static_cast<double>(opened) * n * n < few_pairs;
}

void ConjunctionSearch::find_within(int rules, Cost fewer, Wanted& wanted) {
    // A list without one of its rules errs on at most what that rule classified correctly more,
    // and costs at least `fewer`: so every rule of a wanted list classifies enough correctly.
    const Cost missing = fewer + state_.rule_cost - wanted.limit();
    const std::int64_t least_correct = missing > 0 ? (missing + unit - 1) / unit : 0;
    const Chosen chosen({all_.rows, all_.language, counts_},
                        state_.uses(Bound::drop) ? least_correct : 0);
    find_lists(state_, chosen.problem(), rules, least_correct, wanted);
}

}  // namespace samrule
