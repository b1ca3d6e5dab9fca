#include "wide.hpp"

#include <algorithm>
#include <limits>
#include <memory>
#include <numeric>

namespace samrule {
namespace {

constexpr Cost never = std::numeric_limits<Cost>::max();

/// A candidate as next rule.
struct Choice {
    std::size_t i;
    Cost price, at_least, heuristic;
};

/// Bytes that a candidate takes in a node, while the node is searched.
std::size_t bytes_each(std::size_t words, std::size_t n_classes) {
    const std::size_t counts = 2 * n_classes * sizeof(std::int32_t);  // here and of what is left
    const std::size_t indices = 2 * sizeof(std::int32_t);  // of the candidate, of a child
    return words * sizeof(Word) + counts + indices + sizeof(Choice) + sizeof(Cost);
}

std::size_t table_bytes(std::size_t n, std::size_t n_classes) {
    return n * n * n_classes * sizeof(std::int32_t);
}

/// A table of so small a part of the memory leaves room for those of threads and leaves.
constexpr std::size_t small_part = 32;

/// Candidates whose row is counted before the bound is asked whether to go on.
constexpr std::size_t counted_at_once = 32;

/// Sorts places by what their candidates are worth, most first.
template <class GainOf>
void most_worth_first(std::vector<std::int32_t>& places, const GainOf& gain_of_place) {
    std::vector<std::pair<Cost, std::int32_t>> keyed;
    keyed.reserve(places.size());
    for (const std::int32_t place : places)
        keyed.emplace_back(-gain_of_place(static_cast<std::size_t>(place)).worth, place);
    std::sort(keyed.begin(), keyed.end());
    for (std::size_t k = 0; k < places.size(); ++k) places[k] = keyed[k].second;
}

Gain gain(const State& state, const WideNode& node, std::size_t i) {
    return state.pricing.group(node.n_classes(),
                               [&](std::size_t c) { return node.weight_of(c, i); });
}

/// Cost of candidate i as only rule.
Cost cost_alone(const State& state, const WideNode& node, std::size_t i) {
    return state.rule_cost + state.pricing.rule_and_default(
                                 node.n_classes(),
                                 [&](std::size_t c) { return node.class_weight[c]; },
                                 [&](std::size_t c) { return std::int64_t{node.weight_of(c, i)}; });
}

}  // namespace

Gain WideRest::gain(const Pricing& pricing, std::size_t j) const {
    return pricing.group(class_weight.size(), [&](std::size_t c) { return counts[c * n + j]; });
}

Cost WideRest::cost(const Pricing& pricing, std::size_t j) const {
    return pricing.rule_and_default(
        class_weight.size(), [&](std::size_t c) { return class_weight[c]; },
        [&](std::size_t c) { return std::int64_t{counts[c * n + j]}; });
}

bool WideSearch::needed(const Instance& instance, std::size_t memory_limit) {
    return table_bytes(instance.n_candidates(), static_cast<std::size_t>(instance.n_classes)) >
           memory_limit / 8;
}

bool WideSearch::make_root(WideNode& root) {
    const Instance& instance = state_.instance;
    const std::size_t n = instance.n_candidates(), words = instance.words;
    if (!state_.claim(n * bytes_each(words, instance.class_weight.size()), root.claimed))
        return false;
    state_.charge(Work::packed_word, 2 * n * words);
    root.rows.segments = instance.segments;
    root.rows.words = words;
    root.class_weight = instance.class_weight;
    root.weight = std::accumulate(root.class_weight.begin(), root.class_weight.end(), INT64_C(0));
    std::vector<std::int32_t> counts(root.n_classes() * n, 0);
    for (std::size_t i = 0; i < n; ++i)
        for (const Segment& s : root.rows.segments) {
            const Word* bits = instance.bits.data() + i * words + s.first_word;
            counts[static_cast<std::size_t>(s.klass) * n + i] += static_cast<std::int32_t>(
                state_.kernels.count_and(bits, bits, s.n_words) * s.weight);
        }
    root.candidate.resize(n);
    std::iota(root.candidate.begin(), root.candidate.end(), 0);
    most_worth_first(root.candidate, [&](std::size_t i) {
        return state_.pricing.group(root.n_classes(),
                                    [&](std::size_t c) { return counts[c * n + i]; });
    });
    root.bits.resize(n * words);
    root.singles.resize(counts.size());
    for (std::size_t k = 0; k < n; ++k) {
        const auto i = static_cast<std::size_t>(root.candidate[k]);
        std::copy_n(instance.bits.data() + i * words, words, root.bits.data() + k * words);
        for (std::size_t c = 0; c < root.n_classes(); ++c)
            root.singles[c * n + k] = counts[c * n + i];
    }
    return true;
}

Prefix WideSearch::single_conditions(const WideNode& root, int rules) {
    WideNode few;
    few.rows = root.rows;
    few.class_weight = root.class_weight;
    few.weight = root.weight;
    for (std::size_t i = 0; i < root.size(); ++i) {
        const std::int32_t candidate = root.candidate[i];
        if (state_.instance.terms[static_cast<std::size_t>(candidate)].size() > 1) continue;
        few.candidate.push_back(candidate);
        few.bits.insert(few.bits.end(), root.column(i), root.column(i) + root.rows.words);
    }
    Node small;
    if (is_small(few) && with_table(few, {}, small))
        for (int r = 1; r <= rules && !state_.stopped(); ++r) search_.solve(small, r, {});
    return {state_.best_rules(), state_.best()};
}

Cost WideSearch::one_rule(const WideNode& node, const Prefix& prefix) {
    Cost bound = state_.pricing.group(node.class_weight).cost;
    for (std::size_t i = 0; i < node.size(); ++i) {
        const Gain g = gain(state_, node, i);
        if (g.weight == 0 || g.weight < state_.options.min_support) continue;
        const Cost cost = cost_alone(state_, node, i);
        bound = std::min(bound, cost);
        state_.offer(prefix.cost + cost, prefix, {node.candidate[i]});
    }
    return bound;
}

Cost WideSearch::solve(WideNode& node, int rules, const Prefix& prefix, Cost fewer) {
    state_.n_nodes.fetch_add(1, std::memory_order_relaxed);
    const Cost nothing = state_.pricing.group(node.class_weight).cost;
    state_.offer(prefix.cost + nothing, prefix, {});
    if (rules == 0 || nothing <= state_.rule_cost) return nothing;
    if (rules == 1) return one_rule(node, prefix);
    // (Two rules leave too little behind that way to break ties with.)
    if (prefix.rules.empty() && rules > 2)
        if (const auto bound = solve_worthy(node, rules, prefix, fewer)) return *bound;

    std::vector<Choice> choices;
    choices.reserve(node.size());
    for (std::size_t i = 0; i < node.size(); ++i) {
        const Gain g = gain(state_, node, i);
        if (g.weight == 0 || g.weight < state_.options.min_support) continue;
        const Cost price = state_.rule_cost + g.cost;
        const Cost dropped = state_.uses(Bound::drop) ? fewer + state_.rule_cost - g.worth : 0;
        choices.push_back({i, price, std::max(price, dropped), cost_alone(state_, node, i)});
    }
    std::sort(choices.begin(), choices.end(), [](const Choice& a, const Choice& b) {
        return a.heuristic != b.heuristic ? a.heuristic < b.heuristic : a.i < b.i;
    });
    Cost bound = fewer;
    node.first_bound.assign(node.size(), never);
    const auto try_choice = [&](std::size_t position) {
        const Choice& choice = choices[position];
        Cost at_least = choice.at_least;
        // Also what would only tie is looked at: then few ties are left to break.
        if (at_least <= state_.budget(prefix) && !state_.stopped()) {
            Prefix longer{prefix.rules, prefix.cost + choice.price};
            longer.rules.push_back(node.candidate[choice.i]);
            at_least =
                std::max(at_least, choice.price + solve_after(node, choice.i, rules - 1, longer));
        }
        node.first_bound[choice.i] = at_least;
        lower_to(bound, at_least);
        if (prefix.rules.empty()) search_.add_share(1.0 / static_cast<double>(choices.size()));
    };
    state_.for_each_step(choices.size(), try_choice);
    return bound;
}

/// The drop bound first: a list with a candidate of worth w costs at least fewer + rule_cost - w.
/// If the others are few enough for a table of their pairs, the ordinary search goes on with those.
/// When much better lists are looked for than are known, they often are.
std::optional<Cost> WideSearch::solve_worthy(WideNode& node, int rules, const Prefix& prefix,
                                             Cost fewer) {
    if (!state_.uses(Bound::drop) || !state_.uses(Bound::table)) return std::nullopt;
    const Cost level = fewer + state_.rule_cost;
    const Cost limit = level - (state_.budget(prefix) + 1);  // what would only tie is looked at too
    Cost bound = std::numeric_limits<Cost>::max();
    std::vector<std::int32_t> chosen;
    node.first_bound.assign(node.size(), never);
    for (std::size_t i = 0; i < node.size(); ++i) {
        const Gain g = gain(state_, node, i);
        if (g.weight == 0 || g.weight < state_.options.min_support) continue;
        if (g.worth > limit) {
            chosen.push_back(static_cast<std::int32_t>(i));
        } else {
            node.first_bound[i] = level - g.worth;
            bound = std::min(bound, level - g.worth);
        }
    }
    if (!has_room_for_leaf(node, chosen.size(), rules)) return std::nullopt;
    WideNode worthy;
    worthy.rows = node.rows;
    worthy.class_weight = node.class_weight;
    worthy.weight = node.weight;
    worthy.bits.reserve(chosen.size() * node.rows.words);
    for (const std::int32_t k : chosen) {
        const auto i = static_cast<std::size_t>(k);
        worthy.candidate.push_back(node.candidate[i]);
        worthy.bits.insert(worthy.bits.end(), node.column(i), node.column(i) + node.rows.words);
    }
    Node small;
    const bool counted = with_table(worthy, prefix, small);
    small.is_root = true;
    small.learn(rules - 1, fewer);
    bound = counted ? std::min(bound, search_.solve(small, rules, prefix)) : 0;
    for (std::size_t k = 0; k < chosen.size(); ++k)
        node.first_bound[static_cast<std::size_t>(chosen[k])] =
            small.first_bound.empty() ? 0 : small.first_bound[k];
    // The next table may be larger, or there may be none.
    state_.release(small.claimed);
    search_.free_leaves();
    return bound;
}

/// Whether a table of the pairs of `n` candidates of the node can be had, and the tables of the
/// leaves with it: one leaf at once for up to three rules, one for each thread for more.
bool WideSearch::has_room_for_leaf(const WideNode& node, std::size_t n, int rules) const {
    const std::size_t table = table_bytes(n, node.n_classes());
    const std::size_t columns = n * node.rows.words * sizeof(Word);
    if (rules > leaf_rules) return table <= state_.options.memory_limit / small_part;
    return state_.has_room(4 * table + 3 * columns);
}

void WideSearch::start_rest(const WideNode& node, std::size_t i, WideRest& rest) const {
    const std::size_t n_classes = node.n_classes();
    rest.n = node.size();
    rest.counts.resize(n_classes * rest.n);
    rest.of_class.resize(n_classes);
    rest.class_weight.resize(n_classes);
    for (std::size_t c = 0; c < n_classes; ++c)
        rest.class_weight[c] = node.class_weight[c] - node.weight_of(c, i);
}

void WideSearch::count_rest(const WideNode& node, std::size_t i, std::size_t first,
                            std::size_t last, WideRest& rest) const {
    const std::size_t n_classes = node.n_classes();
    state_.charge(Work::row_word, (last - first) * node.rows.words);
    for (std::size_t c = 0; c < n_classes; ++c)
        rest.of_class[c] = rest.counts.data() + c * rest.n + first;
    state_.kernels.count_row(node.column(i), node.column(first), node.rows.words, last - first,
                             node.rows.segments.data(), node.rows.segments.size(),
                             static_cast<std::int32_t>(n_classes), rest.of_class.data());
    for (std::size_t c = 0; c < n_classes; ++c)
        for (std::size_t j = first; j < last; ++j) {
            const std::size_t place = c * rest.n + j;
            rest.counts[place] = node.singles[place] - rest.counts[place];
        }
}

/// The candidates of a row that were counted, from the first on, and what is known of lists.
struct WideSearch::Counted {
    std::size_t n = 0;
    Cost one;             ///< the least with at most one rule, one of these
    Cost others = never;  ///< with one of the others, at least
    Cost later = never;   ///< with one of the others among all rules to come, at least
};

/// Counts what candidates cover of the rows that rule i leaves, until no later one can earn its
/// place among `rules` rules to come.
WideSearch::Counted WideSearch::count_useful(const WideNode& node, std::size_t i, int rules,
                                             const Prefix& prefix, WideRest& rest) {
    const Cost nothing = state_.pricing.group(rest.class_weight).cost;
    Counted row{.one = nothing};
    while (row.n < node.size()) {
        if (state_.uses(Bound::drop)) {
            // No candidate from here on is worth more, before rule i or after it.
            const Cost earned = gain(state_, node, row.n).worth - state_.rule_cost;
            const Cost others = nothing - earned;
            const Cost later = rules == 1   ? others
                               : rules == 2 ? std::min(row.one, others) - earned
                                            : 0;
            if (later > state_.budget(prefix)) return {row.n, row.one, others, later};
        }
        const std::size_t last = std::min(row.n + counted_at_once, node.size());
        count_rest(node, i, row.n, last, rest);
        for (; row.n < last; ++row.n) {
            const std::int64_t weight = rest.gain(state_.pricing, row.n).weight;
            if (weight == 0 || weight < state_.options.min_support) continue;
            const Cost cost = state_.rule_cost + rest.cost(state_.pricing, row.n);
            row.one = std::min(row.one, cost);
            state_.offer(prefix.cost + cost, prefix, {node.candidate[row.n]});
        }
    }
    return row;
}

Cost WideSearch::solve_after(const WideNode& node, std::size_t i, int rules, const Prefix& prefix) {
    Borrowed<WideRest> rest(rests_);
    start_rest(node, i, *rest);
    const Cost nothing = state_.pricing.group(rest->class_weight).cost;
    state_.offer(prefix.cost + nothing, prefix, {});
    if (nothing <= state_.rule_cost) return nothing;
    const auto [n, one, others, later] = count_useful(node, i, rules, prefix, *rest);
    if (rules == 1) return std::min(one, later);

    // With two rules to come the drop bound knows what one rule can do; with more it must ask.
    const Cost level =
        rules == 2 && state_.uses(Bound::drop) ? std::min(one, others) + state_.rule_cost : 0;
    const Cost limit = level - (state_.budget(prefix) + 1);
    Cost bound = std::min(one, later);
    std::vector<std::int32_t> chosen;
    for (std::size_t j = 0; j < n; ++j) {
        const Gain g = rest->gain(state_.pricing, j);
        if (g.weight == 0 || g.weight < state_.options.min_support) continue;
        if (g.worth <= limit)
            bound = std::min(bound, level - g.worth);
        else
            chosen.push_back(static_cast<std::int32_t>(j));
    }
    most_worth_first(chosen, [&](std::size_t j) { return rest->gain(state_.pricing, j); });
    Borrowed<WideNode> child(wide_nodes_);
    if (!make_child(node, i, chosen, *rest, *child)) return 0;
    Borrowed<Node> small(nodes_);
    // For two rules a table would count pairs that the drop bound spares.
    if (rules > 2 && is_small(*child) && with_table(*child, prefix, *small))
        return std::min(bound, search_.solve(*small, rules, prefix));
    if (state_.stopped()) return 0;
    Cost fewer = one;
    for (int r = 2; r <= rules; ++r) fewer = solve(*child, r, prefix, fewer);
    return std::min(bound, fewer);
}

bool WideSearch::make_child(const WideNode& node, std::size_t i,
                            const std::vector<std::int32_t>& chosen, const WideRest& rest,
                            WideNode& child) {
    const std::size_t n = chosen.size();
    if (!state_.claim(n * bytes_each(node.rows.words, node.n_classes()), child.claimed))
        return false;
    child.class_weight = rest.class_weight;
    child.weight =
        std::accumulate(child.class_weight.begin(), child.class_weight.end(), INT64_C(0));
    child.candidate.resize(n);
    child.singles.resize(node.n_classes() * n);
    for (std::size_t k = 0; k < n; ++k) {
        const auto j = static_cast<std::size_t>(chosen[k]);
        child.candidate[k] = node.candidate[j];
        for (std::size_t c = 0; c < node.n_classes(); ++c)
            child.singles[c * n + k] = rest.counts[c * node.size() + j];
    }
    state_.charge(Work::packed_word, n * node.rows.words);
    std::vector<Word> keep;
    choose_rows(state_, node.rows, node.column(i), false, keep, child.rows);
    pack_columns(state_, node.rows, node.bits, chosen, keep, child.rows, Layout::columns,
                 child.bits);
    drop_empty_segments(child.rows);
    child.first_bound.clear();
    return true;
}

bool WideSearch::is_small(const WideNode& node) const {
    return table_bytes(node.size(), node.n_classes()) <= state_.options.memory_limit / small_part;
}

/// The same subproblem for the ordinary search. False if there is no memory for it or the search
/// was stopped.
bool WideSearch::with_table(const WideNode& wide, const Prefix& prefix, Node& node) {
    node.candidate = wide.candidate;
    node.class_weight = wide.class_weight;
    node.weight = wide.weight;
    node.rows = wide.rows;
    node.bits = wide.bits;
    node.visiting_cost = prefix.cost;
    node.is_restricted = true;
    return make_table(state_, node);
}

std::vector<std::int32_t> WideSearch::first_optimal_list(WideNode& node, int rules,
                                                         const Prefix& prefix, Cost optimum) {
    if (rules == 0) return {};
    // Borrowed once: what is claimed for them is claimed for good.
    Borrowed<WideRest> rest(rests_);
    Borrowed<WideNode> child(wide_nodes_);
    Borrowed<Node> small(nodes_);
    std::vector<std::size_t> order(node.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(),
              [&](std::size_t a, std::size_t b) { return node.candidate[a] < node.candidate[b]; });
    for (const std::size_t i : order) {
        if (state_.stopped()) return {};
        const Gain g = gain(state_, node, i);
        if (g.weight == 0 || g.weight < state_.options.min_support) continue;
        if (!node.first_bound.empty() && prefix.cost + node.first_bound[i] > optimum) continue;
        Prefix longer{prefix.rules, prefix.cost + state_.rule_cost + g.cost};
        longer.rules.push_back(node.candidate[i]);
        if (longer.cost > optimum) continue;
        if (rules == 1) {
            if (prefix.cost + cost_alone(state_, node, i) > optimum) continue;
            return {node.candidate[i]};
        }
        const Cost target = optimum - longer.cost;
        start_rest(node, i, *rest);
        count_rest(node, i, 0, node.size(), *rest);
        const Cost nothing = state_.pricing.group(rest->class_weight).cost;
        Cost one = nothing;
        for (std::size_t j = 0; j < node.size(); ++j)
            one = std::min(one, state_.rule_cost + rest->cost(state_.pricing, j));
        // Every rule still to come must earn its place (the drop bound).
        const Cost fewer = rules == 3 ? one : rules == 2 ? nothing : 0;
        const Cost least_worth = state_.uses(Bound::drop) ? fewer + state_.rule_cost - target : 0;
        std::vector<std::int32_t> chosen;
        for (std::size_t j = 0; j < node.size(); ++j)
            if (const Gain h = rest->gain(state_.pricing, j);
                h.weight > 0 && h.worth >= least_worth)
                chosen.push_back(static_cast<std::int32_t>(j));
        if (!make_child(node, i, chosen, *rest, *child)) return {};
        state_.aim_below(optimum + 1);
        std::vector<std::int32_t> list =
            is_small(*child) && with_table(*child, longer, *small)
                ? search_.first_optimal_list(*small, rules - 1, optimum, longer)
                : first_optimal_list(*child, rules - 1, longer, optimum);
        if (list.empty()) continue;
        list.insert(list.begin(), node.candidate[i]);
        return list;
    }
    return {};
}

}  // namespace samrule
