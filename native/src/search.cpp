#include "search.hpp"

#include <algorithm>
#include <deque>
#include <limits>
#include <numeric>

namespace samrule {
namespace {

std::vector<std::int32_t> alive(const Node& node) {
    std::vector<std::int32_t> chosen;
    for (std::size_t i = 0; i < node.size(); ++i)
        if (!node.is_twin[i]) chosen.push_back(static_cast<std::int32_t>(i));
    return chosen;
}

/// Cost of rule j and a default on what rule i leaves.
Cost cost_after(const State& state, const Node& node, std::size_t i, std::size_t j) {
    return state.rule_cost +
           state.pricing.rule_and_default(
               node.n_classes(),
               [&](std::size_t c) { return node.class_weight[c] - node.weight_of(c, i); },
               [&](std::size_t c) { return node.weight_of(c, j) - node.shared(c, i)[j]; });
}

/// Least cost of at most one rule after rule i, from single counts alone.
Cost one_rule_after(const State& state, const Node& node, std::size_t i) {
    Cost least = default_cost_after(state.pricing, node, i);
    for (std::size_t j = 0; j < node.size(); ++j)
        least = std::min(least, cost_after(state, node, i, j));
    return least;
}

/// The smallest candidate that, as last rule after rule i, costs at most `left` with the default.
std::int32_t first_last_rule(const State& state, const Node& node, std::size_t i, Cost left) {
    std::int32_t first = std::numeric_limits<std::int32_t>::max();
    for (std::size_t j = 0; j < node.size(); ++j) {
        if (gain_after(state.pricing, node, i, j).weight <
            std::max<std::int64_t>(state.options.min_support, 1))
            continue;
        if (cost_after(state, node, i, j) <= left) first = std::min(first, node.candidate[j]);
    }
    return first;
}

}  // namespace

Cost Search::solve(Node& node, int rules, const Prefix& prefix, Cost slack) {
    state_.n_nodes.fetch_add(1, std::memory_order_relaxed);
    const Cost nothing = state_.pricing.group(node.class_weight).cost;
    state_.offer(prefix.cost + nothing, prefix, {});
    if (rules == 0 || nothing <= state_.rule_cost) return nothing;
    if (rules <= leaf_rules)
        return solve_leaf(node, rules, prefix, slack, node.is_root && rules == leaf_rules);
    std::vector<Cost> after_first;
    const Cost fewer = solve_fewer(node, rules - 1, prefix, slack, after_first);
    if (node.is_root) tighten_prefixes(node, rules, prefix, slack, fewer, after_first);
    return choose_next(node, rules, prefix, slack, fewer, after_first);
}

/// `keep` sets node.first_bound, for the tie-break (with three rules only).
Cost Search::solve_leaf(Node& node, int rules, const Prefix& prefix, Cost slack, bool keep) {
    Borrowed<LeafSpace> space(leaf_spaces_);
    std::vector<Cost> after_first;
    const Cost bound = finish(state_,
                              {.place = {&node},
                               .chosen = alive(node),
                               .rules = rules,
                               .prefix = prefix,
                               .slack = slack,
                               .after_first = keep ? &after_first : nullptr},
                              *space);
    if (!keep || state_.stopped()) return bound;
    node.first_bound.resize(node.size());
    for (std::size_t i = 0; i < node.size(); ++i)
        node.first_bound[i] = state_.rule_cost + gain(node, i).cost + after_first[i];
    return bound;
}

/// With one rule less: what the drop bound builds on.
///
/// What is known from before is not proven again, and may well be more than is needed now: then
/// the best list known was dearer, and more was asked for.
Cost Search::solve_fewer(Node& node, int rules, const Prefix& prefix, Cost slack,
                         std::vector<Cost>& after_first) {
    const bool cached = state_.uses(Bound::cache) && !node.is_restricted;
    const Cost found = cached ? state_.cache.find(node.key, rules) : 0;
    node.learn(rules, found);
    const Cost more = slack + drop_slack(node, rules);
    if (has_tight_prefixes(node, rules + 1) && rules == leaf_rules &&
        found >= state_.budget(prefix) + slack)
        return found;
    if (rules > leaf_rules) {
        if (node.known_for(rules) < state_.budget(prefix) + more)
            node.learn(rules, solve(node, rules, prefix, more));
    } else {
        Borrowed<LeafSpace> space(leaf_spaces_);
        std::vector<Cost> known;
        finish(state_,
               {.place = {&node},
                .chosen = alive(node),
                .rules = rules,
                .prefix = prefix,
                .slack = more,
                .fewer = &known,
                .after_first = &after_first},
               *space);
        for (std::size_t s = 0; s < known.size(); ++s) node.learn(static_cast<int>(s), known[s]);
    }
    if (cached && !state_.stopped())
        state_.cache.store(
            node.key, rules,
            std::max(found, std::min(node.known_for(rules), node.beyond - prefix.cost)));
    return node.known_for(rules);
}

/// How much more than needed to prove about lists with one rule less: as much as the weaker
/// quarter of the conditions is worth, for then the drop bound can spare them. Only for leaves,
/// where proving more is cheap, and only as long as it does spare some.
Cost Search::drop_slack(const Node& node, int rules) const {
    if (rules > leaf_rules || !state_.uses(Bound::slack)) return 0;
    constexpr std::uint64_t enough_to_judge = 10'000;
    const std::uint64_t n_conditions = n_conditions_.load(std::memory_order_relaxed);
    if (n_conditions > enough_to_judge &&
        n_spared_.load(std::memory_order_relaxed) * 8 < n_conditions)
        return 0;
    std::vector<Cost> worth;
    for (const std::int32_t i : alive(node))
        worth.push_back(gain(node, static_cast<std::size_t>(i)).worth);
    if (worth.empty()) return 0;
    const auto quarter = worth.begin() + static_cast<std::ptrdiff_t>(worth.size() / 4);
    std::nth_element(worth.begin(), quarter, worth.end());
    return *quarter;
}

struct Search::Choice {
    std::int32_t rule;
    Cost price;     ///< of the rule itself: what its rows cost, and rule_cost
    Cost at_least;  ///< lower bound on the cost of a list that starts with it
    Cost heuristic;
    Cost rest = 0;  ///< proven lower bound on the cost of what follows, once known
};

Cost Search::choose_next(Node& node, int rules, const Prefix& prefix, Cost slack, Cost fewer,
                         const std::vector<Cost>& after_first) {
    Cost bound = fewer;
    std::vector<Choice> choices;
    for (const std::int32_t k : alive(node)) {
        const auto i = static_cast<std::size_t>(k);
        const Gain g = gain(node, i);
        if (g.weight < state_.options.min_support) continue;
        const Cost price = state_.rule_cost + g.cost;
        // Without rule i the list would have one rule less and cost at most what i is worth more.
        const Cost dropped = std::max(node.drop_level, fewer + state_.rule_cost) - g.worth;
        const Cost at_least = state_.uses(Bound::drop) ? std::max(price, dropped) : price;
        choices.push_back(
            {k, price, at_least, price + default_cost_after(state_.pricing, node, i), 0});
    }
    std::sort(choices.begin(), choices.end(), [](const Choice& a, const Choice& b) {
        return a.heuristic != b.heuristic ? a.heuristic < b.heuristic : a.rule < b.rule;
    });
    // A list that fits one sibling may fall short of the least support on another's rows.
    const bool siblings = state_.uses(Bound::sibling) && state_.options.min_support == 0;
    node.first_bound.assign(node.size(), std::numeric_limits<Cost>::max());
    refute_clusters(node, rules, prefix, slack, choices);
    Borrowed<Survey> survey(surveys_);
    const bool surveyed = can_survey(node, rules) && survey->start(state_, node);
    state_.for_each_step(choices.size(), [&](std::size_t position) {
        Choice& choice = choices[position];
        const auto i = static_cast<std::size_t>(choice.rule);
        Cost at_least = choice.at_least;
        const Cost budget = state_.budget(prefix) + slack;
        if (at_least < budget && siblings) {
            state_.charge(Work::entry, choices.size());
            Cost rest = 0;
            for (const Choice& other : choices) {
                const Cost known = load_shared(other.rest);
                if (known <= rest) continue;
                Cost most = 0;  // that the rows of i without the other cost
                for (std::size_t c = 0; c < node.n_classes(); ++c)
                    most += (node.weight_of(c, i) - node.shared(c, i)[other.rule]) *
                            state_.pricing.step(c);
                rest = std::max(rest, known - most);
            }
            at_least = std::max(at_least, choice.price + rest);
        }
        if (at_least < budget && !state_.stopped()) {
            const Prefix longer = extended(node, i, prefix);
            const Cost prior = after_first.empty() ? 0 : after_first[i];
            const Cost rest =
                solve_after(node, i, rules - 1, longer, slack,
                            std::max(prior + state_.rule_cost, drop_level_after(node, i, rules)),
                            surveyed ? &*survey : nullptr);
            store_shared(choice.rest, rest);
            at_least = std::max(at_least, choice.price + rest);
        }
        lower_to(bound, at_least);
        node.first_bound[i] = at_least;
        if (node.is_root && !is_tightening_) add_share(1.0 / static_cast<double>(choices.size()));
    });
    return bound;
}

/// Bounds what follows next rules from what they leave together: see clusters.hpp. (Not with a
/// least support, which a rule may have after a member and not after all of them.) Only where a
/// list much better than the best known is looked for: else too little may be given away. And only
/// in lists of few rules: of many, what rules must be worth in all leaves less to look at, and in
/// what a cluster leaves nothing is known of that.
void Search::refute_clusters(const Node& node, int rules, const Prefix& prefix, Cost slack,
                             std::vector<Choice>& choices) {
    if (!state_.uses(Bound::cluster) || state_.options.min_support > 0 || node.is_restricted)
        return;
    if (state_.best() >= state_.incumbent()) return;
    constexpr int few_rules = 5;
    if (rules_in_all(node, rules) > few_rules) return;
    ClusterTrials& trials = clusters_.trials(rules - 1);
    if (!trials.is_worthwhile()) return;
    const Cost wanted = state_.budget(prefix) + slack;
    std::vector<NextRule> open;
    std::vector<std::size_t> place(node.size());
    for (std::size_t k = 0; k < choices.size(); ++k) {
        place[static_cast<std::size_t>(choices[k].rule)] = k;
        if (choices[k].at_least < wanted) open.push_back({choices[k].rule, choices[k].price});
    }
    const std::vector<Cluster> clusters = clusters_.of(node, open, rules - 1, wanted);
    const std::function<void(const Cluster&)> refute = [&](const Cluster& cluster) {
        if (state_.stopped()) return;
        const Cost rest = solve_without(node, cluster, rules - 1, prefix, slack);
        std::size_t n_refuted = 0;
        for (const std::int32_t rule : cluster.rules) {
            Choice& choice = choices[place[static_cast<std::size_t>(rule)]];
            choice.rest = std::max(choice.rest, rest);
            choice.at_least = std::max(choice.at_least, choice.price + rest);
            n_refuted += choice.at_least >= state_.budget(prefix) + slack;
        }
        trials.learn(n_refuted);
        constexpr std::size_t worth_halving = 4;
        if (n_refuted > 0 || cluster.rules.size() < worth_halving) return;
        for (const Cluster& half : clusters_.halves(node, cluster, open)) refute(half);
    };
    state_.for_each_step(clusters.size(), [&](std::size_t k) { refute(clusters[k]); });
}

/// Lower bound on the least cost of at most `rules` rules on what a cluster leaves.
Cost Search::solve_without(const Node& node, const Cluster& cluster, int rules,
                           const Prefix& prefix, Cost slack) {
    Attempt attempt{prefix.attempt};
    const Prefix together{prefix.rules, prefix.cost + cluster.price, &attempt};
    state_.charge(Work::visit, 1);
    Borrowed<Node> child(nodes_);
    child->uncovered = cluster.uncovered;
    child->key = key_of(cluster.uncovered);
    const bool cached = state_.uses(Bound::cache);
    const Cost known = cached ? state_.cache.find(child->key, rules) : 0;
    if (known >= state_.budget(together) + slack) return known;
    {
        Borrowed<Workspace> space(workspaces_);
        if (!make_child(state_, node, cluster.rules, *space, *child)) return 0;
    }
    if (node.beyond != nothing_beyond) child->beyond = 0;
    child->visiting_cost = together.cost;
    child->drop_level = 0;
    const Cost bound = std::max(known, solve(*child, rules, together, slack));
    if (cached && !state_.stopped())
        state_.cache.store(child->key, rules,
                           std::max(known, std::min(bound, child->beyond - together.cost)));
    return bound;
}

/// A survey takes room for all pairs, and complements that are the same last rule.
bool Search::can_survey(const Node& node, int rules) const {
    constexpr std::size_t most_conditions = 1000;
    return rules == leaf_rules + 1 && state_.uses(Bound::survey) &&
           state_.options.min_support == 0 && node.size() <= most_conditions;
}

Cost Search::solve_after(const Node& node, std::size_t i, int rules, const Prefix& prefix,
                         Cost slack, Cost prior, Survey* survey) {
    Cost known = default_cost_after(state_.pricing, node, i);
    if (rules == 0 || known <= state_.rule_cost) {
        state_.offer(prefix.cost + known, prefix, {});
        return known;
    }
    state_.charge(Work::visit, 1);
    state_.charge(Work::entry, node.uncovered.size() + node.size());
    Borrowed<Node> child(nodes_);
    const bool cached = state_.uses(Bound::cache) && !node.is_restricted;
    if (!node.is_restricted) child->key = key_after(state_, node, i, child->uncovered);
    known = cached ? state_.cache.find(child->key, rules) : 0;
    if (known >= state_.budget(prefix) + slack) return known;
    const bool has_tight = has_tight_prefixes(node, rules + 1);
    if (has_tight && is_tightening_ && rules == leaf_rules + 1) {
        tighten_after(node, i, child->key, prefix, slack);
        return known;
    }
    const Cost level = drop_level_of_all(node, rules + 1, 1);
    Cost bound = bound_by_context(node, rules, prefix, slack);
    if (has_tight && rules == leaf_rules && bound < state_.budget(prefix) + slack)
        bound = std::max(bound, bound_by_rows_given_back(node, prefix, slack));
    if (has_tight && rules == leaf_rules + 1 && bound < state_.budget(prefix) + slack)
        bound = std::max(bound, std::min(bound_by_leaves(node, i, *child, prefix, slack,
                                                         std::max(prior, level - prefix.cost)),
                                         node.beyond - prefix.cost));
    if (bound >= state_.budget(prefix) + slack) {
        if (cached) state_.cache.store(child->key, rules, std::max(known, bound));
        return bound;
    }
    if (rules <= leaf_rules) {
        bound = solve_leaf_after(node, i, rules, prefix, slack,
                                 std::max(prior, level - prefix.cost), survey);
    } else {
        {
            Borrowed<Workspace> space(workspaces_);
            // All of them are wanted where more is proven than that.
            const bool wants_all = is_tightening_ && has_tight;
            const Cost least_worth = wants_all ? 0 : level - (state_.best() + slack) + 1;
            if (!make_child(state_, node, i, *space, *child, least_worth)) return 0;
        }
        const Cost dropped = child->most_left_out == nothing_left_out
                                 ? nothing_beyond
                                 : level - child->most_left_out;
        child->beyond = std::min(node.beyond, dropped);
        child->visiting_cost = node.visiting_cost + state_.rule_cost + gain(node, i).cost;
        child->drop_level = std::max(prior, level - prefix.cost);
        bound = std::min(dropped - prefix.cost, solve(*child, rules, prefix, slack));
    }
    if (cached && !state_.stopped())
        state_.cache.store(child->key, rules,
                           std::max(known, std::min(bound, node.beyond - prefix.cost)));
    bound = std::max(bound, known);
    return bound;
}

/// Lower bound on the least cost of finishing with at most `rules` rules after the prefix, which
/// ends with a rule of `node`, from what its rules are worth beside each other. (It holds however
/// else the same rows are reached.)
Cost Search::bound_by_context(const Node& node, int rules, const Prefix& prefix, Cost slack) {
    const Cost without_one = drop_level_of_all(node, rules + 1, 1);
    if (without_one == 0 || prefix.rules.size() < 2 || !state_.pricing.is_error() ||
        !state_.uses(Bound::worth))
        return 0;
    state_.charge(Work::row_word,
                  prefix.rules.size() * prefix.rules.size() * state_.instance.words);
    Borrowed<ContextSpace> space(context_spaces_);
    return cost_by_context(state_, prefix.rules, without_one, drop_level_of_all(node, rules + 1, 2),
                           state_.best() + slack, *space) -
           prefix.cost;
}

/// A leaf needs pair counts only of the conditions that the drop bound lets through.
Cost Search::solve_leaf_after(const Node& node, std::size_t i, int rules, const Prefix& prefix,
                              Cost slack, Cost prior, Survey* survey, bool counted) {
    const Cost level =
        rules == 2 ? std::max(prior, one_rule_after(state_, node, i) + state_.rule_cost) : prior;
    const Cost limit = level - (state_.budget(prefix) + slack);
    Cost bound = std::numeric_limits<Cost>::max();
    Borrowed<LeafSpace> space(leaf_spaces_);
    std::vector<std::int32_t>& chosen = space->outlook.chosen;
    chosen.clear();
    for (std::size_t j = 0; j < node.size(); ++j) {
        if (node.is_twin[j]) continue;
        const Gain g = gain_after(state_.pricing, node, i, j);
        if (g.weight == 0) continue;
        if (rules >= 2 && state_.uses(Bound::drop) && g.worth <= limit)
            bound = std::min(bound, level - g.worth);
        else
            chosen.push_back(static_cast<std::int32_t>(j));
    }
    n_conditions_.fetch_add(node.size(), std::memory_order_relaxed);
    n_spared_.fetch_add(node.size() - chosen.size(), std::memory_order_relaxed);
    const bool surveyed = survey != nullptr && survey->is_worthwhile();
    if (surveyed) {
        survey->look(state_, i, prefix, slack, space->outlook);
        bound = std::min(bound, space->outlook.bound);
        if (!space->outlook.open) {
            state_.n_nodes.fetch_add(1, std::memory_order_relaxed);
            return bound;
        }
    }
    return std::min(bound, finish(state_,
                                  {.place = {&node, static_cast<std::int32_t>(i)},
                                   .chosen = chosen,
                                   .rules = rules,
                                   .prefix = prefix,
                                   .slack = slack,
                                   .counted = counted,
                                   .outlook = surveyed ? &space->outlook : nullptr},
                                  *space));
}

/// The drop bound of whole lists: one that goes on at `node` with at most `rules` rules more, one
/// of worth w among them, costs at least (the result) - w, whatever the order of its first rules.
Cost Search::drop_level_of_all(const Node& node, int rules, int n_dropped) const {
    if (!state_.uses(Bound::drop)) return 0;
    const Node& top = top_of(node);
    if (!top.is_root) return 0;
    return top.known_for(rules_in_all(node, rules) - n_dropped) + n_dropped * state_.rule_cost;
}

/// The drop bound from further up. Take a list that continues with rule i and at most
/// `rules` - 1 rules more, one of them a rule of worth w. At any node on the way here drop s of its
/// rules, that one among them: what is left costs at least what is known there for s rules less,
/// and at most what the dropped rules are worth more. So the list costs at least (the result) - w.
Cost Search::drop_level_after(const Node& node, std::size_t i, int rules) const {
    if (!state_.uses(Bound::drop)) return 0;
    const Gain g = gain(node, i);
    const Cost here = node.visiting_cost + state_.rule_cost + g.cost;
    std::vector<Cost> worth{g.worth};  // ascending
    Cost level = 0;
    for (const Node* at = &node; at != nullptr; at = at->parent) {
        Cost dropped = 0;
        for (std::size_t s = 1; s <= worth.size() + 1; ++s) {
            const Cost left = at->known_for(rules - static_cast<int>(s));
            level = std::max(level, left + static_cast<Cost>(s) * state_.rule_cost - dropped -
                                        (here - at->visiting_cost));
            if (s <= worth.size()) dropped += worth[s - 1];
        }
        worth.insert(std::upper_bound(worth.begin(), worth.end(), at->rule_worth), at->rule_worth);
        ++rules;
    }
    return level;
}

/// The prefix with rule i added, at the place among the rules visited before where it costs
/// least: what remains afterwards is the same, and the first visit should be the cheapest.
Prefix Search::extended(const Node& node, std::size_t i, const Prefix& prefix) const {
    Prefix best{prefix.rules, prefix.cost + state_.rule_cost + gain(node, i).cost, prefix.attempt};
    best.rules.push_back(node.candidate[i]);
    if (keep_order_ || !state_.uses(Bound::order) || state_.options.min_support > 0) return best;
    std::size_t index = i;
    Cost later = 0;
    std::vector<std::int32_t> visited;  // last first
    const Node* place = nullptr;
    for (const Node* at = &node; at->parent != nullptr; at = at->parent) {
        index = static_cast<std::size_t>(at->parent_index[index]);
        const Node& above = *at->parent;
        const auto rule = static_cast<std::size_t>(at->rule);
        later += state_.rule_cost + gain_after(state_.pricing, above, index, rule).cost;
        const Cost cost = above.visiting_cost + state_.rule_cost + gain(above, index).cost + later;
        if (cost < best.cost) {
            best.cost = cost;
            place = &above;
        }
    }
    if (place == nullptr) return best;
    best.rules.clear();
    for (const Node* at = &node; at->parent != nullptr; at = at->parent) {
        best.rules.push_back(at->parent->candidate[static_cast<std::size_t>(at->rule)]);
        if (at->parent == place) best.rules.push_back(node.candidate[i]);
    }
    std::reverse(best.rules.begin(), best.rules.end());
    return best;
}

std::vector<std::int32_t> Search::first_optimal_list(Node& root, int rules, Cost optimum,
                                                     const Prefix& so_far) {
    keep_order_ = true;
    std::vector<std::int32_t> list = first_rules(root, rules, optimum, so_far);
    keep_order_ = false;
    return list;
}

std::vector<std::int32_t> Search::first_rules(Node& root, int rules, Cost optimum,
                                              const Prefix& so_far) {
    std::vector<std::int32_t> list;
    Prefix prefix = so_far;
    Node* node = &root;
    std::deque<Borrowed<Node>> children;
    for (; rules > 0; --rules) {
        state_.aim_below(optimum + 1);
        bound_first_rules(*node, rules, prefix);
        std::vector<std::size_t> order(node->size());
        std::iota(order.begin(), order.end(), std::size_t{0});
        std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
            return node->candidate[a] < node->candidate[b];
        });
        const auto first = std::find_if(order.begin(), order.end(), [&](std::size_t i) {
            return !state_.stopped() && starts_optimal_list(*node, i, rules, prefix, optimum);
        });
        if (first == order.end()) return {};
        const std::size_t i = *first;
        list.push_back(node->candidate[i]);
        prefix.cost += state_.rule_cost + gain(*node, i).cost;
        prefix.rules.push_back(node->candidate[i]);
        if (rules == 1) break;
        if (rules == 2) {
            list.push_back(first_last_rule(state_, *node, i, optimum - prefix.cost));
            break;
        }
        free_leaves();
        Borrowed<Node>& child = children.emplace_back(nodes_);
        child->key = key_after(state_, *node, i, child->uncovered);
        Borrowed<Workspace> space(workspaces_);
        // Every rule still to come is worth at least this (the drop bound).
        const Cost fewer = rules == 3 ? one_rule_after(state_, *node, i) : 0;
        const Cost least_worth =
            state_.uses(Bound::drop) ? fewer + state_.rule_cost - (optimum - prefix.cost) : 0;
        if (!make_child(state_, *node, i, *space, *child, least_worth)) return {};
        child->is_restricted = node->is_restricted || least_worth > 0;
        child->visiting_cost = prefix.cost;
        child->drop_level = 0;
        node = &*child;
    }
    return list;
}

void Search::free_leaves() {
    leaf_spaces_.clear([this](LeafSpace& space) {
        state_.release(space.claimed);
        state_.release(space.counting.claimed);
    });
}

/// Sets node.first_bound, if it is not known from the search already.
void Search::bound_first_rules(Node& node, int rules, const Prefix& prefix) {
    if (!node.first_bound.empty() || rules < leaf_rules) return;
    if (rules > leaf_rules)
        solve(node, rules, prefix);
    else
        solve_leaf(node, rules, prefix, 0, true);
}

bool Search::starts_optimal_list(const Node& node, std::size_t i, int rules, const Prefix& prefix,
                                 Cost optimum) {
    const Gain g = gain(node, i);
    if (node.is_twin[i] || g.weight < state_.options.min_support) return false;
    if (!node.first_bound.empty() && prefix.cost + node.first_bound[i] > optimum) return false;
    Prefix longer{prefix.rules, prefix.cost + state_.rule_cost + g.cost};
    longer.rules.push_back(node.candidate[i]);
    // The least that can follow, without building anything.
    const Cost least = rules == 1   ? default_cost_after(state_.pricing, node, i)
                       : rules == 2 ? one_rule_after(state_, node, i)
                                    : 0;
    if (longer.cost + least > optimum) return false;
    // With so few rules that is exact, but for rules that decide too little. (One that decides
    // nothing would make a list of fewer rules just as good.)
    if (rules <= 2 && state_.options.min_support == 0) return true;
    state_.aim_below(optimum + 1);
    solve_after(node, i, rules - 1, longer, 0, 0);
    return !state_.stopped() && state_.best() <= optimum;
}

}  // namespace samrule
