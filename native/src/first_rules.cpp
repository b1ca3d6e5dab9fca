#include "first_rules.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <functional>
#include <limits>
#include <numeric>
#include <utility>

#include "known_ends.hpp"
#include "largest_rule.hpp"
#include "two_rules.hpp"

namespace samrule {
namespace {

/// What is left when the rows of a first rule, or of a cluster of them, are given away, and the
/// candidates that may follow.
struct Rest {
    ConditionRows rows, removed;
    Language language;
    Counts counts;
    Counts reach;  ///< what each may still decide: also rows that were given away
};

/// Which problem a rest is of.
struct Origin {
    const Language& language;
    const WholeTable* table;  ///< of all its rows, or null
    const ConditionRows& removed;
    bool positive;                     ///< what the first rule predicts
    const std::vector<Word>& earlier;  ///< candidates that have a turn as first rule before
    Pool<ThreeRulesRoom>& rooms;
};

/// As find_lists, after the rules `before`.
void find_rest(State& state, const ConjunctionProblem& problem, const Counts& reach, int rules,
               std::int64_t least_correct, const Before& before, const Origin& origin,
               Wanted& wanted);

/// First rules with the same label, which cover nearly the same rows.
struct Cluster {
    std::vector<std::int32_t> members;
    std::vector<Word> earlier;  ///< the candidates whose turn comes before, as a set
};

// A list whose first rule is any of a cluster, all with the same label. Let U be the rows that some
// member covers and N those that all cover. A member errs on its rows of other classes, and what
// follows errs at least as much as it would on the rows outside U alone: without rows no list errs
// more. So if the least that a member errs and the best list on the rows outside U cost more than
// the limit, no member is the first rule of a wanted list. The rules that may follow are those that
// classify enough correctly outside N, for some may cover little or nothing outside U. So beside
// what a candidate covers of the rows that are left, what is outside all such N is kept: its reach.
//
// The rules at the beginning of a list that predict the same may change places at the same cost,
// and the first of them need not predict it if another class costs less. So of these rules the one
// with the earliest turn is tried as first rule, and in later turns it is left out of that
// beginning. Clusters that are looked at together have the same turn: none is left out for another.
class FirstRules {
  public:
    FirstRules(State& state, const ConjunctionProblem& problem, const Counts& reach, int rules,
               std::int64_t least_correct, Before before, Wanted& wanted)
        : state_(state),
          problem_(problem),
          reach_(reach),
          rules_(rules),
          least_correct_(least_correct),
          before_(std::move(before)),
          wanted_(wanted),
          ends_(state, problem) {}

    void operator()() {
        if (!count_table()) return;
        std::vector<Word> earlier(words_for(problem_.language.size()), 0);
        for (const bool positive : {true, false}) {
            std::vector<std::int32_t> open;
            for (std::size_t k = 0; k < problem_.language.size(); ++k) {
                const auto i = static_cast<std::int32_t>(k);
                if (is_positive(i) == positive && cost_with(wrong(i)) <= wanted_.limit())
                    open.push_back(i);
            }
            // Those that gain most come first: they lead to good lists.
            std::sort(open.begin(), open.end(), [&](std::int32_t a, std::int32_t b) {
                return gain(a) != gain(b) ? gain(a) > gain(b) : a < b;
            });
            look_at(std::move(open), earlier, positive);
        }
    }

  private:
    std::int64_t gain(std::int32_t i) const {
        const auto k = static_cast<std::size_t>(i);
        return std::abs(std::int64_t{problem_.counts.positive(k)} - problem_.counts.negative(k));
    }
    std::int64_t cover(std::int32_t i) const {
        const auto k = static_cast<std::size_t>(i);
        return std::int64_t{problem_.counts.positive(k)} + problem_.counts.negative(k);
    }
    std::int64_t wrong(std::int32_t i) const {
        const auto k = static_cast<std::size_t>(i);
        return std::min(problem_.counts.positive(k), problem_.counts.negative(k));
    }
    /// What a list costs at least whose first rule is wrong on so much.
    Cost cost_with(std::int64_t wrong) const {
        return before_.cost + rules_ * state_.rule_cost + unit * wrong;
    }
    bool is_done() const { return state_.stopped() || wanted_.is_answered(); }
    bool is_positive(std::int32_t i) const {
        const auto k = static_cast<std::size_t>(i);
        return problem_.counts.positive(k) > problem_.counts.negative(k);
    }
    static void add_to(std::vector<Word>& set, const std::vector<std::int32_t>& members) {
        for (const std::int32_t i : members) set[static_cast<std::size_t>(i) / 64] |= bit(i);
    }
    static void take_from(std::vector<Word>& set, std::int32_t i) {
        set[static_cast<std::size_t>(i) / 64] &= ~bit(i);
    }
    static bool is_in(const std::vector<Word>& set, std::int32_t i) {
        return (set[static_cast<std::size_t>(i) / 64] & bit(i)) != 0;
    }
    static Word bit(std::int32_t i) { return Word{1} << (i % 64); }

    /// The tables of what three rules are looked for in are made from one of all rows, if there is
    /// room for both. False if stopped.
    bool count_table() {
        const std::size_t n = problem_.language.size();
        const std::size_t rest = three_rules_bytes(n, problem_.rows.weight);
        if (rules_ == 4 && state_.uses(Bound::sibling) && state_.has_room(2 * rest)) {
            if (!table_.count(state_, problem_.rows, problem_.language)) return false;
            has_table_ = true;
        }
        const auto members = static_cast<std::size_t>(state_.options.threads);
        is_side_by_side_ = state_.has_room(members * rest);
        return true;
    }

    /// Looks at first rules with one label, in clusters, until none is left. What follows a cluster
    /// that cannot be refuted is known from then on, and the next one around the same rule grows
    /// less far. Turns are taken by a round of clusters at a time: in `earlier` are the rules of
    /// the rounds before.
    void look_at(std::vector<std::int32_t> open, std::vector<Word>& earlier, bool positive) {
        std::vector<Seed> seeds;
        while (!open.empty() && !is_done()) {
            const std::vector<Cluster> clusters = next_clusters(open, earlier, seeds);
            std::vector<std::uint8_t> is_over(clusters.size(), 0);
            const auto look = [&](std::size_t k) {
                if (is_done()) return;
                is_over[k] = clusters[k].members.size() > 1 ? is_refuted(clusters[k], positive)
                                                            : start_with(clusters[k], positive);
            };
            if (is_side_by_side_)
                state_.for_each_step(clusters.size(), look);
            else
                for (std::size_t k = 0; k < clusters.size(); ++k) look(k);
            if (is_done()) return;
            std::vector<Seed> left;
            for (std::size_t k = 0; k < clusters.size(); ++k)
                if (is_over[k]) {
                    add_to(earlier, clusters[k].members);
                } else {
                    seeds[k].most = size_after(clusters[k]);
                    left.push_back(std::move(seeds[k]));
                }
            seeds = std::move(left);
            std::erase_if(open, [&](std::int32_t i) { return is_in(earlier, i); });
        }
    }

    /// How many members the next cluster may have after one that failed. Those that just fail take
    /// as long as those that do not, so it is smaller than it must be: by half if it is not known
    /// what followed, or if three rules and more are chosen one by one, for then a failure is dear.
    std::size_t size_after(const Cluster& failed) {
        constexpr int few_rules = 4;
        const std::size_t n = failed.members.size();
        if (rules_ > few_rules || !is_known_to_fail(union_of(failed))) return n / 2;
        return n - 1 - n / 8;
    }

    /// A rule that clusters are grown around, until one of them is refuted.
    struct Seed {
        std::int32_t rule;
        std::vector<std::int32_t> others;  ///< those that cover the most similar rows come first
        std::size_t most;                  ///< members that the next cluster may have
    };

    /// Clusters around the seeds at hand and some more, from the rules that gain most, each of
    /// rules that are in no other. How many there are makes no difference to the answer; if work is
    /// limited, the way there must not depend on threads.
    std::vector<Cluster> next_clusters(const std::vector<std::int32_t>& open,
                                       const std::vector<Word>& earlier, std::vector<Seed>& seeds) {
        const std::size_t at_once = state_.stop_sign.is_limited()
                                        ? 1
                                        : 2 * static_cast<std::size_t>(state_.options.threads);
        std::vector<Word> free(earlier.size(), 0);
        add_to(free, open);
        for (const Seed& seed : seeds) take_from(free, seed.rule);
        std::vector<Cluster> clusters;
        const auto grow = [&](const Seed& seed) {
            clusters.push_back(grown(seed, free, earlier));
            for (const std::int32_t i : clusters.back().members) take_from(free, i);
        };
        for (const Seed& seed : seeds) grow(seed);
        for (const std::int32_t i : open) {
            if (seeds.size() >= at_once) break;
            if (!is_in(free, i)) continue;
            seeds.push_back({i, {}, 1});
            if (state_.uses(Bound::sibling)) {
                seeds.back().others = by_distance(i, open);
                seeds.back().most = open.size();
            }
            grow(seeds.back());
        }
        return clusters;
    }

    /// The rules but `i`, nearest first.
    std::vector<std::int32_t> by_distance(std::int32_t i,
                                          const std::vector<std::int32_t>& rules) const {
        if (has_table_)
            state_.charge(Work::entry, rules.size());
        else
            state_.charge(Work::row_word, 2 * rules.size() * problem_.rows.rows.words);
        std::vector<std::pair<std::int64_t, std::int32_t>> order;
        for (const std::int32_t other : rules) {
            if (state_.stopped()) break;
            if (other != i) order.emplace_back(distance(i, other), other);
        }
        std::sort(order.begin(), order.end());
        std::vector<std::int32_t> others;
        for (const auto& [far, other] : order) others.push_back(other);
        return others;
    }

    /// The cluster around a seed: of the nearest free rules each is added if nothing is known that
    /// follows the cluster then, or nearly does. It ends after so many in a row that were not.
    Cluster grown(const Seed& seed, const std::vector<Word>& free,
                  const std::vector<Word>& earlier) {
        constexpr std::size_t patience = 8;
        constexpr double margin = 1.0 / 64;
        Cluster cluster{{seed.rule}, earlier};
        Union all = union_of(cluster), more;
        std::size_t n_refused = 0;
        for (const std::int32_t i : seed.others) {
            if (n_refused == patience || cluster.members.size() >= seed.most) break;
            if (state_.stopped()) break;
            if (!is_in(free, i)) continue;
            more = all;
            more.add(i, *this);
            if (is_known_to_fail(more, margin)) {
                ++n_refused;
                continue;
            }
            n_refused = 0;
            std::swap(all, more);
            cluster.members.push_back(i);
        }
        return cluster;
    }

    void copy_rows(std::int32_t i, std::vector<Word>& to) const {
        problem_.rows.copy_conjunction(problem_.language.terms[static_cast<std::size_t>(i)], to);
    }

    /// Weight of the rows that one of the two covers and the other does not.
    std::int64_t distance(std::int32_t a, std::int32_t b) const {
        if (has_table_)
            return cover(a) + cover(b) -
                   2 * table_.shared(static_cast<std::size_t>(a), static_cast<std::size_t>(b));
        std::vector<Word> leader, other;
        copy_rows(a, leader);
        copy_rows(b, other);
        std::int64_t weight = 0;
        for (const Segment& s : problem_.rows.rows.segments) {
            std::int64_t slots = 0;
            for (std::size_t w = s.first_word; w < s.first_word + s.n_words; ++w)
                slots += std::popcount(leader[w] ^ other[w]);
            weight += slots * s.weight;
        }
        return weight;
    }

    /// What is left of counts without some rows.
    Counts without(const Counts& all, const ConditionRows& removed) const {
        Counts counts;
        state_.charge(Work::family_word, problem_.language.size() * removed.rows.words);
        CandidateCounter(state_.kernels).count(removed, problem_.language, 0, counts);
        for (std::size_t c = 0; c < 2; ++c)
            for (std::size_t i = 0; i < counts.of_class[c].size(); ++i)
                counts.of_class[c][i] = all.of_class[c][i] - counts.of_class[c][i];
        return counts;
    }

    /// What is left outside U, where rules may follow that classify enough correctly outside N.
    void make_rest(std::vector<Word> u, const std::vector<Word>& n, Rest& rest) const {
        ConditionRows inside_n;
        keep_rows(state_.kernels, problem_.rows, n, inside_n);
        const Counts reach = without(reach_, inside_n);
        keep_rows(state_.kernels, problem_.rows, u, rest.removed);
        const Counts outside_u = without(problem_.counts, rest.removed);
        complement_of(problem_.rows, u);
        keep_rows(state_.kernels, problem_.rows, u, rest.rows);
        const std::int64_t least =
            state_.uses(Bound::drop) ? std::max<std::int64_t>(least_correct_, 1) : 1;
        std::vector<std::int32_t> chosen;
        for (std::size_t i = 0; i < problem_.language.size(); ++i)
            if (std::max(reach.positive(i), reach.negative(i)) >= least) {
                chosen.push_back(static_cast<std::int32_t>(i));
                for (std::size_t c = 0; c < 2; ++c) {
                    rest.counts.of_class[c].push_back(outside_u.of_class[c][i]);
                    rest.reach.of_class[c].push_back(reach.of_class[c][i]);
                }
            }
        state_.charge(Work::candidate, chosen.size());
        rest.language = problem_.language.only(chosen);
    }

    void find_rest_of(const Rest& rest, const Before& before, bool positive,
                      const std::vector<Word>& earlier, Wanted& wanted) {
        find_rest(state_, {rest.rows, rest.language, rest.counts}, rest.reach, rules_ - 1,
                  least_correct_, before,
                  {problem_.language, has_table_ ? &table_ : nullptr, rest.removed, positive,
                   earlier, rooms_},
                  wanted);
    }

    /// Looks at all lists that start with a rule; true.
    bool start_with(const Cluster& one, bool positive) {
        const std::int32_t i = one.members[0];
        Before longer = before_;
        longer.rules.push_back(problem_.language.candidate[static_cast<std::size_t>(i)]);
        longer.cost += state_.rule_cost + unit * wrong(i);
        if (cost_with(wrong(i)) > wanted_.limit()) return true;
        std::vector<Word> covered;
        copy_rows(i, covered);
        Rest rest;
        make_rest(covered, covered, rest);
        find_rest_of(rest, longer, positive, one.earlier, wanted_);
        return true;
    }

    /// What the members of a cluster cover.
    struct Union {
        std::vector<Word> some, all;  ///< rows that some member covers, and those that all do
        std::int64_t least_wrong = 0;

        void add(std::int32_t i, const FirstRules& rules) {
            std::vector<Word> one;
            rules.copy_rows(i, one);
            if (some.empty()) {
                some = all = std::move(one);
                least_wrong = rules.wrong(i);
                return;
            }
            for (std::size_t w = 0; w < one.size(); ++w) {
                some[w] |= one[w];
                all[w] &= one[w];
            }
            least_wrong = std::min(least_wrong, rules.wrong(i));
        }
    };
    Union union_of(const Cluster& cluster) const {
        state_.charge(Work::row_word, cluster.members.size() * problem_.rows.rows.words);
        Union all;
        for (const std::int32_t i : cluster.members) all.add(i, *this);
        return all;
    }

    /// Whether a list is known that costs too little to refute a cluster, or nearly so: it may err
    /// on this share more.
    bool is_known_to_fail(const Union& all, double margin = 0) {
        const Cost left = wanted_.limit() - cost_with(all.least_wrong);
        const auto more = static_cast<Cost>(margin * static_cast<double>(left));
        return left >= 0 && ends_.has_one_within((left + more) / unit, all.some);
    }

    /// Whether no member is the first rule of a wanted list. The first list that is found ends the
    /// search: to know the best one takes longer than to look at a smaller cluster.
    bool is_refuted(const Cluster& cluster, bool positive) {
        const Union covered = union_of(cluster);
        const Cost limit = wanted_.limit();
        if (cost_with(covered.least_wrong) > limit) return true;
        if (is_known_to_fail(covered)) return false;
        Before before = before_;
        before.is_known = false;
        before.cost += state_.rule_cost + unit * covered.least_wrong;
        Rest rest;
        make_rest(covered.some, covered.all, rest);
        Wanted any(limit, limit);
        find_rest_of(rest, before, positive, cluster.earlier, any);
        if (any.found()) ends_.add(any.best().rules);
        return !any.found() && !state_.stopped();
    }

    State& state_;
    const ConjunctionProblem problem_;
    const Counts& reach_;
    const int rules_;
    const std::int64_t least_correct_;
    const Before before_;
    Wanted& wanted_;
    KnownEnds ends_;
    WholeTable table_;
    Pool<ThreeRulesRoom> rooms_;  ///< of what three rules are looked for in, cluster after cluster
    bool has_table_ = false;
    bool is_side_by_side_ = true;  ///< whether there is memory to look at several clusters at once
};

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

/// A list after a cluster, of which only the cost matters: the rules `first`, then the best next
/// rule, one after the other, until they are `n_rules`; idle ones are paid for. Most clusters that
/// cannot be refuted are known by it.
class SimpleList {
  public:
    SimpleList(State& state, const ConjunctionProblem& problem) : state_(state), problem_(problem) {
        problem.rows.copy_conjunction({}, left_);
    }

    void offer(const std::vector<std::int32_t>& first, int n_rules, const Before& before,
               Wanted& wanted) {
        for (const std::int32_t rule : first) add(rule);
        for (int n_added = static_cast<int>(first.size()); !state_.stopped(); ++n_added) {
            keep_rows(state_.kernels, problem_.rows, left_, rows_);
            const Cost others = std::min(rows_.weight.positive, rows_.weight.negative) * unit;
            wanted.offer(
                {before.cost + n_rules * state_.rule_cost + wrong_ * unit + others, rules_});
            if (n_added == n_rules || wanted.is_answered()) return;
            Wanted next(others + state_.rule_cost);
            state_.charge(Work::family_word, problem_.language.size() * rows_.rows.words);
            CandidateCounter(state_.kernels).count(rows_, problem_.language, 0, counts_);
            find_one_rule(state_, {rows_, problem_.language, counts_}, next);
            if (!next.found()) return;
            add(next.best().rules[0]);
        }
    }

  private:
    void add(std::int32_t rule) {
        rules_.push_back(rule);
        const auto& known = problem_.language.candidate;
        const auto i =
            static_cast<std::size_t>(std::find(known.begin(), known.end(), rule) - known.begin());
        problem_.rows.copy_conjunction(problem_.language.terms[i], rule_);
        state_.charge(Work::row_word, 2 * rule_.size());
        std::array<std::int64_t, 2> decided{};
        for (const Segment& s : problem_.rows.rows.segments)
            for (std::size_t w = s.first_word; w < s.first_word + s.n_words; ++w)
                decided[static_cast<std::size_t>(s.klass)] +=
                    std::int64_t{std::popcount(left_[w] & rule_[w])} * s.weight;
        for (std::size_t w = 0; w < left_.size(); ++w) left_[w] &= ~rule_[w];
        wrong_ += std::min(decided[0], decided[1]);
    }

    State& state_;
    const ConjunctionProblem problem_;
    std::vector<std::int32_t> rules_;
    std::vector<Word> left_;  ///< rows that no rule has decided yet
    std::vector<Word> rule_;
    std::int64_t wrong_ = 0;
    ConditionRows rows_;
    Counts counts_;
};

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

void find_three_of(State& state, const ConjunctionProblem& problem, const Counts& reach,
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

/// After a cluster some of the rules may be idle: they cover only rows that were given away, where
/// they may be worth their price. Without them two rules may come together that do not begin a list
/// together, so any order is looked at.
void find_with_idle_rule(State& state, const ConjunctionProblem& problem, const Counts& reach,
                         int rules, std::int64_t least_correct, const Before& before,
                         const Origin& origin, Wanted& wanted) {
    Before idle = before;
    idle.cost += state.rule_cost;
    const std::vector<Word> none(origin.earlier.size(), 0);
    const Origin any_order{origin.language, origin.table, origin.removed,
                           origin.positive, none,         origin.rooms};
    find_rest(state, problem, reach, rules - 1, least_correct, idle, any_order, wanted);
}

void find_rest(State& state, const ConjunctionProblem& problem, const Counts& reach, int rules,
               std::int64_t least_correct, const Before& before, const Origin& origin,
               Wanted& wanted) {
    state.n_nodes.fetch_add(1, std::memory_order_relaxed);
    if (rules == 3)
        return find_three_of(state, problem, reach, least_correct, before, origin, wanted);
    if (!before.is_known) {
        SimpleList(state, problem).offer({}, rules, before, wanted);
        if (state.stopped() || wanted.is_answered()) return;
        find_with_idle_rule(state, problem, reach, rules, least_correct, before, origin, wanted);
    }
    if (state.stopped() || wanted.is_answered()) return;
    FirstRules(state, problem, reach, rules, least_correct, before, wanted)();
}

/// Three rules and none before.
void find_three(State& state, const ConjunctionProblem& problem, std::int64_t least_correct,
                Wanted& wanted) {
    if (!has_few_pivots(state, problem, wanted)) {
        const Representatives groups(state, problem, radius_of_groups(state, least_correct));
        ThreeRulesRoom room;
        if (has_room_for(state, groups, room)) {
            const auto three = make_three_rules(state, groups, room);
            if (three->prepare()) three->find({}, wanted);
            return;
        }
    }
    const std::vector<std::int32_t> each(problem.language.size(),
                                         static_cast<std::int32_t>(least_correct));
    find_three_by_largest(state, problem, {each, each}, {}, false, wanted);
}

}  // namespace

Chosen::Chosen(const ConjunctionProblem& problem, const Counts& reach, std::int64_t least_correct)
    : rows_(problem.rows) {
    std::vector<std::int32_t> chosen;
    for (std::size_t i = 0; i < problem.language.size(); ++i)
        if (std::max(problem.counts.positive(i), problem.counts.negative(i)) >= least_correct)
            chosen.push_back(static_cast<std::int32_t>(i));
    language_ = problem.language.only(chosen);
    for (std::size_t c = 0; c < 2; ++c)
        for (const std::int32_t i : chosen) {
            counts_.of_class[c].push_back(problem.counts.of_class[c][static_cast<std::size_t>(i)]);
            reach_.of_class[c].push_back(reach.of_class[c][static_cast<std::size_t>(i)]);
        }
}

void find_lists(State& state, const ConjunctionProblem& problem, int rules,
                std::int64_t least_correct, Wanted& wanted) {
    state.n_nodes.fetch_add(1, std::memory_order_relaxed);
    if (rules == 3) return find_three(state, problem, least_correct, wanted);
    FirstRules(state, problem, problem.counts, rules, least_correct, {}, wanted)();
}

}  // namespace samrule
