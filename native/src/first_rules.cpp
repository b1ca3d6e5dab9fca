#include "first_rules.hpp"

#include <algorithm>
#include <bit>
#include <functional>
#include <numeric>

#include "two_rules.hpp"

namespace samrule {
namespace {

/// What is left when some rows are given away, and the candidates that may follow.
struct Rest {
    ConditionRows rows;
    Language language;
    Counts counts;
};

/// As find_lists, after the rules `before`.
void find_rest(State& state, const ConjunctionProblem& problem, int rules,
               std::int64_t least_correct, const Before& before, Wanted& wanted);

// A list whose first rule is any of a cluster, all with the same label. Let U be the rows that some
// member covers and N those that all cover. The first rule errs at least on the rows of N of other
// classes, and what follows errs at least as much as it would on the rows outside U alone: without
// rows no list errs more. So if no list of so many rules is within what is left of the limit there,
// no list that starts with a member is wanted. The rules that may follow are those that classify
// enough correctly outside N, for some may cover little or nothing outside U.
class FirstRules {
  public:
    FirstRules(State& state, const ConjunctionProblem& problem, int rules,
               std::int64_t least_correct, Before before, Wanted& wanted)
        : state_(state),
          problem_(problem),
          rules_(rules),
          least_correct_(least_correct),
          before_(std::move(before)),
          wanted_(wanted) {}

    void operator()() {
        for (const bool positive : {true, false}) {
            std::vector<std::int32_t> first;
            for (std::size_t i = 0; i < problem_.language.size(); ++i)
                if ((problem_.counts.positive(i) > problem_.counts.negative(i)) == positive)
                    first.push_back(static_cast<std::int32_t>(i));
            // Those that gain most first: they lead to good lists, and lead clusters.
            std::sort(first.begin(), first.end(), [&](std::int32_t a, std::int32_t b) {
                return gain(a) != gain(b) ? gain(a) > gain(b) : a < b;
            });
            split(first, positive, first_radius());
        }
    }

  private:
    std::int64_t gain(std::int32_t i) const {
        const auto k = static_cast<std::size_t>(i);
        return std::abs(std::int64_t{problem_.counts.positive(k)} - problem_.counts.negative(k));
    }
    bool is_done() const { return state_.stopped() || wanted_.is_answered(); }
    std::int64_t first_radius() const {
        return state_.uses(Bound::sibling) ? problem_.rows.weight.all() / 16 : 0;
    }

    /// Leader clustering: the first rule leads, and takes the others that differ from it on rows
    /// that weigh at most `radius`.
    void split(std::vector<std::int32_t> members, bool positive, std::int64_t radius) {
        std::vector<std::vector<std::int32_t>> clusters;
        if (radius <= problem_.rows.weight.all() / 512) {
            for (const std::int32_t i : members) clusters.push_back({i});
        } else {
            std::vector<Word> leader, other;
            while (!members.empty()) {
                std::vector<std::int32_t> near, far;
                copy_rows(members[0], leader);
                state_.charge(Work::row_word, members.size() * problem_.rows.rows.words);
                for (const std::int32_t i : members) {
                    copy_rows(i, other);
                    (difference(leader, other) <= radius ? near : far).push_back(i);
                }
                clusters.push_back(std::move(near));
                members = std::move(far);
            }
        }
        state_.for_each_step(clusters.size(), [&](std::size_t k) {
            if (!is_done()) refute_or_split(clusters[k], positive, radius);
        });
    }

    void refute_or_split(const std::vector<std::int32_t>& members, bool positive,
                         std::int64_t radius) {
        if (members.size() == 1) {
            start_with(members[0]);
        } else if (!is_refuted(members, positive)) {
            split(members, positive, radius / 2);
        }
    }

    void copy_rows(std::int32_t i, std::vector<Word>& to) const {
        problem_.rows.copy_conjunction(problem_.language.terms[static_cast<std::size_t>(i)], to);
    }

    std::int64_t difference(const std::vector<Word>& a, const std::vector<Word>& b) const {
        std::int64_t weight = 0;
        for (const Segment& s : problem_.rows.rows.segments) {
            std::int64_t slots = 0;
            for (std::size_t w = s.first_word; w < s.first_word + s.n_words; ++w)
                slots += std::popcount(a[w] ^ b[w]);
            weight += slots * s.weight;
        }
        return weight;
    }

    /// The rows that are not in `given_away`, and the candidates whose counts `outside` show that
    /// they may classify enough correctly.
    void make_rest(std::vector<Word> given_away, const Counts& outside, Rest& rest) const {
        complement_of(problem_.rows, given_away);
        keep_rows(state_.kernels, problem_.rows, given_away, rest.rows);
        std::vector<std::int32_t> chosen;
        for (std::size_t i = 0; i < problem_.language.size(); ++i)
            if (std::max(outside.positive(i), outside.negative(i)) >=
                (state_.uses(Bound::drop) ? std::max<std::int64_t>(least_correct_, 1) : 1))
                chosen.push_back(static_cast<std::int32_t>(i));
        rest.language = problem_.language.only(chosen);
        state_.charge(Work::family_word, rest.language.size() * rest.rows.rows.words);
        CandidateCounter(state_.kernels).count(rest.rows, rest.language, 0, rest.counts);
    }

    /// Counts of the candidates on the rows that are not in `set`.
    Counts counts_outside(std::vector<Word> set) const {
        complement_of(problem_.rows, set);
        ConditionRows outside;
        keep_rows(state_.kernels, problem_.rows, set, outside);
        Counts counts;
        state_.charge(Work::family_word, problem_.language.size() * outside.rows.words);
        CandidateCounter(state_.kernels).count(outside, problem_.language, 0, counts);
        return counts;
    }

    void start_with(std::int32_t i) {
        const auto k = static_cast<std::size_t>(i);
        Before longer = before_;
        longer.rules.push_back(problem_.language.candidate[k]);
        longer.cost += state_.rule_cost +
                       unit * std::min(problem_.counts.positive(k), problem_.counts.negative(k));
        if (longer.cost + (rules_ - 1) * state_.rule_cost > wanted_.limit()) return;
        std::vector<Word> covered;
        copy_rows(i, covered);
        Rest rest;
        make_rest(covered, counts_outside(covered), rest);
        find_rest(state_, {rest.rows, rest.language, rest.counts}, rules_ - 1, least_correct_,
                  longer, wanted_);
    }

    bool is_refuted(const std::vector<std::int32_t>& members, bool positive) {
        std::vector<Word> some, all, one;
        copy_rows(members[0], some);
        all = some;
        for (const std::int32_t i : members) {
            copy_rows(i, one);
            for (std::size_t w = 0; w < one.size(); ++w) {
                some[w] |= one[w];
                all[w] &= one[w];
            }
        }
        Before before = before_;
        before.cost += state_.rule_cost + unit * wrong(all, positive);
        if (before.cost + (rules_ - 1) * state_.rule_cost > wanted_.limit()) return true;
        Rest rest;
        make_rest(some, counts_outside(all), rest);
        Wanted any(wanted_.limit(), true);
        find_rest(state_, {rest.rows, rest.language, rest.counts}, rules_ - 1, least_correct_,
                  before, any);
        return !any.found() && !state_.stopped();
    }

    std::int64_t wrong(const std::vector<Word>& set, bool positive) const {
        std::int64_t weight = 0;
        for (const Segment& s : problem_.rows.rows.segments)
            if ((s.klass == 1) != positive)
                weight += state_.kernels.count_and(set.data() + s.first_word,
                                                   set.data() + s.first_word, s.n_words) *
                          s.weight;
        return weight;
    }

    State& state_;
    const ConjunctionProblem problem_;
    const int rules_;
    const std::int64_t least_correct_;
    const Before before_;
    Wanted& wanted_;
};

/// What a rule must classify correctly to be one of three: without it, two rules are left, which
/// cost at least what the best two do.
std::int64_t least_of_three(State& state, const ConjunctionProblem& problem, const Before& before,
                            const Wanted& wanted) {
    const Two& weight = problem.rows.weight;
    Wanted two(std::min(weight.positive, weight.negative) * unit);
    find_one_rule(state, problem, two);
    find_two_rules(state, problem, two);
    if (state.stopped()) return 0;
    const Cost missing = two.limit() + state.rule_cost - (wanted.limit() - before.cost);
    return missing > 0 ? (missing + unit - 1) / unit : 0;
}

void find_three(State& state, const ConjunctionProblem& problem, const Before& before,
                Wanted& wanted) {
    const auto three = make_three_rules(state, problem);
    if (three->prepare()) three->find(before, wanted);
}

void find_rest(State& state, const ConjunctionProblem& problem, int rules,
               std::int64_t least_correct, const Before& before, Wanted& wanted) {
    state.n_nodes.fetch_add(1, std::memory_order_relaxed);
    if (rules > 3) {
        FirstRules(state, problem, rules, least_correct, before, wanted)();
    } else if (!state.uses(Bound::drop)) {
        find_three(state, problem, before, wanted);
    } else {
        // These rows are another problem, with a drop bound of its own.
        const Chosen chosen(problem, least_of_three(state, problem, before, wanted));
        find_three(state, chosen.problem(), before, wanted);
    }
}

}  // namespace

Chosen::Chosen(const ConjunctionProblem& problem, std::int64_t least_correct)
    : rows_(problem.rows) {
    std::vector<std::int32_t> chosen;
    for (std::size_t i = 0; i < problem.language.size(); ++i)
        if (std::max(problem.counts.positive(i), problem.counts.negative(i)) >= least_correct)
            chosen.push_back(static_cast<std::int32_t>(i));
    language_ = problem.language.only(chosen);
    for (std::size_t c = 0; c < 2; ++c)
        for (const std::int32_t i : chosen)
            counts_.of_class[c].push_back(problem.counts.of_class[c][static_cast<std::size_t>(i)]);
}

void find_lists(State& state, const ConjunctionProblem& problem, int rules,
                std::int64_t least_correct, Wanted& wanted) {
    state.n_nodes.fetch_add(1, std::memory_order_relaxed);
    if (rules > 3)
        FirstRules(state, problem, rules, least_correct, {}, wanted)();
    else
        find_three(state, problem, {}, wanted);
}

}  // namespace samrule
