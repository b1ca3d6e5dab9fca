#include "priced_search.hpp"

#include <iterator>
#include <memory>

#include "priced_pairs.hpp"
#include "priced_triples.hpp"
#include "stand_ins.hpp"
#include "two_rules.hpp"

namespace samrule {
namespace {

/// How much better than the best list known the lists looked for must be, from step to step. The
/// first steps take little time, and prove a bound worth having if the last does not end.
constexpr double steps[] = {0.3, 0.1, 0.03, 0.01, 0};

/// The same where some candidates stand for all, because there is no memory for all.
constexpr double rough_steps[] = {0.5, 0.3};

/// How much of such a step is given away for that: the first share with which they fit. The more,
/// the fewer are chosen, but the less is left to prune with. (Measured: docs/records/solver.md.)
constexpr double shares_given_away[] = {0.3, 0.45, 0.6, 0.9};

Cost below(Cost best, double step) {
    return static_cast<Cost>((1 - step) * static_cast<double>(best));
}

}  // namespace

bool PricedSearch::suits(const State& state) {
    const Options& options = state.options;
    // A tree is as quick with few candidates.
    constexpr std::size_t few = 500;
    const bool is_tree_slower = state.instance.max_terms > 1 && state.instance.n_candidates() > few;
    return state.instance.n_classes == 2 && options.min_support == 0 && options.max_rules <= 3 &&
           !state.pricing.is_error() && (!state.uses(Bound::tree) || is_tree_slower);
}

PricedSearch::PricedSearch(State& state, std::function<void(Cost)> raise)
    : state_(state),
      raise_(std::move(raise)),
      all_(conjunctions_of(state.instance, state.instance.n_candidates())),
      first_(1) {
    CandidateCounter(state.kernels).count(all_.rows, all_.language, 0, counts_);
}

Cost PricedSearch::solve(int rules, Cost fewer) {
    if (rules == 0) return state_.best();
    Wanted wanted(state_.best());
    if (rules < 3)
        find_within(rules, fewer, wanted);
    else
        find_in_steps(fewer, wanted);
    first_.resize(static_cast<std::size_t>(rules) + 1);
    if (wanted.found()) {
        first_.back() = wanted.best().rules;
        state_.offer(wanted.best().cost, {wanted.best().rules, wanted.best().cost}, {});
    }
    return state_.stopped() ? 0 : state_.best();
}

/// Looks for lists that are much better than the best known, then for less good ones. The first
/// list that is found in a step is the best there is: every list as good was looked for. Later
/// steps have more candidates, and what is counted for one serves those before: so it is counted
/// for the last step that there is memory for.
void PricedSearch::find_in_steps(Cost fewer, Wanted& wanted) {
    const Cost best = wanted.limit();
    const auto target = [&](std::size_t k) { return steps[k] > 0 ? below(best, steps[k]) : best; };
    const auto limit = [&](std::size_t k) { return steps[k] > 0 ? target(k) - 1 : best; };
    const double proven = find_roughly(fewer, wanted);
    std::size_t n_proven = 0;
    while (steps[n_proven] >= proven) ++n_proven;
    Chosen chosen;
    std::unique_ptr<PricedTriples> triples;
    std::size_t served = n_proven;
    for (std::size_t k = n_proven; k < std::size(steps) && !state_.stopped(); ++k) {
        state_.n_nodes.fetch_add(1, std::memory_order_relaxed);
        if (k == served) {
            triples.reset();
            for (served = std::size(steps); served > k; --served) {
                chosen = worth_at_least(least_worth(fewer, limit(served - 1)));
                if (served == k + 1 || fits(chosen)) break;
            }
            if (chosen.language.size() >= 3)
                triples = priced_triples(state_, {all_.rows, chosen.language, chosen.counts});
            if (state_.stopped()) return;
        }
        Wanted better(limit(k));
        if (triples) triples->find(better, least_worth(fewer, limit(k)));
        if (better.found()) wanted.offer(better.best());
        if (better.found()) return;
        if (!state_.stopped()) raise_(target(k));
    }
}

/// Where there is no memory for all candidates, takes steps with some that stand for all. Returns
/// the last that ended without a list, 1 if there is none.
double PricedSearch::find_roughly(Cost fewer, Wanted& wanted) {
    const Cost best = wanted.limit();
    double proven = 1;
    const Chosen all = worth_at_least(least_worth(fewer, below(best, steps[0]) - 1));
    if (!state_.uses(Bound::sibling) || fits(all)) return proven;
    for (const double step : rough_steps) {
        if (!take_rough_step(below(best, step), fewer, best, wanted)) break;
        proven = step;
    }
    return proven;
}

/// Whether every list is proven to cost at least `target`. One that costs less has a list of the
/// chosen candidates that costs less than `best`: if its rules are three they are looked for, and
/// fewer rules cost no less than the best list known.
bool PricedSearch::take_rough_step(Cost target, Cost fewer, Cost best, Wanted& wanted) {
    const Chosen chosen = worth_at_least(least_worth(fewer, target - 1));
    const ConjunctionProblem problem{all_.rows, chosen.language, chosen.counts};
    for (const double share : shares_given_away) {
        const auto room = static_cast<Cost>(share * static_cast<double>(best - target));
        const Chosen few = only(chosen, stand_ins(state_, problem, 3, room));
        if (state_.stopped()) return false;
        if (!fits(few)) continue;
        state_.n_nodes.fetch_add(1, std::memory_order_relaxed);
        Wanted better(target - 1 + room);
        std::unique_ptr<PricedTriples> triples;
        if (few.language.size() >= 3)
            triples = priced_triples(state_, {all_.rows, few.language, few.counts});
        if (triples) triples->find(better, least_worth(fewer, better.limit()));
        if (better.found()) wanted.offer(better.best());
        if (better.found() || state_.stopped()) return false;
        raise_(target);
        return true;
    }
    return false;
}

void PricedSearch::find_within(int rules, Cost fewer, Wanted& wanted) {
    state_.n_nodes.fetch_add(1, std::memory_order_relaxed);
    const Chosen chosen = worth_at_least(least_worth(fewer, wanted.limit()));
    const ConjunctionProblem problem{all_.rows, chosen.language, chosen.counts};
    if (rules == 1) find_one_rule(state_, problem, wanted);
    if (rules == 2) find_two_priced_rules(state_, problem, wanted);
}

/// A list without one of its rules costs at most what that rule is worth more, and at least
/// `fewer`: so every rule of a list that costs no more than `limit` is worth enough.
Cost PricedSearch::least_worth(Cost fewer, Cost limit) const {
    return state_.uses(Bound::drop) ? fewer + state_.rule_cost - limit : 0;
}

PricedSearch::Chosen PricedSearch::worth_at_least(Cost least) const {
    std::vector<std::int32_t> places;
    Chosen chosen;
    for (std::size_t i = 0; i < all_.language.size(); ++i) {
        const Gain gain = state_.pricing.group(
            2, [&](std::size_t c) { return std::int64_t{counts_.of_class[c][i]}; });
        if (gain.worth < least) continue;
        places.push_back(static_cast<std::int32_t>(i));
        for (std::size_t c = 0; c < 2; ++c)
            chosen.counts.of_class[c].push_back(counts_.of_class[c][i]);
    }
    chosen.language = all_.language.only(places);
    return chosen;
}

bool PricedSearch::fits(const Chosen& chosen) const {
    return have_room_for_triples(state_, all_.rows, chosen.language.size());
}

PricedSearch::Chosen PricedSearch::only(const Chosen& from, std::span<const std::int32_t> places) {
    Chosen chosen;
    for (const std::int32_t i : places)
        for (std::size_t c = 0; c < 2; ++c)
            chosen.counts.of_class[c].push_back(
                from.counts.of_class[c][static_cast<std::size_t>(i)]);
    chosen.language = from.language.only(places);
    return chosen;
}

}  // namespace samrule
