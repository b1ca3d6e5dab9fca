#include "three_rules.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <numeric>

#include "members.hpp"
#include "two_rules.hpp"

namespace samrule {
namespace {

/// Rules looked at together: neighbours share most of their conditions.
constexpr std::size_t block = 16;

// A default that predicts class 0 (orientation 0) errs on all positive weight P, and a list on
// P - w(S): S are the rows it predicts 1, w positive minus negative weight. It is wanted if w(S)
// reaches a goal. The last rule predicts 1 (else it is idle), so three rules a, b, c make
//   111: S = a|b|c    011: S = (b|c)-a    101: S = a|(c-b)    001: S = c-(a|b)
// Orientation 1 is the same with classes swapped. From the pair table, for each rule i,
//   after(i)  = max(0, max over c of w(c-i)): the most one more rule gains after i
//   inside(i) = max(0, max over a of -w(a&i)): the most one rule corrects inside i
// and for rules i and l, with x = p(i&l):
//   third: a rule c after both gains w(c-i-l) <= min(after(i) + n(l-i), after(l) + n(i-l),
//          P - p(i|l)). Proof: w(c-i-l) = w(c-i) - p(c&l-i) + n(c&l-i) <= after(i) + n(l-i).
//   111, 011 (i is b, l is a), 101 (i is a, l is b), 001 (i, l are a, b): w(i|l), w(i-l), w(i), 0,
//          each plus third.
//   011 (i, l are b, c): w(i|l) + min(n(l-i) + inside(i), n(i-l) + inside(l)). Proof: a takes
//          from i what is worth at least -inside(i), and from l-i at most its negatives.
//   101 (i is a, l is c): w(i|l) + min(n(l-i), inside(l) + x). Proof: b takes from l-i at most
//          its negatives, and -w(b&l-i) = -w(b&l) + w(b&l&i) <= inside(l) + x.
//   101 (i is c, l is b): w(i-l) + min(after(i) + x, P - p(i-l)). Proof: a adds w(a-(i-l)) =
//          w(a-i) + w(a&i&l) <= after(i) + x.
//   001 (i is c, l is a): w(i-l) + min(n(i-l), inside(i) + x), as for 101.
// And each rule of a wanted list is worth something: without it the list gains no more than any two
// rules, so it gains at least (goal - most of two rules) more with it. With two rules of three
// known, i is worth at most p(i-l) if it is positive (in 111, 011, and as c of 101), and otherwise,
// with l = c, n(i&l); with l the other rule that takes away, or a of 101, n(i-l). Proof: without i
// only rows change that it decides, and of these only those of its class get worse.
// A list reaches the goal only if its three pairs do: only triangles of such pairs are looked at.
// With i fixed, two more positive rules x, y gain w(x|y) = p(x|y) - n(x|y) <= min(p(x) + p(y), cap)
// - max(n(x), n(y)) on the rows outside i (cap: their positives), or on those inside i with classes
// swapped. What is left is bounded by inclusion-exclusion, then counted on the rows of i.
constexpr Pattern p111 = Pattern::x_y_z, p011 = Pattern::x_y_without_z;
constexpr Pattern p101 = Pattern::x_or_y_not_z, p001 = Pattern::x_without_y_z;

/// The counts of one subproblem in one orientation.
template <class Count>
struct View {
    std::vector<std::int32_t> p, q;  ///< positive and negative weight of each candidate
    std::vector<std::int32_t> after, inside;
    std::int32_t two;      ///< the most that two rules gain
    std::size_t positive;  ///< the class called positive here
    std::int32_t all_p;
    const PairTable<Count>* table;

    std::int32_t w(std::size_t i) const { return p[i] - q[i]; }
    const Count* shared_p(std::size_t i) const { return table->shared(positive, i); }
    const Count* shared_q(std::size_t i) const { return table->shared(1 - positive, i); }
};

/// Two more rules of one pivot, by what they gain.
struct Neighbours {
    std::vector<std::int32_t> rule, gain, price;
    std::vector<std::int32_t> p, q, pivot_p, pivot_q;  ///< weights of each, all and in the pivot
};

/// One thread's space, kept from pivot to pivot.
struct PivotSpace {
    PivotSpace(State& state, const Representatives& groups)
        : covered(state.kernels, groups.all().rows, groups.problem().language),
          members(state, groups) {}
    std::int32_t goal = 0;  ///< what a list must gain, when the pivot's turn came
    CoveredRows covered;
    const ConditionRows* rows = nullptr;  ///< of the pivot; null until wanted
    std::vector<std::int32_t> place;      ///< of a candidate in `bits`, or -1
    std::vector<std::int32_t> placed;
    std::vector<Word> bits, one;
    std::vector<std::pair<std::int32_t, std::int32_t>> order;
    Neighbours near;
    std::vector<Word> open;
    std::size_t n_bounded = 0;  ///< lists looked at since work was charged
    MemberSearch members;
};

template <class Count>
class ThreeRulesOf final : public ThreeRules {
  public:
    ThreeRulesOf(State& state, const Representatives& groups, ThreeRulesRoom& room,
                 const AfterFirst* after)
        : state_(state),
          groups_(groups),
          problem_(groups.problem()),
          after_(after),
          table_(state, room.table),
          room_for_partners_(room.partners) {}

    bool prepare() override {
        if (!count_table()) return false;
        words_ = words_for(table_.padded());
        partners_ = room_for_partners_.of<Word>(state_, n_roles * n() * words_);
        if (partners_ == nullptr) return false;
        lead_.assign(table_.padded(), 0);
        for (std::size_t r = 0; r < n(); ++r)
            lead_[r] = std::max(groups_.most_lead(0, r), groups_.most_lead(1, r));
        look_around();
        return true;
    }

    std::int64_t lead_over_two(const Before& before, const Wanted& wanted) override {
        std::int64_t least = std::numeric_limits<std::int64_t>::max();
        for (const View<Count>& v : views_)
            least = std::min<std::int64_t>(least, goal(v, before, wanted) - v.two);
        return least;
    }

    void find(const Before& before, Wanted& wanted) override {
        if (n() < 3) return;
        before_ = &before;
        wanted_ = &wanted;
        for (std::size_t o = 0; o < 2 && !is_done(); ++o) {
            find_partners(views_[o]);
            find_triangles(views_[o]);
        }
    }

  private:
    /// On all rows, or on those that are left out if they are fewer.
    bool count_table() {
        if (after_ == nullptr || after_->whole == nullptr ||
            2 * after_->removed->rows.words > problem_.rows.rows.words)
            return table_.count(problem_.rows, problem_.language);
        return table_.count_without(*after_->whole->of<Count>(), after_->place, *after_->removed,
                                    problem_.language);
    }

    std::size_t n() const { return problem_.language.size(); }
    bool is_done() const { return state_.stopped() || wanted_->is_answered(); }
    std::span<const std::int32_t> terms(std::size_t i) const { return problem_.language.terms[i]; }

    template <class Body>
    void for_each_block(const Body& body) {
        state_.for_each_step((n() + block - 1) / block, [&](std::size_t b) {
            if (!state_.stopped()) body(b * block, std::min(n(), (b + 1) * block));
        });
    }

    /// Sets both views: what one more rule can do after or inside each.
    void look_around() {
        const std::size_t padded = table_.padded();
        const Two& weight = problem_.rows.weight;
        for (std::size_t o = 0; o < 2; ++o) {
            View<Count>& v = views_[o];
            v.positive = 1 - o;
            v.all_p = static_cast<std::int32_t>(o == 0 ? weight.positive : weight.negative);
            v.table = &table_;
            v.p = problem_.counts.of_class[1 - o];
            v.q = problem_.counts.of_class[o];
            for (auto* values : {&v.p, &v.q, &v.after, &v.inside}) values->resize(padded, 0);
        }
        std::vector<std::int32_t> w(padded, 0);
        for (std::size_t i = 0; i < n(); ++i) w[i] = views_[0].w(i);
        for_each_block([&](std::size_t first, std::size_t last) {
            state_.charge(Work::scanned, (last - first) * padded);
            for (std::size_t i = first; i < last; ++i) {
                const ExtremesScan<Count> scan{padded, w.data(), table_.shared(1, i),
                                               table_.shared(0, i)};
                Extremes seen;
                if constexpr (sizeof(Count) == 2)
                    seen = state_.kernels.extremes_scan16(scan);
                else
                    seen = state_.kernels.extremes_scan32(scan);
                views_[0].after[i] = seen.most_after;
                views_[1].after[i] = -seen.least_after;
                views_[0].inside[i] = -seen.least_shared;
                views_[1].inside[i] = seen.most_shared;
            }
        });
        for (View<Count>& v : views_) {
            v.two = 0;
            for (std::size_t i = 0; i < n(); ++i)
                v.two = std::max(v.two, v.w(i) + std::max(v.after[i], v.inside[i]));
        }
    }

    /// What a list must gain.
    std::int32_t goal(const View<Count>& v) const { return goal(v, *before_, *wanted_); }
    std::int32_t goal(const View<Count>& v, const Before& before, const Wanted& wanted) const {
        const std::int64_t least =
            least_gain(v.all_p, 3, state_.rule_cost, wanted.limit() - before.cost);
        return static_cast<std::int32_t>(
            std::clamp<std::int64_t>(least, -(1 << 29), v.all_p + INT64_C(1)));
    }
    Word* partners(Role role, std::size_t i) {
        return partners_ + (static_cast<std::size_t>(role) * n() + i) * words_;
    }

    void find_partners(const View<Count>& v) {
        set_least_worth(v);
        for_each_block([&](std::size_t first, std::size_t last) {
            state_.charge(Work::scanned, (last - first) * table_.padded());
            for (std::size_t i = first; i < last; ++i) {
                const PartnerScan<Count> scan{
                    table_.padded(), v.p.data(), v.q.data(), v.shared_p(i), v.shared_q(i),
                    v.after.data(), v.inside.data(), lead_.data(), worth_[1].data(),
                    worth_[0].data(), v.p[i], v.q[i], v.after[i], v.inside[i], lead_[i],
                    worth_[1][i], worth_[0][i], v.all_p,
                    // The third rule may stand for others too.
                    state_.uses(Bound::pair) ? goal(v) - lead_[i] - groups_.radius() : -(1 << 29)};
                Word* roles[n_roles];
                for (std::size_t r = 0; r < n_roles; ++r)
                    roles[r] = partners(static_cast<Role>(r), i);
                if constexpr (sizeof(Count) == 2)
                    state_.kernels.partner_scan16(scan, roles);
                else
                    state_.kernels.partner_scan32(scan, roles);
                leave_out_earlier(v, roles);
                for (Word* role : roles) {
                    role[i / 64] &= ~(Word{1} << (i % 64));
                    for (std::size_t l = n(); l < table_.padded(); ++l)
                        role[l / 64] &= ~(Word{1} << (l % 64));
                }
            }
        });
    }

    /// Whether the rules at the beginning of a list that predict what the first rule does are the
    /// positive ones.
    bool first_is_positive(const View<Count>& v) const {
        return after_->positive == (v.positive == 1);
    }
    bool has_earlier() const { return after_ != nullptr && !after_->earlier.empty(); }
    bool is_earlier(std::size_t i) const { return after_->earlier[i / 64] >> (i % 64) & 1; }

    /// Rules that follow the first one at once, and predict the same, have no earlier turn.
    void leave_out_earlier(const View<Count>& v, Word* const* roles) const {
        if (!has_earlier()) return;
        const auto leave_out = [&](Role role) {
            Word* set = roles[static_cast<std::size_t>(role)];
            for (std::size_t w = 0; w < after_->earlier.size(); ++w) set[w] &= ~after_->earlier[w];
        };
        if (first_is_positive(v)) {
            leave_out(Role::both_111);
        } else {
            leave_out(Role::b_a_011);
            leave_out(Role::c_a_001);
        }
    }

    /// What candidate i is worth at least, if it predicts the positive class or if it does not.
    std::int32_t least_worth(const View<Count>& v, bool positive, std::size_t i) const {
        const std::int32_t in_three = goal(v) - v.two - 2 * groups_.radius();
        if (after_ == nullptr || after_->worth[0].empty()) return in_three;
        return std::max(in_three, after_->worth[positive ? v.positive : 1 - v.positive][i]);
    }

    void set_least_worth(const View<Count>& v) {
        for (const bool positive : {false, true}) {
            std::vector<std::int32_t>& worth = worth_[positive];
            worth.assign(table_.padded(), -(1 << 29));
            if (!state_.uses(Bound::worth)) continue;
            for (std::size_t i = 0; i < n(); ++i) worth[i] = least_worth(v, positive, i) - lead_[i];
        }
    }

    void find_triangles(const View<Count>& v) {
        for_each_block([&](std::size_t first, std::size_t last) {
            PivotSpace space(state_, groups_);
            space.place.assign(n(), -1);
            for (std::size_t i = first; i < last && !is_done(); ++i) {
                space.goal = goal(v);
                const bool may_be_first = !has_earlier() || !first_is_positive(v) || !is_earlier(i);
                if (may_be_first) find_111(v, i, space);
                find_011(v, i, space);
                if (may_be_first) find_101(v, i, space);
                find_001(v, i, space);
                for (const std::int32_t l : space.placed)
                    space.place[static_cast<std::size_t>(l)] = -1;
                space.placed.clear();
                space.bits.clear();
                space.rows = nullptr;
            }
        });
    }

    void find_111(const View<Count>& v, std::size_t i, PivotSpace& space) {
        const Count *x = v.shared_p(i), *y = v.shared_q(i);
        gather(
            v, i, partners(Role::both_111, i), i + 1,
            [&](std::size_t l) {
                return std::pair{v.p[l] - std::int32_t(x[l]), v.q[l] - std::int32_t(y[l])};
            },
            space);
        couples(v, i, v.all_p - v.p[i], Role::both_111, space,
                [&](std::size_t j, std::size_t l) { check(v, p111, i, j, l, space); });
    }

    void find_001(const View<Count>& v, std::size_t c, PivotSpace& space) {
        const Count *x = v.shared_p(c), *y = v.shared_q(c);
        gather(
            v, c, partners(Role::c_a_001, c), 0,
            [&](std::size_t l) { return std::pair{std::int32_t(y[l]), std::int32_t(x[l])}; },
            space);
        couples(v, c, v.q[c], Role::a_b_001, space,
                [&](std::size_t a, std::size_t b) { check(v, p001, c, a, b, space); });
    }

    void find_011(const View<Count>& v, std::size_t b, PivotSpace& space) {
        each(partners(Role::b_c_011, b), b + 1, [&](std::size_t c) {
            each_taker(v, p011, b, c, partners(Role::b_a_011, b), partners(Role::b_a_011, c),
                       space);
        });
    }

    void find_101(const View<Count>& v, std::size_t a, PivotSpace& space) {
        each(partners(Role::a_c_101, a), 0, [&](std::size_t c) {
            each_taker(v, p101, a, c, partners(Role::a_b_101, a), partners(Role::c_b_101, c),
                       space);
        });
    }

    /// Checks the rules of both sets, which take rows from the near rule, or from both.
    void each_taker(const View<Count>& v, Pattern pattern, std::size_t pivot, std::size_t near,
                    const Word* set, const Word* other, PivotSpace& space) {
        if (is_done()) return;
        space.open.resize(words_);
        const std::int32_t p = v.shared_p(pivot)[near], q = v.shared_q(pivot)[near];
        const bool is_bounded = state_.uses(Bound::triple);
        const TakerScan<Count> scan{
            table_.padded(),
            v.p.data(),
            v.q.data(),
            lead_.data(),
            v.shared_p(pivot),
            v.shared_q(pivot),
            v.shared_p(near),
            v.shared_q(near),
            pattern == p011,
            v.w(pivot) + v.w(near) - p + q,
            p,
            q,
            v.all_p - v.p[pivot] - v.p[near] + p,
            v.q[pivot],
            v.q[near],
            is_bounded ? space.goal - lead_[pivot] - lead_[near] : -(1 << 29)};
        std::size_t n_both;
        if constexpr (sizeof(Count) == 2)
            n_both = state_.kernels.taker_scan16(scan, set, other, space.open.data());
        else
            n_both = state_.kernels.taker_scan32(scan, set, other, space.open.data());
        state_.charge(Work::entry, words_);
        state_.charge(Work::scanned, 2 * n_both);
        each(space.open.data(), 0,
             [&](std::size_t far) { check(v, pattern, pivot, near, far, space); });
        charge_bounded(space);
    }

    void charge_bounded(PivotSpace& space) {
        state_.charge(Work::triple, space.n_bounded);
        space.n_bounded = 0;
    }

    template <class Body>
    void each(const Word* set, std::size_t from, const Body& body) const {
        for (std::size_t w = from / 64; w < words_; ++w) {
            Word bits = set[w];
            if (w == from / 64) bits &= ~Word{0} << (from % 64);
            for (; bits != 0; bits &= bits - 1)
                body(w * 64 + static_cast<std::size_t>(std::countr_zero(bits)));
        }
    }

    /// Sorts the rules of a set by what they gain, most first.
    template <class GainAndPrice>
    void gather(const View<Count>& v, std::size_t pivot, const Word* set, std::size_t from,
                const GainAndPrice& of, PivotSpace& space) const {
        space.order.clear();
        each(set, from, [&](std::size_t l) {
            space.order.emplace_back(-of(l).first, static_cast<std::int32_t>(l));
        });
        std::sort(space.order.begin(), space.order.end());
        const std::size_t n_near = space.order.size();
        state_.charge(Work::entry, n_near * std::bit_width(n_near));
        Neighbours& near = space.near;
        // The scans look at a few entries past the end.
        const std::size_t readable = n_near + 64;
        near.gain.assign(readable, -(1 << 28));
        for (auto* values : {&near.price, &near.p, &near.q, &near.pivot_p, &near.pivot_q})
            values->assign(readable, 0);
        near.rule.assign(readable, 0);
        for (std::size_t k = 0; k < n_near; ++k) {
            near.rule[k] = space.order[k].second;
            const auto l = static_cast<std::size_t>(near.rule[k]);
            const auto [gain, price] = of(l);
            near.gain[k] = gain;
            near.price[k] = price;
            near.p[k] = v.p[l];
            near.q[k] = v.q[l];
            near.pivot_p[k] = v.shared_p(pivot)[l];
            near.pivot_q[k] = v.shared_q(pivot)[l];
        }
    }

    /// Calls body for every two of the gathered rules that may together gain `need` and may stand
    /// in this role to each other.
    template <class Body>
    void couples(const View<Count>& v, std::size_t pivot, std::int32_t cap, Role role,
                 PivotSpace& space, const Body& body) {
        const std::int32_t most_need = space.goal - lead_[pivot] - groups_.radius() - v.w(pivot);
        const Neighbours& near = space.near;
        const std::size_t n_near = space.order.size();
        space.open.resize(words_for(n_near) + 1);
        for (std::size_t j = 0; j + 1 < n_near && !is_done(); ++j) {
            const std::int32_t gain = near.gain[j], price = near.price[j];
            std::size_t n_after = n_near - j - 1;
            const auto rule = static_cast<std::size_t>(near.rule[j]);
            if (state_.uses(Bound::triple)) {
                const std::int32_t need = most_need - lead_[rule];
                if (2 * gain < most_need - groups_.radius()) return;
                if (cap - price < need) continue;
                // Gains fall: those after the last that is enough are not.
                const auto first = near.gain.begin() + static_cast<std::ptrdiff_t>(j) + 1;
                const auto end = near.gain.begin() + static_cast<std::ptrdiff_t>(n_near);
                n_after = static_cast<std::size_t>(
                    std::partition_point(
                        first, end,
                        [&](std::int32_t other) { return other >= need - gain + price; }) -
                    first);
                if (n_after == 0) continue;
                state_.charge(Work::scanned, 2 * n_after);  // with look_closer
                state_.kernels.couple_scan(&near.gain[j + 1], &near.price[j + 1], n_after, gain,
                                           price, cap, need, space.open.data());
                look_closer(v, pivot, j, n_after, role == Role::both_111, need + v.w(pivot), space);
            } else {
                std::fill(space.open.begin(), space.open.end(), ~Word{0});
            }
            const Word* partner = partners(role, rule);
            for (std::size_t w = 0; w * 64 < n_after; ++w) {
                Word bits = space.open[w] & low_bits(n_after - w * 64);
                for (; bits != 0; bits &= bits - 1) {
                    const std::size_t k = w * 64 + static_cast<std::size_t>(std::countr_zero(bits));
                    const auto other = static_cast<std::size_t>(near.rule[j + 1 + k]);
                    if (partner[other / 64] >> (other % 64) & 1) body(rule, other);
                }
            }
            charge_bounded(space);
        }
    }

    /// Leaves those of the `n_after` rules after the j-th open that inclusion-exclusion does.
    void look_closer(const View<Count>& v, std::size_t pivot, std::size_t j, std::size_t n_after,
                     bool adds, std::int32_t goal, PivotSpace& space) const {
        const Neighbours& near = space.near;
        const auto rule = static_cast<std::size_t>(near.rule[j]);
        const std::int32_t p = near.pivot_p[j], q = near.pivot_q[j];
        const TriangleScan<Count> scan{n_after,
                                       &near.rule[j + 1],
                                       &near.p[j + 1],
                                       &near.q[j + 1],
                                       &near.pivot_p[j + 1],
                                       &near.pivot_q[j + 1],
                                       v.shared_p(rule),
                                       v.shared_q(rule),
                                       adds,
                                       v.w(pivot) - p + q + (adds ? v.w(rule) : 0),
                                       p,
                                       q,
                                       v.all_p - v.p[pivot] - v.p[rule] + p,
                                       v.q[pivot],
                                       v.q[rule],
                                       goal};
        if constexpr (sizeof(Count) == 2)
            state_.kernels.triangle_scan16(scan, space.open.data());
        else
            state_.kernels.triangle_scan32(scan, space.open.data());
    }

    /// Bounds the list of three rules, then counts it on the rows of the pivot. The rows of the
    /// table that are read are those of the pivot and `near`, which the caller changes seldom.
    void check(const View<Count>& v, Pattern pattern, std::size_t pivot, std::size_t near,
               std::size_t far, PivotSpace& space) {
        ++space.n_bounded;
        const std::int32_t pn_p = v.shared_p(pivot)[near], pn_q = v.shared_q(pivot)[near];
        const std::int32_t pf_p = v.shared_p(pivot)[far], pf_q = v.shared_q(pivot)[far];
        const std::int32_t nf_p = v.shared_p(near)[far], nf_q = v.shared_q(near)[far];
        const std::int32_t pn = pn_p - pn_q, pf = pf_p - pf_q, nf = nf_p - nf_q;
        // All but the weight of the rows that all three cover.
        std::int32_t gain = v.w(pivot) - pn - pf;
        if (pattern == p111) gain += v.w(near) + v.w(far) - nf;
        if (pattern == p011) gain += v.w(near) - nf;
        if (pattern == p101) gain = v.w(pivot) + v.w(near) - pn - nf;
        const std::int32_t most_p = std::min(
            {pn_p, pf_p, nf_p, v.all_p - v.p[pivot] - v.p[near] - v.p[far] + pn_p + pf_p + nf_p});
        const std::int32_t least_q = std::max(
            {0, pn_q + pf_q - v.q[pivot], pn_q + nf_q - v.q[near], pf_q + nf_q - v.q[far]});
        const std::int32_t leads = lead_[pivot] + lead_[near] + lead_[far];
        if (state_.uses(Bound::triple) && gain + most_p - least_q + leads < space.goal) return;
        state_.charge(Work::row_word, problem_.rows.rows.words);
        const std::array<std::int64_t, 2> all_three = count_shared(near, far, pivot, space);
        const std::int64_t p = all_three[v.positive], q = all_three[1 - v.positive];
        const std::array<std::size_t, 3> rules{pivot, near, far};
        if (gain + p - q + lead(v, pattern, rules) < goal(v)) return;
        const auto found = [&](const Triple& triple) {
            offer(state_, *before_, triple, has_earlier(), *wanted_);
        };
        if (groups_.has_groups())
            space.members.find(pattern, v.positive, rules, [&] { return goal(v); }, found);
        else
            found(triple(rules, all_three));
    }

    /// Weights of the rows that the pivot and both others cover, by class.
    std::array<std::int64_t, 2> count_shared(std::size_t j, std::size_t l, std::size_t pivot,
                                             PivotSpace& space) const {
        if (space.rows == nullptr) space.rows = &space.covered.of(terms(pivot));
        const std::size_t words = space.rows->rows.words;
        const std::size_t at_j = place(j, space) * words, at_l = place(l, space) * words;
        std::array<std::int64_t, 2> weight{};
        for (const Segment& s : space.rows->rows.segments)
            weight[static_cast<std::size_t>(s.klass)] +=
                state_.kernels.count_and(space.bits.data() + at_j + s.first_word,
                                         space.bits.data() + at_l + s.first_word, s.n_words) *
                s.weight;
        return weight;
    }

    /// Where the candidate's rows among the pivot's are; puts them there if they are not.
    std::size_t place(std::size_t l, PivotSpace& space) const {
        if (space.place[l] < 0) {
            space.place[l] = static_cast<std::int32_t>(space.placed.size());
            space.placed.push_back(static_cast<std::int32_t>(l));
            space.rows->copy_conjunction(terms(l), space.one);
            space.bits.insert(space.bits.end(), space.one.begin(), space.one.end());
        }
        return static_cast<std::size_t>(space.place[l]);
    }

    /// The most that members of three groups gain more than their representatives.
    std::int32_t lead(const View<Count>& v, Pattern pattern,
                      const std::array<std::size_t, 3>& groups) const {
        std::int32_t most = 0;
        for (std::size_t k = 0; k < 3; ++k)
            most +=
                groups_.most_lead(is_positive(pattern, k) ? v.positive : 1 - v.positive, groups[k]);
        return most;
    }

    Triple triple(const std::array<std::size_t, 3>& rules,
                  const std::array<std::int64_t, 2>& all_three) const {
        Triple triple;
        for (std::size_t k = 0; k < 3; ++k) {
            const std::size_t one = rules[(k + 1) % 3], other = rules[(k + 2) % 3];
            triple.candidate[k] = problem_.language.candidate[rules[k]];
            for (std::size_t c = 0; c < 2; ++c) {
                triple.alone[k][c] = problem_.counts.of_class[c][rules[k]];
                triple.shared[k][c] = table_.shared(c, one)[other];
            }
        }
        triple.of_all_three = all_three;
        triple.rows = {problem_.rows.weight.negative, problem_.rows.weight.positive};
        return triple;
    }

    State& state_;
    const Representatives& groups_;
    const ConjunctionProblem problem_;  ///< of the representatives
    const AfterFirst* const after_;
    const Before* before_ = nullptr;
    Wanted* wanted_ = nullptr;
    PairTable<Count> table_;
    View<Count> views_[2];
    /// What each rule must be worth if it predicts the positive class (1) or not (0), as far as its
    /// own counts say: what it stands for may have a lead.
    std::array<std::vector<std::int32_t>, 2> worth_;
    std::vector<std::int32_t> lead_;  ///< the most a list gains more with what a rule stands for
    KeptRoom& room_for_partners_;
    Word* partners_ = nullptr;  ///< role after role, rule after rule: the rules it may stand by
    std::size_t words_ = 0;     ///< of one set of partners
};

}  // namespace

std::unique_ptr<ThreeRules> make_three_rules(State& state, const Representatives& groups,
                                             ThreeRulesRoom& room, const AfterFirst* after) {
    const bool is_narrow = after != nullptr && after->whole != nullptr
                               ? after->whole->of<std::uint16_t>() != nullptr
                               : fits_16_bits(groups.all().rows.weight);
    if (is_narrow) return std::make_unique<ThreeRulesOf<std::uint16_t>>(state, groups, room, after);
    return std::make_unique<ThreeRulesOf<std::uint32_t>>(state, groups, room, after);
}

std::size_t three_rules_bytes(std::size_t n, const Two& weight) {
    const std::size_t table = fits_16_bits(weight) ? PairTable<std::uint16_t>::bytes(n)
                                                   : PairTable<std::uint32_t>::bytes(n);
    return table + n_roles * n * words_for(n + scan_lanes) * sizeof(Word);
}

}  // namespace samrule
