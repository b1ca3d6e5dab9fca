#include "simple_list.hpp"

#include <algorithm>
#include <array>
#include <bit>

#include "two_rules.hpp"

namespace samrule {

void SimpleList::offer(const std::vector<std::int32_t>& first, int n_rules, const Before& before,
                       Wanted& wanted) {
    for (const std::int32_t rule : first) add(rule);
    for (int n_added = static_cast<int>(first.size()); !state_.stopped(); ++n_added) {
        keep_rows(state_.kernels, problem_.rows, left_, rows_);
        const Cost others = std::min(rows_.weight.positive, rows_.weight.negative) * unit;
        wanted.offer({before.cost + n_rules * state_.rule_cost + wrong_ * unit + others, rules_});
        if (n_added == n_rules || wanted.is_answered()) return;
        Wanted next(others + state_.rule_cost);
        state_.charge(Work::family_word, problem_.language.size() * rows_.rows.words);
        CandidateCounter(state_.kernels).count(rows_, problem_.language, 0, counts_);
        find_one_rule(state_, {rows_, problem_.language, counts_}, next);
        if (!next.found()) return;
        add(next.best().rules[0]);
    }
}

void SimpleList::add(std::int32_t rule) {
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

}  // namespace samrule
