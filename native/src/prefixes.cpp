// What follows beginnings of long lists is bounded before the lists are looked at.
//
// The last three rules of a list are placed by a leaf, and a search for lists of seven rules comes
// to millions of leaves. What three rules cost after four others is bounded by what they cost after
// three of these (given_back.hpp). So in a first pass three rules are placed after each shorter
// prefix, further than the budget asks for; that is one leaf for all that begin with the prefix.
#include <algorithm>

#include "search.hpp"

namespace samrule {
namespace {

/// Of lists with fewer rules there are few leaves, and of lists with more the prefixes to look at
/// are as many as leaves were: eight on adult are not proven as far in the same time.
constexpr int fewest_rules = 6, most_rules_in_list = 7;

/// How much further three rules are placed after a prefix, as a share of what the best list costs.
constexpr double share_further = 0.2;

/// In the cache, beside bounds for so many rules: to where three rules were counted.
constexpr int counted_so_far = most_rules + leaf_rules;

}  // namespace

/// The first pass for lists of `rules` rules, if they are long and the search is.
void Search::tighten_prefixes(Node& root, int rules, const Prefix& prefix, Cost slack, Cost fewer,
                              const std::vector<Cost>& after_first) {
    if (rules == tightened_ && state_.best() <= tightened_below_) return;
    tightened_ = 0;
    if (rules < fewest_rules || state_.options.max_rules > most_rules_in_list ||
        state_.options.min_support > 0 || !state_.uses(Bound::given_back) ||
        !state_.uses(Bound::cache) ||
        state_.n_nodes.load(std::memory_order_relaxed) < state_.options.tighten_after)
        return;
    tightened_ = rules;
    tightened_below_ = 0;
    const Cost below = state_.best();
    is_tightening_ = true;
    choose_next(root, rules, prefix, slack, fewer, after_first);
    is_tightening_ = false;
    if (!state_.stopped()) tightened_below_ = below;
}

/// Whether lists that go on at `node` with `rules` rules are those whose prefixes are tightened.
bool Search::has_tight_prefixes(const Node& node, int rules) const {
    return tightened_ > 0 && top_of(node).is_root && !node.is_restricted &&
           rules_in_all(node, rules) == tightened_;
}

/// Bounds, in the cache, what three rules cost after the prefix, which ends with rule i of `node`
/// and leaves the rows of `key`.
void Search::tighten_after(const Node& node, std::size_t i, const Subproblem& key,
                           const Prefix& prefix, Cost slack) {
    const Cost further =
        slack + static_cast<Cost>(share_further * static_cast<double>(state_.best()));
    const Cost wanted = state_.budget(prefix) + further;
    const Cost known = state_.cache.find(key, leaf_rules);
    const Cost counted = state_.cache.find(key, counted_so_far);
    if (known >= wanted || counted >= wanted) return;
    if (counted > known) return;  // That is what they cost.
    const Cost level = drop_level_of_all(node, leaf_rules + 1, 1);
    const Cost bound =
        solve_leaf_after(node, i, leaf_rules, prefix, further, level - prefix.cost, nullptr, true);
    if (state_.stopped()) return;
    state_.cache.store(key, leaf_rules,
                       std::max(known, std::min(bound, node.beyond - prefix.cost)));
    state_.cache.store(key, counted_so_far, wanted);
}

/// Lower bound on the least cost of finishing with three rules more after the prefix, which begins
/// where the way to `node` did; 0 if that is not enough.
Cost Search::bound_by_rows_given_back(const Node& node, const Prefix& prefix, Cost slack) {
    state_.charge(Work::entry, prefix.rules.size() * state_.instance.words);
    Borrowed<GivenBackSpace> space(given_back_spaces_);
    const Cost wanted = state_.budget(prefix) + slack;
    const Cost bound = cost_by_rows_given_back(state_, top_of(node).uncovered, prefix.rules,
                                               leaf_rules, wanted, *space);
    return bound < wanted ? 0 : bound;
}

/// The same with four rules more after rule i, which leaves the rows `left`: if that shows without
/// any counting that no leaf there need be looked at; else 0. A list that goes on there with a rule
/// of worth w costs at least `level` - w.
Cost Search::bound_by_leaves(const Node& node, std::size_t i, const UncoveredRows& left,
                             const Prefix& prefix, Cost slack, Cost level) {
    const Cost wanted = state_.budget(prefix) + slack;
    Cost bound = state_.cache.find(left.key, leaf_rules);  // if there are three rules or fewer
    if (bound < wanted) return 0;
    state_.charge(Work::entry, node.size());
    struct Leaf {
        Cost bad;  ///< less is more promising
        std::size_t rule;
        Cost price;
    };
    std::vector<Leaf> open;
    level = std::max(level, bound + state_.rule_cost);
    for (std::size_t j = 0; j < node.size(); ++j) {
        if (node.is_twin[j]) continue;
        const Gain g = gain_after(state_.pricing, node, i, j);
        if (g.weight == 0) continue;
        if (state_.uses(Bound::drop) && level - g.worth >= wanted)
            bound = std::min(bound, level - g.worth);
        else
            open.push_back({g.cost - g.worth, j, state_.rule_cost + g.cost});
    }
    std::sort(open.begin(), open.end(), [](const Leaf& a, const Leaf& b) {
        return a.bad != b.bad ? a.bad < b.bad : a.rule < b.rule;
    });
    Prefix longer = prefix;
    longer.rules.push_back(no_rule);
    std::vector<Word> rows(left.uncovered.size());
    for (const Leaf& leaf : open) {
        longer.rules.back() = node.candidate[leaf.rule];
        longer.cost = prefix.cost + leaf.price;
        const Word* covered =
            state_.instance.candidate(static_cast<std::size_t>(longer.rules.back()));
        for (std::size_t w = 0; w < rows.size(); ++w) rows[w] = left.uncovered[w] & ~covered[w];
        Cost rest = state_.cache.find(key_of(rows), leaf_rules);
        if (leaf.price + rest < wanted)
            rest = std::max(rest, bound_by_rows_given_back(node, longer, slack));
        if (leaf.price + rest < wanted)
            rest = std::max(rest, bound_by_context(node, leaf_rules + 1, longer, slack));
        if (leaf.price + rest < wanted) return 0;
        bound = std::min(bound, leaf.price + rest);
    }
    return bound;
}

}  // namespace samrule
