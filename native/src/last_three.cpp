#include "last_three.hpp"

#include <algorithm>
#include <array>
#include <limits>

#include "chosen.hpp"
#include "largest_rule.hpp"
#include "simple_list.hpp"
#include "two_rules.hpp"

namespace samrule {
namespace {

/// What lists of at most two rules cost at least, and rules of a list that costs as much, if any.
/// Found without a table. What is at most `enough` need not be known, and half of what is beyond
/// will do: to look for the best list takes longer, and what follows gains little.
CostedList bound_on_two(State& state, const ConjunctionProblem& problem, Cost enough) {
    const Two& weight = problem.rows.weight;
    Wanted one(std::min(weight.positive, weight.negative) * unit);
    find_one_rule(state, problem, one);
    if (one.limit() <= enough) return {0, {}};
    Wanted two(enough + (one.limit() - enough) / 2);
    find_two_rules(state, problem, two);
    return two.found() ? two.best() : CostedList{two.limit(), {}};
}

/// What a rule must classify correctly to be one of three: without it, two rules are left, which
/// cost at least `two`.
std::int64_t least_of_three(const State& state, Cost two, const Before& before,
                            const Wanted& wanted) {
    const Cost missing = two + state.rule_cost - (wanted.limit() - before.cost);
    return missing > 0 ? (missing + unit - 1) / unit : 0;
}

/// What two rules cost that were chosen one by one.
Cost cost_of_simple_two(State& state, const ConjunctionProblem& problem) {
    Wanted any(std::numeric_limits<Cost>::max());
    SimpleList(state, problem).offer({}, 2, {}, any);
    return any.limit();
}

/// Groups of candidates for a search for three rules, where two rules of one group are in no wanted
/// list. Proof: put representatives in the place of the rules of such a list. It errs at most three
/// radii more (Representatives), and its second rule of that group is idle, so without it it is a
/// list of two rules. Those err on at least `least_correct` more than a wanted list of three may,
/// and three radii are less.
std::int64_t radius_of_groups(const State& state, std::int64_t least_correct) {
    if (!state.uses(Bound::twins) || least_correct < 1) return -1;
    return (least_correct - 1) / 3;
}

/// Whether a table of the groups' pairs fits. (If not, three rules are found without.)
bool has_room_for(const State& state, const Representatives& groups, const ThreeRulesRoom& room) {
    const std::size_t bytes =
        three_rules_bytes(groups.problem().language.size(), groups.all().rows.weight);
    return state.has_room(bytes - std::min(bytes, room.claimed()));
}

/// More candidates than these are not grouped where three rules can be found by their largest: that
/// takes long.
constexpr std::size_t many = 10'000;

/// Whether a table of the groups' pairs takes no longer than looking at the large rules: it meets
/// groups with groups, those are met with all candidates, a little faster.
bool is_worth_table(const State& state, const ConjunctionProblem& problem,
                    const Representatives& groups, const Wanted& wanted) {
    const std::size_t n_groups = groups.problem().language.size();
    const std::size_t n_pivots = number_of_pivots(state, problem, wanted);
    return 2 * n_groups * n_groups <= 3 * n_pivots * problem.language.size();
}

/// How many candidates classify so much correctly.
std::int64_t number_of(const ConjunctionProblem& problem, std::int64_t least_correct) {
    std::int64_t n = 0;
    for (std::size_t i = 0; i < problem.language.size(); ++i)
        n += std::max(problem.counts.positive(i), problem.counts.negative(i)) >= least_correct;
    return n;
}

/// Where the candidates of a language are in the one they were chosen from.
std::vector<std::int32_t> places_in(const Language& all, const Language& some) {
    std::vector<std::int32_t> places;
    std::size_t at = 0;
    for (const std::int32_t candidate : some.candidate) {
        while (all.candidate[at] != candidate) ++at;
        places.push_back(static_cast<std::int32_t>(at));
    }
    return places;
}

/// The groups of which every member is in a set of candidates of `all`.
std::vector<Word> groups_within(const std::vector<Word>& set, const Language& all,
                                const Representatives& groups) {
    const std::vector<std::int32_t> places = places_in(all, groups.all().language);
    const std::size_t n_groups = groups.problem().language.size();
    std::vector<Word> within(words_for(n_groups), 0);
    for (std::size_t r = 0; r < n_groups; ++r) {
        const auto members = groups.members(r);
        const bool is_within = std::all_of(members.begin(), members.end(), [&](std::int32_t i) {
            const auto at = static_cast<std::size_t>(places[static_cast<std::size_t>(i)]);
            return set[at / 64] >> (at % 64) & 1;
        });
        within[r / 64] |= Word{is_within} << (r % 64);
    }
    return within;
}

/// What each representative is worth at least on the rows that are left, if it predicts class 0 or
/// 1: a list without one of its rules gains at least `least_in_all` less (as one rule less costs
/// that much more), but what the rule does on rows that were given away is not seen here. Empty if
/// nothing is known.
std::array<std::vector<std::int32_t>, 2> least_worth(const Representatives& groups,
                                                     const Counts& reach,
                                                     std::int64_t least_in_all) {
    std::array<std::vector<std::int32_t>, 2> worth;
    if (least_in_all < 1) return worth;
    for (std::size_t c = 0; c < 2; ++c)
        for (std::size_t r = 0; r < groups.problem().language.size(); ++r) {
            std::int64_t given_away = 0;
            for (const std::int32_t member : groups.members(r)) {
                const auto i = static_cast<std::size_t>(member);
                given_away = std::max<std::int64_t>(
                    given_away, reach.of_class[c][i] - groups.all().counts.of_class[c][i]);
            }
            worth[c].push_back(static_cast<std::int32_t>(least_in_all - given_away));
        }
    return worth;
}

/// Two rules need no table. After a cluster rules may be idle, so one rule at the price of two, and
/// none, are lists as well.
void find_two_of(State& state, const ConjunctionProblem& problem, const Before& before,
                 Wanted& wanted) {
    Wanted two = wanted.after(before.cost);
    if (!before.is_known) {
        const Two& weight = problem.rows.weight;
        two.offer({std::min(weight.positive, weight.negative) * unit + 2 * state.rule_cost, {}});
        Wanted one(two.limit() - state.rule_cost);
        find_one_rule(state, problem, one);
        if (one.found()) two.offer({one.best().cost + state.rule_cost, {}});
    }
    if (!two.is_answered()) find_two_rules(state, problem, two);
    if (!two.found()) return;
    CostedList list{before.cost + two.best().cost, before.rules};
    for (const std::int32_t rule : two.best().rules) list.rules.push_back(rule);
    wanted.offer(std::move(list));
}

/// A search for three rules after others.
struct ThreeAfter {
    State& state;
    const Counts& reach;
    const Before& before;
    const Origin& origin;
    std::int64_t least_in_all;

    /// False if the groups are too coarse: then nothing was looked for.
    bool find_with(const Representatives& groups, ThreeRulesRoom& room, Wanted& wanted) const {
        std::vector<Word> earlier;
        if (state.uses(Bound::order))
            earlier = groups_within(origin.earlier, origin.language, groups);
        const std::vector<std::int32_t> places =
            places_in(origin.language, groups.problem().language);
        const auto worth = least_worth(groups, reach, least_in_all);
        const AfterFirst after{origin.table,    &origin.removed, places,
                               origin.positive, earlier,         {worth[0], worth[1]}};
        const auto three = make_three_rules(state, groups, room, &after);
        if (!three->prepare()) return true;
        const std::int64_t lead = three->lead_over_two(before, wanted);
        if (groups.has_groups() && lead <= 3 * groups.radius()) return false;
        // After a cluster two rules will do, and an idle one.
        if (!before.is_known && lead <= 0)
            wanted.offer({wanted.limit(), {}});
        else
            three->find(before, wanted);
        return true;
    }

    void find_without_table(const ConjunctionProblem& problem, const Counts& all_reach,
                            Wanted& wanted) const {
        if (!before.is_known) {
            Before idle = before;
            idle.cost += state.rule_cost;
            find_two_of(state, problem, idle, wanted);
        }
        if (state.stopped() || wanted.is_answered()) return;
        const Representatives each(state, problem, -1);
        find_three_by_largest(state, problem, least_worth(each, all_reach, least_in_all), before,
                              state.uses(Bound::order), wanted);
    }
};

}  // namespace

void find_three_after(State& state, const ConjunctionProblem& problem, const Counts& reach,
                      std::int64_t least_in_all, const Before& before, const Origin& origin,
                      Wanted& wanted) {
    if (!before.is_known) SimpleList(state, problem).offer({}, 3, before, wanted);
    if (state.stopped() || wanted.is_answered()) return;
    // These rows are another problem, with a drop bound of its own: at most this, for the best two
    // rules cost no more than simple ones.
    const Cost enough = wanted.limit() - before.cost - state.rule_cost;
    std::int64_t least_correct = (cost_of_simple_two(state, problem) - enough) / unit;
    std::int64_t radius = state.uses(Bound::twins) && least_correct > 0 ? least_correct / 6 : -1;
    const bool leaves_fewer = 10 * number_of(problem, least_correct) <
                              9 * static_cast<std::int64_t>(problem.language.size());
    if (state.uses(Bound::drop) && leaves_fewer) {
        const CostedList two = bound_on_two(state, problem, enough);
        if (!before.is_known && !two.rules.empty())
            SimpleList(state, problem).offer(two.rules, 3, before, wanted);
        least_correct = least_of_three(state, two.cost, before, wanted);
        radius = radius_of_groups(state, least_correct);
    } else {
        least_correct = 0;
    }
    if (state.stopped() || wanted.is_answered()) return;
    const Chosen chosen(problem, reach, least_correct);
    const ThreeAfter search{state, chosen.reach(), before, origin, least_in_all};
    for (const std::int64_t r : {radius, std::int64_t{-1}}) {
        const Representatives groups(state, chosen.problem(), r);
        Borrowed<ThreeRulesRoom> room(origin.rooms);
        if (!has_room_for(state, groups, *room))
            return search.find_without_table(problem, reach, wanted);
        if (search.find_with(groups, *room, wanted) || state.stopped()) return;
    }
}

void find_three(State& state, const ConjunctionProblem& problem, std::int64_t least_correct,
                Wanted& wanted) {
    const bool is_slow_by_largest = errs_on_a_quarter(state, problem, wanted);
    if (is_slow_by_largest || problem.language.size() <= many) {
        const Representatives groups(state, problem, radius_of_groups(state, least_correct));
        ThreeRulesRoom room;
        if (has_room_for(state, groups, room) &&
            (is_slow_by_largest || is_worth_table(state, problem, groups, wanted))) {
            const auto three = make_three_rules(state, groups, room);
            if (three->prepare()) three->find({}, wanted);
            return;
        }
    }
    const std::vector<std::int32_t> each(problem.language.size(),
                                         static_cast<std::int32_t>(least_correct));
    find_three_by_largest(state, problem, {each, each}, {}, false, wanted);
}

}  // namespace samrule
