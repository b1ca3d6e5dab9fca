#include "two_rules.hpp"

#include <algorithm>
#include <limits>

namespace samrule {
namespace {

constexpr std::int64_t none = std::numeric_limits<std::int64_t>::min() / 4;

/// Candidates looked at together: neighbours share most of their conditions.
constexpr std::size_t block = 32;

// A default that predicts class 0, orientation 0, is wrong on all positive weight P; a list errs
// on P - w(S), where S are the rows it predicts 1 and w(S) their positive minus negative weight.
// With two rules i and l, S is "i or l" or "i without l". (If the last rule and the default predict
// the same, one rule does as well.) Orientation 1 is the same with classes swapped.
//
// For a goal G and a fixed i, counting only on i's rows, with p and n the weights shared with l:
//   i without l: w(i) - (p - n) >= G needs n >= G - w(i).
//   i or l, where w(l) <= w(i): w(i) + w(l) - (p - n) >= G needs n >= G - w(i) - w(l), and, as l
//   adds at most its positive weight outside i, p(l without i) >= G - w(i). If w(i) <= 0, "l
//   without i" is no worse, and another turn's business.
// n and p(l without i) fall when l gets more conditions, so a condition that fails fails for all
// conjunctions it is part of.
class TwoRules {
  public:
    TwoRules(State& state, const ConjunctionProblem& all, Wanted& wanted)
        : state_(state), all_(all), counts_(all.counts), wanted_(wanted) {
        CandidateCounter(state.kernels).count_conditions(all.rows, of_conditions_);
        for (auto& most : most_gain_) most.assign(all.language.n_conditions, none);
        for (std::size_t i = 0; i < all.language.size(); ++i)
            for (const std::int32_t c : all.language.terms[i])
                for (int o = 0; o < 2; ++o) {
                    std::int64_t& most = most_gain_[o][static_cast<std::size_t>(c)];
                    most = std::max(most, gain(o, i));
                }
    }

    void operator()() {
        const std::size_t n = all_.language.size();
        state_.for_each_step((n + block - 1) / block, [&](std::size_t b) {
            CoveredRows covered(state_.kernels, all_.rows, all_.language);
            Space space{CandidateCounter(state_.kernels), {}, {}, {}, {}, 0, {}, {}};
            for (std::size_t i = b * block; i < std::min(n, (b + 1) * block); ++i) {
                if (state_.stopped() || wanted_.is_answered()) return;
                look_at(i, covered, space);
            }
        });
    }

  private:
    struct Space {
        CandidateCounter counter;
        Counts conditions, candidates;
        std::vector<std::uint8_t> open, open_groups;
        std::int64_t n_open_groups = 0;
        std::vector<Word> keep;
        ConditionRows outside;
    };

    /// Positive minus negative weight, classes swapped in orientation 1.
    std::int64_t gain(int o, std::size_t i) const {
        const std::int64_t w = std::int64_t{counts_.positive(i)} - counts_.negative(i);
        return o == 0 ? w : -w;
    }
    std::int64_t goal(int o) const {
        const Two& weight = all_.rows.weight;
        return least_gain(o == 0 ? weight.positive : weight.negative, 2, state_.rule_cost,
                          wanted_.limit());
    }

    void look_at(std::size_t i, CoveredRows& covered, Space& space) {
        const std::int64_t goals[] = {goal(0), goal(1)};
        bool alive = false;
        for (int o = 0; o < 2; ++o) {
            const std::int64_t negative = o == 0 ? counts_.negative(i) : counts_.positive(i);
            alive |= negative >= goals[o] - gain(o, i) - std::max<std::int64_t>(gain(o, i), 0);
        }
        if (!alive) return;
        const ConditionRows& outer = count_conditions(i, covered, space);
        if (!find_open_conditions(i, goals, space)) return;
        if (pays_to_pack(i, outer, space))
            count_packed(i, covered, space);
        else
            count_open(i, outer, &space.keep, true, space);
    }

    /// Whether packing the rows of candidate i takes less time than it spares, if what is counted
    /// on them takes as many words as they have, or as those of all its conditions but the last.
    bool pays_to_pack(std::size_t i, const ConditionRows& outer, const Space& space) const {
        constexpr std::int64_t price = 8;  // of packing a word, if meeting it costs 1 (measured)
        const auto words_of = [](const ConditionRows& rows) {
            return static_cast<std::int64_t>(rows.rows.words);
        };
        const std::int64_t all = words_of(all_.rows), weight = all_.rows.weight.all();
        const std::int64_t inside = all * cover(i) / weight;
        const auto n_groups =
            static_cast<std::int64_t>(all_.rows.n_groups - all_.language.first_group);
        std::int64_t n_met = 0;  // groups of last conditions that are counted
        for (const Family& family : all_.language.families)
            if (is_open(family, space)) n_met += space.n_open_groups;
        const std::int64_t packed = is_inside(i)
                                        ? n_met * inside + price * n_groups * words_of(outer)
                                        : n_met * (all - inside) + price * n_groups * all;
        return packed < n_met * words_of(outer);
    }

    void count_packed(std::size_t i, CoveredRows& covered, Space& space) {
        const bool inside = is_inside(i);
        const ConditionRows& rows = inside ? covered.of(all_.language.terms[i]) : outside(i, space);
        count_open(i, rows, nullptr, inside, space);
    }

    /// Counts what has open conditions alone on rows that are those of i or those of no i; on the
    /// rows of a set, if there is one.
    void count_open(std::size_t i, const ConditionRows& rows, const std::vector<Word>* set,
                    bool inside, Space& space) {
        space.candidates.resize(all_.language.size());
        for (const Family& family : all_.language.families) {
            if (!is_open(family, space)) continue;
            // Packing is part of the price of a family's words.
            state_.charge(set == nullptr ? Work::family_word : Work::pair_word,
                          (family.last - family.first) * rows.rows.words);
            space.counter.count_family(rows, all_.language, family, space.open_groups,
                                       space.candidates, set);
            for (std::size_t l = family.first; l < family.last; ++l) {
                if (!space.open[static_cast<std::size_t>(all_.language.last_term(l))]) continue;
                std::int64_t p = space.candidates.positive(l), n = space.candidates.negative(l);
                if (!inside) {
                    p = counts_.positive(l) - p;
                    n = counts_.negative(l) - n;
                }
                try_pair(i, l, p, n);
            }
        }
    }

    std::int64_t cover(std::size_t i) const {
        return counts_.positive(i) + std::int64_t{counts_.negative(i)};
    }
    bool is_inside(std::size_t i) const { return 2 * cover(i) <= all_.rows.weight.all(); }
    bool is_open(const Family& family, const Space& space) const {
        const auto shared = all_.language.prefix(family);
        return std::all_of(shared.begin(), shared.end(), [&](std::int32_t c) {
            return space.open[static_cast<std::size_t>(c)] != 0;
        });
    }

    /// What each condition shares with candidate i. Mostly that is the end of it, so the rows of i
    /// are not packed for it: they are a set, `keep`, of those of all its conditions but the last,
    /// which are returned.
    const ConditionRows& count_conditions(std::size_t i, CoveredRows& covered, Space& space) {
        const std::span<const std::int32_t> terms(all_.language.terms[i]);
        const ConditionRows& rows = covered.of(terms.first(terms.size() - 1));
        rows.copy_condition(static_cast<std::size_t>(terms.back()), space.keep);
        state_.charge(Work::pair_word, all_.language.n_conditions * rows.rows.words);
        space.counter.count_conditions(rows, space.keep, space.conditions,
                                       all_.language.first_group);
        return rows;
    }

    const ConditionRows& outside(std::size_t i, Space& space) {
        all_.rows.copy_conjunction(all_.language.terms[i], space.keep);
        complement_of(all_.rows, space.keep);
        keep_rows(state_.kernels, all_.rows, space.keep, space.outside, all_.language.first_group);
        return space.outside;
    }

    /// False if no condition is open, so no pair either.
    bool find_open_conditions(std::size_t i, const std::int64_t* goals, Space& space) const {
        const std::size_t n_groups = all_.rows.n_groups;
        space.open.assign(n_groups * group_size, 0);
        space.open_groups.assign(n_groups, 0);
        for (std::size_t c = all_.language.first_group * group_size; c < all_.language.n_conditions;
             ++c)
            if (is_open(i, c, goals, space)) space.open[c] = space.open_groups[c / group_size] = 1;
        space.n_open_groups =
            std::count(space.open_groups.begin(), space.open_groups.end(), std::uint8_t{1});
        return space.n_open_groups > 0;
    }

    bool is_open(std::size_t i, std::size_t c, const std::int64_t* goals,
                 const Space& space) const {
        if (!state_.uses(Bound::pair)) return true;
        for (int o = 0; o < 2; ++o) {
            const std::size_t positive = o == 0 ? 1 : 0;
            const std::int64_t n = space.conditions.of_class[1 - positive][c];
            const std::int64_t wanted = goals[o] - gain(o, i);
            if (n >= wanted) return true;
            const std::int64_t adds =
                of_conditions_.of_class[positive][c] - space.conditions.of_class[positive][c];
            if (gain(o, i) > 0 && adds >= wanted &&
                n >= wanted - std::min(gain(o, i), most_gain_[o][c]))
                return true;
        }
        return false;
    }

    /// i and l share the weights p and n.
    void try_pair(std::size_t i, std::size_t l, std::int64_t p, std::int64_t n) {
        if (i == l) return;
        const Two& all = all_.rows.weight;
        const std::int64_t ip = counts_.positive(i), in = counts_.negative(i);
        const std::int64_t lp = counts_.positive(l), ln = counts_.negative(l);
        const std::int64_t rest = std::min(all.positive - ip - lp + p, all.negative - in - ln + n);
        const std::int64_t i_first = std::min(ip, in) + std::min(lp - p, ln - n) + rest;
        const std::int64_t l_first = std::min(lp, ln) + std::min(ip - p, in - n) + rest;
        const Cost cost = std::min(i_first, l_first) * unit + 2 * state_.rule_cost;
        if (cost > wanted_.limit()) return;
        const std::int32_t a = all_.language.candidate[i], b = all_.language.candidate[l];
        if (i_first <= l_first) wanted_.offer({cost, {a, b}});
        if (l_first <= i_first) wanted_.offer({cost, {b, a}});
    }

    State& state_;
    const ConjunctionProblem all_;
    const Counts& counts_;
    Wanted& wanted_;
    Counts of_conditions_;
    std::vector<std::int64_t> most_gain_[2];  ///< of candidates that contain a condition
};

}  // namespace

std::int64_t least_gain(std::int64_t wrong, int rules, Cost rule_cost, Cost limit) {
    const Cost missing = wrong * unit + rules * rule_cost - limit;
    return missing >= 0 ? (missing + unit - 1) / unit : -(-missing / unit);
}

void find_two_rules(State& state, const ConjunctionProblem& problem, Wanted& wanted) {
    TwoRules(state, problem, wanted)();
}

void find_one_rule(const State& state, const ConjunctionProblem& problem, Wanted& wanted) {
    const Two& all = problem.rows.weight;
    const std::int64_t rows[] = {all.negative, all.positive};
    for (std::size_t i = 0; i < problem.language.size(); ++i) {
        const Cost cost = state.pricing.rule_and_default(
            2, [&](std::size_t c) { return rows[c]; },
            [&](std::size_t c) { return std::int64_t{problem.counts.of_class[c][i]}; });
        wanted.offer({cost + state.rule_cost, {problem.language.candidate[i]}});
    }
}

}  // namespace samrule
