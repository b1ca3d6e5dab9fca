#include "first_rules.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <utility>

#include "chosen.hpp"
#include "few_errors.hpp"
#include "known_ends.hpp"
#include "last_three.hpp"
#include "simple_list.hpp"

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

    /// A rule that clusters are grown around, until one of them is refuted.
    struct Seed {
        std::int32_t rule;
        std::size_t most;  ///< members that the next cluster may have
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
        for (const Seed& seed : seeds) clusters.push_back(grown(seed, open, free, earlier));
        for (const std::int32_t i : open) {
            if (seeds.size() >= at_once) break;
            if (!is_in(free, i)) continue;
            take_from(free, i);
            seeds.push_back({i, state_.uses(Bound::sibling) ? open.size() : 1});
            clusters.push_back(grown(seeds.back(), open, free, earlier));
        }
        return clusters;
    }

    /// The cluster around a seed: free rules join it, and are free no longer, as long as half of
    /// the room that the seed leaves alone is left. Clusters that are just refuted take longest.
    Cluster grown(const Seed& seed, const std::vector<std::int32_t>& open, std::vector<Word>& free,
                  const std::vector<Word>& earlier) {
        Cluster cluster{{seed.rule}, earlier};
        Union all = union_of(cluster);
        KnownEnds::Least known = ends_.least(all.some);
        const Cost room = cost_with(all.least_wrong + known.errors) - wanted_.limit();
        if (room <= 0) return cluster;
        while (cluster.members.size() < seed.most && !state_.stopped()) {
            // What is known to follow changes with the cluster, and so does who comes next.
            const std::size_t n = cluster.members.size();
            const std::size_t most = std::min(seed.most, n + std::max<std::size_t>(8, n / 8));
            join(by_loss(open, free, all.least_wrong, known.rows), room / 2, most, all, cluster);
            for (std::size_t k = n; k < cluster.members.size(); ++k)
                take_from(free, cluster.members[k]);
            if (cluster.members.size() < most) break;
            known = ends_.least(all.some);
        }
        return cluster;
    }

    /// The free rules, first those that take least from what follows a cluster as far as is known:
    /// rows that this errs on, and what all members err on at least.
    std::vector<std::int32_t> by_loss(const std::vector<std::int32_t>& open,
                                      const std::vector<Word>& free, std::int64_t least_wrong,
                                      const std::vector<Word>& wrong_rows) const {
        ConditionRows rows;
        keep_rows(state_.kernels, problem_.rows, wrong_rows, rows);
        Counts lost;
        state_.charge(Work::family_word, problem_.language.size() * rows.rows.words);
        CandidateCounter(state_.kernels).count(rows, problem_.language, 0, lost);
        std::vector<std::pair<std::int64_t, std::size_t>> order;
        for (std::size_t at = 0; at < open.size(); ++at) {
            const auto k = static_cast<std::size_t>(open[at]);
            if (is_in(free, open[at]))
                order.emplace_back(std::int64_t{lost.positive(k)} + lost.negative(k) +
                                       std::max<std::int64_t>(0, least_wrong - wrong(open[at])),
                                   at);
        }
        std::sort(order.begin(), order.end());
        std::vector<std::int32_t> rules;
        for (const auto& [loss, at] : order) rules.push_back(open[at]);
        return rules;
    }

    /// Lets rules join a cluster in their order, those that leave more room than `least`, until it
    /// has `most` members or some in a row left less.
    void join(const std::vector<std::int32_t>& rules, Cost least, std::size_t most, Union& all,
              Cluster& cluster) {
        constexpr std::size_t patience = 8;
        std::size_t n_refused = 0;
        Union more;
        for (const std::int32_t i : rules) {
            if (n_refused == patience || cluster.members.size() == most) return;
            if (state_.stopped()) return;
            more = all;
            more.add(i, *this);
            if (is_known_to_fail(more, least)) {
                ++n_refused;
                continue;
            }
            n_refused = 0;
            std::swap(all, more);
            cluster.members.push_back(i);
        }
    }

    void copy_rows(std::int32_t i, std::vector<Word>& to) const {
        problem_.rows.copy_conjunction(problem_.language.terms[static_cast<std::size_t>(i)], to);
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

    Union union_of(const Cluster& cluster) const {
        state_.charge(Work::row_word, cluster.members.size() * problem_.rows.rows.words);
        Union all;
        for (const std::int32_t i : cluster.members) all.add(i, *this);
        return all;
    }

    /// Whether a list is known that costs too little to refute a cluster, or no more than so much
    /// above that.
    bool is_known_to_fail(const Union& all, Cost room = 0) {
        const Cost left = wanted_.limit() + room - cost_with(all.least_wrong);
        return left >= 0 && ends_.has_one_within(left / unit, all.some);
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

// Four rules follow a first one, or some member of a cluster, and cost at most `left` on the rows V
// that are left. Take away one that classifies w of V correctly, as it stands among the four: A is
// saved, at most w more is misclassified, and three rules are left, which cost at least some F on
// V, the price of rules that decide nothing there included. So w >= F + A - left, and if that is
// more than nothing none of the four is idle on V. Rules that are worth less than that to V are
// left out.
//
// What each rule must classify correctly in the whole list is another demand: it looks at rows that
// were given away as well. Both are about the label that the rule has in the list, and both lose
// the same when more rows go. So of the two numbers by which a label's reach exceeds what is
// demanded, the lesser is kept.
class FourAfter {
  public:
    FourAfter(State& state, const ConjunctionProblem& problem, const Counts& reach,
              std::int64_t least_in_all, const Before& before, const Origin& origin, Wanted& wanted)
        : state_(state),
          problem_(problem),
          reach_(reach),
          least_in_all_(least_in_all),
          before_(before),
          origin_(origin),
          wanted_(wanted) {}

    void operator()() {
        const std::int64_t least = least_on_rows();
        if (state_.stopped() || wanted_.is_answered()) return;
        if (least == 0)
            return FirstRules(state_, problem_, reach_, 4, least_in_all_, before_, wanted_)();
        // Little more than three rules cost enough: four are likely to, and then to go on is in
        // vain.
        constexpr std::int64_t little = 10;
        if (!before_.is_known && little * least < least_in_all_)
            return wanted_.offer({wanted_.limit(), known_three_.rules});
        const std::int64_t both = std::max(least, least_in_all_);
        const Counts reach = reach_of_both(least, both);
        const Chosen chosen({problem_.rows, problem_.language, reach}, problem_.counts, both);
        const ConjunctionProblem enough = chosen.problem();  // with what is left to both as counts
        FirstRules(state_, {enough.rows, enough.language, chosen.reach()}, enough.counts, 4, both,
                   before_, wanted_)();
    }

  private:
    Cost left() const { return wanted_.limit() - before_.cost; }

    /// What each of the four rules classifies correctly on V at least; 0 if nothing is known. A
    /// bound that is far above what may be spent takes longer to prove, if it holds at all.
    std::int64_t least_on_rows() {
        Wanted simple(std::numeric_limits<Cost>::max());
        SimpleList(state_, problem_).offer({}, 3, {}, simple);
        if (state_.stopped()) return 0;
        known_three_ = simple.best();
        for (const int share : {70, 35}) {
            const Cost most = left() + share * (known_three_.cost - left()) / 100;
            if (most < left()) break;
            Wanted three(most, most);
            find_three_of(0, three);
            if (state_.stopped()) return 0;
            if (!three.found()) return (most + state_.rule_cost - left()) / unit + 1;
            known_three_ = three.best();
        }
        return before_.is_known ? 0 : least_without_idle_rule();
    }

    /// After a cluster some of the rules may be idle. If three that cost so much less do not
    /// follow, none is.
    std::int64_t least_without_idle_rule() {
        const Cost most = left() - state_.rule_cost;
        if (known_three_.cost > most) {
            Wanted three(most, most);
            find_three_of(least_in_all_, three);
            if (!three.found()) return state_.stopped() ? 0 : 1;
            known_three_ = three.best();
        }
        wanted_.offer({before_.cost + known_three_.cost + state_.rule_cost, known_three_.rules});
        return 0;
    }

    /// Looks for three rules on V that each classify enough correctly in the whole list, idle ones
    /// among them. Two may come together that do not begin a list together, so any order is looked
    /// at.
    void find_three_of(std::int64_t least_in_all, Wanted& three) {
        const std::vector<Word> none(origin_.earlier.size(), 0);
        const Origin any_order{origin_.language, origin_.table, origin_.removed,
                               origin_.positive, none,          origin_.rooms};
        const Before nothing{{}, 0, false};
        find_rest(state_, problem_, reach_, 3, least_in_all, nothing, any_order, three);
    }

    Counts reach_of_both(std::int64_t least, std::int64_t both) const {
        Counts reach = reach_;
        state_.charge(Work::scanned, problem_.language.size());
        for (std::size_t c = 0; c < 2; ++c)
            for (std::size_t i = 0; i < problem_.language.size(); ++i) {
                const std::int64_t in_all = reach_.of_class[c][i] - least_in_all_;
                const std::int64_t on_rows = problem_.counts.of_class[c][i] - least;
                reach.of_class[c][i] = static_cast<std::int32_t>(both + std::min(in_all, on_rows));
            }
        return reach;
    }

    State& state_;
    const ConjunctionProblem problem_;
    const Counts& reach_;
    const std::int64_t least_in_all_;
    const Before& before_;
    const Origin& origin_;
    Wanted& wanted_;
    CostedList known_three_{};  ///< the best three rules on V that were found
};

void find_rest(State& state, const ConjunctionProblem& problem, const Counts& reach, int rules,
               std::int64_t least_correct, const Before& before, const Origin& origin,
               Wanted& wanted) {
    state.n_nodes.fetch_add(1, std::memory_order_relaxed);
    if (rules == 3)
        return find_three_after(state, problem, reach, least_correct, before, origin, wanted);
    if (!before.is_known) SimpleList(state, problem).offer({}, rules, before, wanted);
    if (state.stopped() || wanted.is_answered()) return;
    if (rules == 4 && state.uses(Bound::drop))
        return FourAfter(state, problem, reach, least_correct, before, origin, wanted)();
    if (!before.is_known)
        find_with_idle_rule(state, problem, reach, rules, least_correct, before, origin, wanted);
    if (state.stopped() || wanted.is_answered()) return;
    FirstRules(state, problem, reach, rules, least_correct, before, wanted)();
}

}  // namespace

void find_lists(State& state, const ConjunctionProblem& problem, int rules,
                std::int64_t least_correct, Wanted& wanted) {
    state.n_nodes.fetch_add(1, std::memory_order_relaxed);
    if (rules == 3) return find_three(state, problem, least_correct, wanted);
    if (errs_on_little(state, problem, rules, wanted))
        return find_with_few_errors(state, problem, rules, wanted);
    FirstRules(state, problem, problem.counts, rules, least_correct, {}, wanted)();
}

}  // namespace samrule
