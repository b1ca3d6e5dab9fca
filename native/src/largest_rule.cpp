#include "largest_rule.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <utility>

#include "clusters.hpp"
#include "pivot_company.hpp"
#include "pivot_groups.hpp"
#include "two_rules.hpp"

namespace samrule {
namespace {

constexpr std::int32_t far_below = -(1 << 28);

std::int32_t all_of(const ConjunctionProblem& problem, std::size_t klass) {
    const Two& weight = problem.rows.weight;
    return static_cast<std::int32_t>(klass == 1 ? weight.positive : weight.negative);
}

/// What a list must gain if the default errs on this class.
std::int32_t goal_of(const State& state, const ConjunctionProblem& problem, std::size_t klass,
                     Cost before, const Wanted& wanted) {
    const std::int32_t all = all_of(problem, klass);
    const std::int64_t least = least_gain(all, 3, state.rule_cost, wanted.limit() - before);
    return static_cast<std::int32_t>(std::clamp<std::int64_t>(least, far_below, all + INT64_C(1)));
}

/// Whether a rule may be the largest of three that together reach a goal.
bool is_a_third(std::int32_t weight, std::int32_t goal) { return 3 * std::int64_t{weight} >= goal; }

/// Groups of pivots looked at together: neighbours share most of their rows, or conditions.
constexpr std::size_t block = 16;

/// Words of candidates' rows that are kept for one pivot, if there is memory for so many: more
/// would not stay in the cache.
constexpr std::size_t most_words = 1 << 20;

// Words and patterns are those of three_rules.cpp: S are the rows that a list predicts positive, w
// positive minus negative weight, and a list is wanted if w(S) reaches a goal. As w(S) <= p(S), and
// every row of S is covered by a positive rule, the positive rule of most positive weight has at
// least a third of the goal (111), half of it (011, 101), or all of it (001). It is the pivot: few
// candidates are that large. All candidates are counted on its rows, and that is all that is known:
// what two others share is not. With pivot i, "outside" are the rows it does not cover, P and N
// weights there, and P_all all positive ones. Two more rules x, y reach the goal only if
//   111 (i, x, y):  w(i) + min(P(x) + P(y), P_all) - max(N(x), N(y)) does,
//   001 (i is c):   w(i) + min(q(x&i) + q(y&i), q(i)) - max(p(x&i), p(y&i)),
//   011 (i is b, x is c, y is a), with base = w(i-y), or 101 (i is a, x is c, y is b), base = w(i):
//                   base + min(P(x), P_all - P(y)) - max(0, N(x) - N(y)),
//   101 (i is c, x is a, y is b): w(i-y) + w(x-i) + min(p(x&i), p(y&i)).
// Proofs. 111, 001: as in three_rules.cpp. 011 and 101: outside i, S are the rows of x without y,
// of positive weight at most P(x) and what y leaves of P_all, and of negative weight at least
// N(x) - N(y). 101 with c: S = (i-y) | x, and x adds w(x-i) + w(x&y&i).
// Before two are looked at together each alone must leave room for the best other one, as there,
// but for what only a table tells. Those that are left are counted.
//
// Nothing of this asks for the pivot to be a conjunction. So pivots come in groups (PivotGroups),
// and the set of rows that stands for a group is the pivot; p(i) is then what it covers, and the
// largest of the group has to be larger than other positive rules. If a list is found with it, the
// group is halved; with single rules lists are offered.
class LargestRule {
  public:
    LargestRule(State& state, const ConjunctionProblem& problem, const LeastWorth& worth,
                const Before& before, bool other_orders, Wanted& wanted)
        : state_(state),
          problem_(problem),
          worth_(worth),
          before_(before),
          other_orders_(other_orders),
          wanted_(wanted) {}

    void operator()() {
        for (std::size_t positive = 0; positive < 2 && !is_done(); ++positive) {
            std::vector<std::int32_t> pivots;
            for (std::size_t i = 0; i < n(); ++i)
                if (is_large(positive, i)) pivots.push_back(static_cast<std::int32_t>(i));
            PivotGroups pivot_groups(state_, problem_, positive, std::move(pivots));
            const std::vector<Group> groups = pivot_groups.groups();
            state_.for_each_step((groups.size() + block - 1) / block, [&](std::size_t b) {
                Space space(state_, problem_);
                const std::size_t last = std::min(groups.size(), (b + 1) * block);
                for (std::size_t k = b * block; k < last; ++k)
                    look_at(groups[k], positive, pivot_groups, space);
            });
        }
    }

  private:
    using Group = PivotGroups::Group;
    static constexpr std::size_t nobody = std::numeric_limits<std::size_t>::max();

    /// The rows inside or outside the pivot, and those that some candidates cover of them.
    struct Side {
        const ConditionRows* rows = nullptr;  ///< null until wanted
        std::vector<std::int32_t> place;      ///< of a candidate in `bits`, or -1
        std::vector<std::int32_t> placed;
        std::vector<Word> bits, one;

        /// Makes room for so many words once; left to itself the vector would take twice as many.
        void reserve(std::size_t n_candidates, std::size_t n_words) {
            place.assign(n_candidates, -1);
            bits.reserve(n_words);
        }
        void forget() {
            for (const std::int32_t l : placed) place[static_cast<std::size_t>(l)] = -1;
            placed.clear();
            bits.clear();
        }
        void clear() {
            forget();
            rows = nullptr;
        }
    };

    /// Rules that may stand by the pivot in some role, those of most gain first, as couple_scan
    /// reads them.
    struct Near {
        std::vector<std::pair<std::int32_t, std::int32_t>> order;  ///< gain (negated), rule
        std::vector<std::int32_t> rule, gain, price;

        std::size_t size() const { return order.size(); }
    };

    /// A rule that takes rows away from what the pivot and another one predict.
    struct Taker {
        std::int32_t rule, base, cap, price;
    };

    /// One thread's space, kept from pivot to pivot.
    struct Space {
        Space(State& state_, const ConjunctionProblem& problem)
            : state(state_),
              covered(state_.kernels, problem.rows, problem.language),
              counter(state_.kernels),
              company(state_, problem.rows) {
            const std::size_t least = 2 * problem.rows.rows.words;
            std::size_t n_words = std::max(least, most_words);
            while (n_words > least && !state.claim_spare(2 * n_words * sizeof(Word), claimed))
                n_words = std::max(least, n_words / 2);
            for (Side* side : {&inside, &outside}) side->reserve(problem.language.size(), n_words);
        }
        ~Space() { state.release_spare(claimed); }
        Space(const Space&) = delete;
        Space& operator=(const Space&) = delete;

        State& state;
        std::size_t claimed = 0;  ///< bytes
        CoveredRows covered;
        CandidateCounter counter;
        Counts shared;  ///< of each candidate and the pivot
        Side inside, outside;
        ConditionRows inside_rows, outside_rows;
        std::vector<Word> pivot, keep, open;
        Near near;
        std::vector<Taker> takers;
        PivotCompany company;
        bool has_list = false;  ///< whether the set of a group makes a wanted list
    };

    /// The pivot in one orientation: classes are swapped in orientation 1.
    struct View {
        std::size_t i;                  ///< the rule, or nobody if it is the set of a group
        std::size_t positive;           ///< the class called positive here
        std::int32_t pivot_p, pivot_q;  ///< weights of the pivot
        std::size_t largest;            ///< the rule that is the pivot, or of the group
        std::int32_t worth;             ///< what one of these rules is worth at least
        std::int32_t more_p, more_q;    ///< the most that the set has more positive weight, and a
                                        ///< rule of the group more negative weight
        const std::int32_t *p, *q;      ///< weights of all candidates
        const std::int32_t *x, *y;      ///< and those they share with the pivot
        std::int32_t goal;              ///< what a list must gain, when the pivot's turn came
        std::int32_t all_outside;       ///< P_all
        std::int32_t after = 0, most_inside = 0;  ///< what one more rule gains after i, inside i

        std::int32_t w(std::size_t l) const { return p[l] - q[l]; }
        std::int32_t w() const { return pivot_p - pivot_q; }
        std::int32_t outside_p(std::size_t l) const { return p[l] - x[l]; }
        std::int32_t outside_q(std::size_t l) const { return q[l] - y[l]; }
        std::int32_t w_outside(std::size_t l) const { return outside_p(l) - outside_q(l); }
        std::int32_t w_inside(std::size_t l) const { return x[l] - y[l]; }
        std::int32_t left_p(std::size_t l) const { return pivot_p - x[l]; }
        /// Whether rule a counts as larger than b.
        bool is_larger(std::size_t a, std::size_t b) const {
            return p[a] != p[b] ? p[a] > p[b] : a < b;
        }
        bool is_larger_than(std::size_t l) const { return is_larger(largest, l); }
    };

    std::size_t n() const { return problem_.language.size(); }
    bool is_done() const { return state_.stopped() || wanted_.is_answered(); }
    /// Whether there is nothing left to look for with the pivot at hand.
    bool is_done(const Space& space) const { return space.has_list || is_done(); }
    std::span<const std::int32_t> terms(std::size_t i) const { return problem_.language.terms[i]; }
    /// What a list must gain.
    std::int32_t goal(std::size_t positive) const {
        return goal_of(state_, problem_, positive, before_.cost, wanted_);
    }
    bool is_large(std::size_t positive, std::size_t i) const {
        return is_a_third(problem_.counts.of_class[positive][i], goal(positive));
    }

    /// Refutes a group, or what it is made of; offers the lists of single rules.
    void look_at(Group group, std::size_t positive, const PivotGroups& groups, Space& space) {
        if (is_done()) return;
        if (group.size() == 1) return look_at_rule(group, positive, space);
        if (!trials_.is_worthwhile()) {
            for (std::size_t k = 0; k < group.size(); ++k)
                look_at(group.subspan(k, 1), positive, groups, space);
            return;
        }
        if (is_refuted(group, positive, groups, space)) return;
        for (const Group half : groups.halves(group)) look_at(half, positive, groups, space);
    }

    /// Whether the set of a group makes no wanted list.
    bool is_refuted(Group group, std::size_t positive, const PivotGroups& groups, Space& space) {
        groups.copy_set(group, space.pivot);
        if (space.company.has_one_for(space.pivot, positive, goal(positive))) return false;
        keep_rows(state_.kernels, problem_.rows, space.pivot, space.inside_rows);
        look_at_rows(space.inside_rows, group, positive, space);
        const bool has_list = std::exchange(space.has_list, false);
        trials_.learn(has_list ? 0 : group.size());
        return !has_list;
    }

    void look_at_rule(Group rule, std::size_t positive, Space& space) {
        const auto i = static_cast<std::size_t>(rule[0]);
        problem_.rows.copy_conjunction(terms(i), space.pivot);
        look_at_rows(space.covered.of(terms(i)), rule, positive, space);
    }

    /// Looks at a pivot that covers these rows.
    void look_at_rows(const ConditionRows& rows, Group group, std::size_t positive, Space& space) {
        state_.charge(Work::family_word,
                      (n() + problem_.language.families.size()) * rows.rows.words);
        space.counter.count(rows, problem_.language, 0, space.shared);
        space.inside.rows = &rows;
        look_at(view(group, positive, space), space);
        space.inside.clear();
        space.outside.clear();
    }

    View view(Group group, std::size_t positive, const Space& space) const {
        const auto& of_class = problem_.counts.of_class;
        const auto& shared = space.shared.of_class;
        const Two& weight = space.inside.rows->weight;
        const auto negative_weight = static_cast<std::int32_t>(weight.negative);
        const auto positive_weight = static_cast<std::int32_t>(weight.positive);
        const auto first = static_cast<std::size_t>(group[0]);
        View v{group.size() == 1 ? first : nobody,
               positive,
               positive == 1 ? positive_weight : negative_weight,
               positive == 1 ? negative_weight : positive_weight,
               first,
               std::numeric_limits<std::int32_t>::max(),
               0,
               0,
               of_class[positive].data(),
               of_class[1 - positive].data(),
               shared[positive].data(),
               shared[1 - positive].data(),
               goal(positive),
               0};
        v.all_outside = all_of(problem_, positive) - v.pivot_p;
        for (const std::int32_t member : group) {
            const auto i = static_cast<std::size_t>(member);
            if (v.is_larger(i, v.largest)) v.largest = i;
            v.more_p = std::max(v.more_p, v.pivot_p - v.p[i]);
            v.more_q = std::max(v.more_q, v.q[i] - v.pivot_q);
            v.worth = std::min(v.worth, worth_[positive].empty() ? far_below : worth_[positive][i]);
        }
        state_.charge(Work::scanned, n());
        for (std::size_t l = 0; l < n(); ++l) {
            v.after = std::max(v.after, v.w_outside(l));
            v.most_inside = std::max(v.most_inside, -v.w_inside(l));
        }
        return v;
    }

    void look_at(const View& v, Space& space) {
        const std::int64_t p = v.pivot_p;
        state_.charge(Work::entry, 4 * n());
        find_111(v, space);
        if (2 * p >= v.goal) find_011(v, space);
        if (2 * p >= v.goal) find_101_with_a(v, space);
        if (2 * p >= v.goal) find_101_with_c(v, space);
        if (p >= v.goal) find_001(v, space);
    }

    /// Whether a rule that predicts this class may be worth no more than this.
    bool may_be_worth(std::size_t klass, std::size_t rule, std::int32_t most) const {
        return !state_.uses(Bound::worth) || worth_[klass].empty() || most >= worth_[klass][rule];
    }
    // What a rule is worth it is in a list with a rule of the group, not with the set S: that
    // covers up to more_p more positive weight, and of the negative up to more_q less.
    bool adds_enough(const View& v, std::size_t rule) const {
        return may_be_worth(v.positive, rule, v.outside_p(rule) + v.more_p);
    }
    bool takes_enough_inside(const View& v, std::size_t rule) const {
        return may_be_worth(1 - v.positive, rule, v.y[rule] + v.more_q);
    }
    bool takes_enough_outside(const View& v, std::size_t rule) const {
        return may_be_worth(1 - v.positive, rule, v.outside_q(rule));
    }
    /// Whether a rule of the group may be worth no more than this.
    bool pivot_adds_enough(const View& v, std::int32_t most) const {
        return !state_.uses(Bound::worth) || most >= v.worth;
    }

    /// Whether a bound that needs no second rule beside the pivot leaves room.
    bool reaches(const View& v, std::int32_t most) const {
        return !state_.uses(Bound::pair) || most >= v.goal;
    }

    void find_111(const View& v, Space& space) {
        gather(
            v, space.near,
            [&](std::size_t l) {
                const std::int32_t p = v.outside_p(l), q = v.outside_q(l);
                return v.is_larger_than(l) && adds_enough(v, l) &&
                       pivot_adds_enough(v, v.left_p(l)) &&
                       reaches(v, v.w() + p - q + std::min(v.after + q, v.all_outside - p));
            },
            [&](std::size_t l) { return v.outside_p(l); },
            [&](std::size_t l) { return v.outside_q(l); });
        couples(v, v.all_outside, space, [&](std::size_t x, std::size_t y) {
            const std::int32_t both = shared_outside(v, x, y, space);
            if (v.w() + v.w_outside(x) + v.w_outside(y) - both >= goal(v.positive))
                found(v, Beside::adds_both, x, y, space);
        });
    }

    void find_001(const View& v, Space& space) {
        gather(
            v, space.near,
            [&](std::size_t l) {
                const std::int32_t most = std::min(v.most_inside + v.x[l], v.pivot_q - v.y[l]);
                return takes_enough_inside(v, l) && reaches(v, v.w() - v.w_inside(l) + most);
            },
            [&](std::size_t l) { return v.y[l]; }, [&](std::size_t l) { return v.x[l]; });
        couples(v, v.pivot_q, space, [&](std::size_t x, std::size_t y) {
            const std::int32_t both = shared_inside(v, x, y, space);
            if (v.w() - v.w_inside(x) - v.w_inside(y) + both >= goal(v.positive))
                found(v, Beside::takes_both, x, y, space);
        });
    }

    void find_011(const View& v, Space& space) {
        gather_outside(v, space.near, [&](std::size_t c) {
            return v.is_larger_than(c) && pivot_adds_enough(v, v.left_p(c)) &&
                   reaches(v, v.w() + v.outside_p(c) + v.most_inside);
        });
        gather_takers(
            v, space, [&](std::size_t a) { return pivot_adds_enough(v, v.left_p(a)); },
            [&](std::size_t a) { return v.w() - v.w_inside(a); });
        take_outside(v, Beside::adds_x_takes_y, space);
    }

    void find_101_with_a(const View& v, Space& space) {
        gather_outside(v, space.near, [&](std::size_t c) {
            return v.is_larger_than(c) && reaches(v, v.w() + v.outside_p(c));
        });
        gather_takers(
            v, space, [&](std::size_t b) { return takes_enough_outside(v, b); },
            [&](std::size_t) { return v.w(); });
        take_outside(v, Beside::adds_x_without_y, space);
    }

    /// Rules that add outside the pivot what another one leaves.
    template <class IsKept>
    void gather_outside(const View& v, Near& near, const IsKept& is_kept) const {
        gather(
            v, near, [&](std::size_t l) { return adds_enough(v, l) && is_kept(l); },
            [&](std::size_t l) { return v.outside_p(l); },
            [&](std::size_t l) { return v.outside_q(l); });
    }

    template <class IsKept, class Base>
    void gather_takers(const View& v, Space& space, const IsKept& is_kept, const Base& base) const {
        space.takers.clear();
        if (space.near.size() == 0) return;
        for (std::size_t l = 0; l < n(); ++l) {
            const std::int32_t q = v.outside_q(l), left = v.all_outside - v.outside_p(l);
            if (l != v.i && is_kept(l) && reaches(v, base(l) + std::min(v.after + q, left)))
                space.takers.push_back({static_cast<std::int32_t>(l), base(l), left, q});
        }
    }

    void take_outside(const View& v, Beside beside, Space& space) {
        for (const Taker& taker : space.takers) {
            if (is_done(space)) return;
            const auto y = static_cast<std::size_t>(taker.rule);
            const std::int32_t need = v.goal - taker.base - taker.price;
            scan(space, 0, 0, taker.price, taker.cap, need, [&](std::size_t x) {
                if (x == y) return;
                const std::int32_t both = shared_outside(v, x, y, space);
                if (taker.base + v.w_outside(x) - both >= goal(v.positive))
                    found(v, beside, x, y, space);
            });
        }
    }

    void find_101_with_c(const View& v, Space& space) {
        gather(
            v, space.near,
            [&](std::size_t a) {
                const std::int32_t most = std::min(v.pivot_q - v.y[a], v.most_inside + v.x[a]);
                return v.is_larger_than(a) && pivot_adds_enough(v, v.left_p(a)) &&
                       reaches(v, v.w() + v.w_outside(a) + most);
            },
            [&](std::size_t a) { return v.x[a]; }, [&](std::size_t a) { return -v.w_outside(a); });
        if (space.near.size() == 0) return;
        for (std::size_t b = 0; b < n() && !is_done(space); ++b) {
            const std::int32_t base = v.w() - v.w_inside(b), left = v.left_p(b);
            const std::int32_t most =
                std::min(v.after + v.x[b], all_of(problem_, v.positive) - left);
            const bool is_kept = b != v.i && pivot_adds_enough(v, left) &&
                                 takes_enough_inside(v, b) && reaches(v, base + most);
            if (!is_kept) continue;
            scan(space, 0, 0, far_below, v.x[b], v.goal - base, [&](std::size_t a) {
                if (a == b) return;
                const std::int32_t both = shared_inside(v, a, b, space);
                if (base + v.w_outside(a) + both >= goal(v.positive))
                    found(v, Beside::adds_x_after_y, a, b, space);
            });
        }
    }

    template <class IsKept, class Gain, class Price>
    void gather(const View& v, Near& near, const IsKept& is_kept, const Gain& gain,
                const Price& price) const {
        near.order.clear();
        for (std::size_t l = 0; l < n(); ++l)
            if (l != v.i && is_kept(l))
                near.order.emplace_back(-gain(l), static_cast<std::int32_t>(l));
        std::sort(near.order.begin(), near.order.end());
        state_.charge(Work::entry, near.size() * std::bit_width(near.size()));
        // The scans look at a few entries past the end.
        for (auto* values : {&near.rule, &near.gain, &near.price})
            values->assign(near.size() + bits_per_word, 0);
        for (std::size_t k = 0; k < near.size(); ++k) {
            near.rule[k] = near.order[k].second;
            near.gain[k] = -near.order[k].first;
            near.price[k] = price(static_cast<std::size_t>(near.rule[k]));
        }
    }

    /// Calls body for every two of the gathered rules that may reach the goal.
    template <class Body>
    void couples(const View& v, std::int32_t cap, Space& space, const Body& body) {
        const Near& near = space.near;
        const std::int32_t need = v.goal - v.w();
        for (std::size_t j = 0; j + 1 < near.size() && !is_done(space); ++j) {
            if (state_.uses(Bound::triple) && 2 * near.gain[j] < need) return;
            const auto x = static_cast<std::size_t>(near.rule[j]);
            scan(space, j + 1, near.gain[j], near.price[j], cap, need,
                 [&](std::size_t y) { body(x, y); });
        }
    }

    /// Calls body for the gathered rules k from `first` on for which min(gain of k + gain, cap) -
    /// max(price of k, price) reaches `need`.
    template <class Body>
    void scan(Space& space, std::size_t first, std::int32_t gain, std::int32_t price,
              std::int32_t cap, std::int32_t need, const Body& body) {
        const Near& near = space.near;
        std::size_t n_near = near.size() - first;
        space.open.resize(words_for(near.size()) + 1);
        if (state_.uses(Bound::triple)) {
            // Gains fall: those after the last that is enough are not.
            const auto begin = near.gain.begin() + static_cast<std::ptrdiff_t>(first);
            const auto end = near.gain.begin() + static_cast<std::ptrdiff_t>(near.size());
            n_near = static_cast<std::size_t>(
                std::partition_point(begin, end,
                                     [&](std::int32_t g) { return g + gain >= need + price; }) -
                begin);
            if (n_near == 0) return;
            state_.kernels.couple_scan(&near.gain[first], &near.price[first], n_near, gain, price,
                                       cap, need, space.open.data());
        } else {
            std::fill(space.open.begin(), space.open.end(), ~Word{0});
        }
        state_.charge(Work::scanned, n_near);
        for (std::size_t k = 0; k < n_near; k += bits_per_word) {
            Word bits = space.open[k / bits_per_word] & low_bits(n_near - k);
            for (; bits != 0; bits &= bits - 1)
                body(static_cast<std::size_t>(
                    near.rule[first + k + static_cast<std::size_t>(std::countr_zero(bits))]));
        }
    }

    std::int32_t shared_inside(const View& v, std::size_t x, std::size_t y, Space& space) const {
        return shared(v, x, y, space.inside);
    }
    std::int32_t shared_outside(const View& v, std::size_t x, std::size_t y, Space& space) const {
        if (space.outside.rows == nullptr) {
            space.keep = space.pivot;
            complement_of(problem_.rows, space.keep);
            keep_rows(state_.kernels, problem_.rows, space.keep, space.outside_rows);
            space.outside.rows = &space.outside_rows;
        }
        return shared(v, x, y, space.outside);
    }

    /// Positive minus negative weight of the rows on one side that both cover.
    std::int32_t shared(const View& v, std::size_t x, std::size_t y, Side& side) const {
        if (side.bits.size() + 2 * side.rows->rows.words > side.bits.capacity()) side.forget();
        const std::size_t at_x = place(x, side), at_y = place(y, side);
        state_.charge(Work::row_word, side.rows->rows.words);
        std::int64_t weight = 0;
        for (const Segment& s : side.rows->rows.segments) {
            const std::int64_t slots =
                state_.kernels.count_and(side.bits.data() + at_x + s.first_word,
                                         side.bits.data() + at_y + s.first_word, s.n_words);
            weight += static_cast<std::size_t>(s.klass) == v.positive ? slots * s.weight
                                                                      : -slots * s.weight;
        }
        return static_cast<std::int32_t>(weight);
    }

    /// Where the candidate's rows on this side are; puts them there if they are not.
    std::size_t place(std::size_t l, Side& side) const {
        if (side.place[l] < 0) {
            side.place[l] = static_cast<std::int32_t>(side.placed.size());
            side.placed.push_back(static_cast<std::int32_t>(l));
            side.rows->copy_conjunction(terms(l), side.one);
            side.bits.insert(side.bits.end(), side.one.begin(), side.one.end());
        }
        return static_cast<std::size_t>(side.place[l]) * side.rows->rows.words;
    }

    /// Offers the list of a rule and two others, or remembers that the set of a group makes one.
    void found(const View& v, Beside beside, std::size_t x, std::size_t y, Space& space) {
        if (v.i != nobody) return offer_list(v.i, x, y);
        if (!space.has_list) space.company.add(beside, v.positive, terms(x), terms(y));
        space.has_list = true;
    }

    void offer_list(std::size_t i, std::size_t x, std::size_t y) {
        const std::array<std::size_t, 3> rules{i, x, y};
        Triple triple;
        for (std::size_t k = 0; k < 3; ++k) {
            triple.candidate[k] = problem_.language.candidate[rules[k]];
            triple.alone[k] = covered({rules[k]});
            triple.shared[k] = covered({rules[(k + 1) % 3], rules[(k + 2) % 3]});
        }
        triple.of_all_three = covered({i, x, y});
        triple.rows = {problem_.rows.weight.negative, problem_.rows.weight.positive};
        offer(state_, before_, triple, other_orders_, wanted_);
    }

    /// Weights of the rows that all these rules cover.
    Triple::Weight covered(std::initializer_list<std::size_t> rules) const {
        std::vector<std::int32_t> all;
        for (const std::size_t i : rules) all.insert(all.end(), terms(i).begin(), terms(i).end());
        std::vector<Word> rows;
        problem_.rows.copy_conjunction(all, rows);
        Triple::Weight weight{};
        for (const Segment& s : problem_.rows.rows.segments)
            weight[static_cast<std::size_t>(s.klass)] +=
                s.weight * state_.kernels.count_and(rows.data() + s.first_word,
                                                    rows.data() + s.first_word, s.n_words);
        return weight;
    }

    State& state_;
    const ConjunctionProblem problem_;
    const LeastWorth& worth_;
    const Before& before_;
    const bool other_orders_;
    Wanted& wanted_;
    ClusterTrials trials_;
};

}  // namespace

bool errs_on_a_quarter(const State& state, const ConjunctionProblem& problem,
                       const Wanted& wanted) {
    for (std::size_t klass = 0; klass < 2; ++klass) {
        const std::int64_t all = all_of(problem, klass);
        if (4 * std::int64_t{goal_of(state, problem, klass, 0, wanted)} < 3 * all) return true;
    }
    return false;
}

std::size_t number_of_pivots(const State& state, const ConjunctionProblem& problem,
                             const Wanted& wanted) {
    std::size_t n = 0;
    for (std::size_t klass = 0; klass < 2; ++klass) {
        const std::int32_t goal = goal_of(state, problem, klass, 0, wanted);
        for (const std::int32_t weight : problem.counts.of_class[klass])
            n += is_a_third(weight, goal);
    }
    return n;
}

void find_three_by_largest(State& state, const ConjunctionProblem& problem, const LeastWorth& worth,
                           const Before& before, bool other_orders, Wanted& wanted) {
    LargestRule(state, problem, worth, before, other_orders, wanted)();
}

}  // namespace samrule
