#include "pivot_groups.hpp"

#include <algorithm>
#include <utility>

namespace samrule {
namespace {

/// Larger groups are not looked at: most fail, and what is left of others takes long to count.
constexpr std::size_t most_rules_of_group = 16;

}  // namespace

PivotGroups::PivotGroups(State& state, const ConjunctionProblem& problem, std::size_t klass,
                         std::vector<std::int32_t> rules)
    : state_(state), problem_(problem), klass_(klass), rules_(std::move(rules)) {
    const std::size_t words = problem.rows.rows.words;
    if (!state.uses(Bound::pivots) ||
        !state.claim_spare(rules_.size() * words * sizeof(Word), claimed_))
        return;
    state.charge(Work::packed_word, rules_.size() * words);
    place_.resize(problem.language.size());
    rows_.reserve(rules_.size() * words);
    std::vector<Word> one;
    for (std::size_t k = 0; k < rules_.size(); ++k) {
        const auto i = static_cast<std::size_t>(rules_[k]);
        place_[i] = k;
        problem.rows.copy_conjunction(problem.language.terms[i], one);
        rows_.insert(rows_.end(), one.begin(), one.end());
    }
}

std::vector<PivotGroups::Group> PivotGroups::groups() {
    std::vector<Group> open, groups;
    if (!rules_.empty()) open.push_back(rules_);
    while (!open.empty() && !state_.stopped()) {
        const Group group = open.back();
        open.pop_back();
        if (rows_.empty()) {
            for (std::size_t k = 0; k < group.size(); ++k) groups.push_back(group.subspan(k, 1));
        } else if (group.size() <= most_rules_of_group) {
            groups.push_back(group);
        } else {
            for (const Group half : halves(group)) open.push_back(half);
        }
    }
    return groups;
}

void PivotGroups::copy_set(Group group, std::vector<Word>& to) const {
    const PackedRows& rows = problem_.rows.rows;
    state_.charge(Work::row_word, group.size() * rows.words);
    to.assign(rows_of(group[0]), rows_of(group[0]) + rows.words);
    for (const std::int32_t rule : group.subspan(1)) {
        const Word* one = rows_of(rule);
        for (const Segment& s : rows.segments)
            for (std::size_t w = s.first_word; w < s.first_word + s.n_words; ++w)
                to[w] =
                    static_cast<std::size_t>(s.klass) == klass_ ? to[w] | one[w] : to[w] & one[w];
    }
}

std::array<PivotGroups::Group, 2> PivotGroups::halves(Group group) const {
    state_.charge(Work::row_word, 4 * group.size() * problem_.rows.rows.words);
    const std::int32_t one = farthest_from(group[0], group), other = farthest_from(one, group);
    const auto is_like_one = [&](std::int32_t rule) {
        return rule == one || (rule != other && distance(rule, one) <= distance(rule, other));
    };
    const auto middle = std::stable_partition(group.begin(), group.end(), is_like_one);
    const auto n_first = static_cast<std::size_t>(middle - group.begin());
    return {group.first(n_first), group.subspan(n_first)};
}

/// Weight of the rows that both cover.
std::int64_t PivotGroups::shared(std::int32_t a, std::int32_t b) const {
    std::int64_t weight = 0;
    for (const Segment& s : problem_.rows.rows.segments)
        weight += s.weight * state_.kernels.count_and(rows_of(a) + s.first_word,
                                                      rows_of(b) + s.first_word, s.n_words);
    return weight;
}

/// Weight of the rows that one of the two covers and the other does not.
std::int64_t PivotGroups::distance(std::int32_t a, std::int32_t b) const {
    const auto cover = [&](std::int32_t rule) {
        const auto i = static_cast<std::size_t>(rule);
        return std::int64_t{problem_.counts.positive(i)} + problem_.counts.negative(i);
    };
    return cover(a) + cover(b) - 2 * shared(a, b);
}

/// Another rule of the group.
std::int32_t PivotGroups::farthest_from(std::int32_t rule, Group group) const {
    std::int32_t farthest = rule;
    std::int64_t most = -1;
    for (const std::int32_t other : group) {
        if (other == rule) continue;
        const std::int64_t far = distance(rule, other);
        if (far <= most) continue;
        most = far;
        farthest = other;
    }
    return farthest;
}

}  // namespace samrule
