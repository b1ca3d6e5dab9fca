/// A subproblem of the search: the rows no rule has covered yet, and for every pair of
/// conditions still alive how much weight of each class they share there.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "alive_conditions.hpp"
#include "arrangement.hpp"
#include "packed_rows.hpp"
#include "state.hpp"

namespace samrule {

inline constexpr std::int32_t no_rule = -1;
inline constexpr Cost nothing_left_out = -1;
inline constexpr Cost nothing_beyond = std::numeric_limits<Cost>::max();

struct Node;

/// The rows no rule has covered yet.
struct UncoveredRows {
    std::vector<Word> uncovered;  ///< over the instance's slots
    Subproblem key{};
    PackedRows rows;
    std::vector<std::int64_t> class_weight;
    std::int64_t weight = 0;

    std::size_t n_classes() const { return class_weight.size(); }
};

/// Where a subproblem came from.
struct Provenance {
    bool is_root = false;
    const Node* parent = nullptr;
    std::int32_t rule = no_rule;             ///< the parent's condition that was applied
    std::vector<std::int32_t> parent_index;  ///< each condition's index in the parent
    Cost visiting_cost = 0;                  ///< cost of the rules in the order of the visit
    Cost rule_worth = 0;                     ///< of the rule there
};

/// What was proven about a subproblem so far.
struct Proofs {
    /// known[s]: lower bound on the least cost of finishing here with at most s rules.
    std::vector<Cost> known;
    /// A list that goes on here with a rule of worth w in it costs at least drop_level - w.
    Cost drop_level = 0;
    /// Lower bound on the cost of a whole list that goes on here, however its first rules are
    /// ordered, with one of the conditions that were left out, here or further up. All else that
    /// is proven is about lists of the others.
    Cost beyond = nothing_beyond;
    Cost most_left_out = nothing_left_out;  ///< the greatest worth of those left out here
    /// first_bound[i]: lower bound on the cost of finishing here with a list that starts with i;
    /// empty until known.
    std::vector<Cost> first_bound;

    Cost known_for(int rules) const {
        return rules >= 0 && static_cast<std::size_t>(rules) < known.size()
                   ? known[static_cast<std::size_t>(rules)]
                   : 0;
    }
    void learn(int rules, Cost bound) {
        const auto s = static_cast<std::size_t>(rules);
        if (known.size() <= s) known.resize(s + 1, 0);
        known[s] = std::max(known[s], bound);
    }
};

struct Node : UncoveredRows, AliveConditions, Provenance, Proofs {
    std::size_t claimed = 0;  ///< bytes

    const Word* column(std::size_t i) const { return bits.data() + i * rows.words; }
};

/// Where the way to a node began: all rows, or those that a cluster leaves.
inline const Node& top_of(const Node& node) {
    const Node* top = &node;
    while (top->parent != nullptr) top = top->parent;
    return *top;
}

/// How many rules a list has from there that goes on at `node` with `rules` rules.
inline int rules_in_all(const Node& node, int rules) {
    for (const Node* at = &node; at->parent != nullptr; at = at->parent) ++rules;
    return rules;
}

/// Condition i as next rule at `node`; or i as next rule after `before`.
Gain gain(const Pricing& pricing, const Node& node, std::size_t i);
Gain gain_after(const Pricing& pricing, const Node& node, std::size_t before, std::size_t i);

/// Cost of a default alone on what rule i leaves.
Cost default_cost_after(const Pricing& pricing, const Node& node, std::size_t i);

/// Makes the root: all rows, all candidates. False if there is no memory for it or the search was
/// stopped.
bool make_root(State& state, Node& root);

/// Counts the pair table of a node whose rows and conditions are set. False if there is no
/// memory for it or the search was stopped.
bool make_table(State& state, Node& node);

/// Temporary space for packing and counting.
struct Workspace {
    std::vector<Word> keep;
    std::vector<Word> groups;
    std::vector<std::int32_t> table;
    std::vector<std::int32_t> counted;
    PackedRows rows;
    Arrangement arrangement;
    std::size_t claimed = 0;  ///< bytes
};

/// The key of a set of rows.
Subproblem key_of(const std::vector<Word>& uncovered);

/// The key of what rule i leaves; `uncovered` receives the rows.
Subproblem key_after(const State& state, const Node& node, std::size_t i,
                     std::vector<Word>& uncovered);

/// Makes `child` the subproblem that rule i leaves, with every condition still alive in it that is
/// worth at least `least_worth`. child.uncovered and child.key must be set. False if there is no
/// memory for it or the search was stopped.
bool make_child(State& state, const Node& node, std::size_t i, Workspace& space, Node& child,
                Cost least_worth = 0);

/// The same for what several rules together leave; the child knows no parent.
bool make_child(State& state, const Node& node, const std::vector<std::int32_t>& rules,
                Workspace& space, Node& child);

/// Counts the class weights that the leading and all counted conditions arranged share on the rows
/// in `column` (if `covered`) or on the others; the result is space.counted, class after class,
/// n_leading x n_counted. False if there is no memory for it or the search was stopped.
bool count_side(State& state, const Node& node, const Word* column, bool covered,
                const Arrangement& arrangement, Workspace& space);

/// True if fewer of the node's rows are in `column` than not: then its side is cheaper to count.
bool covers_fewer(const State& state, const Node& node, const Word* column);

}  // namespace samrule
