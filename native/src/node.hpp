/// A subproblem of the search: the rows no rule has covered yet, and for every pair of
/// conditions still alive how much weight of each class they share there.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "state.hpp"

namespace samrule {

inline constexpr std::int32_t no_rule = -1;

/// Uncovered rows packed together, segment by segment.
struct PackedRows {
    std::vector<Segment> segments;
    std::size_t words = 0;
    std::size_t n_slots = 0;
};

struct Node {
    // Rows
    std::vector<Word> uncovered;  ///< over the instance's slots
    Subproblem key{};
    PackedRows rows;
    std::vector<std::int64_t> class_weight;
    std::int64_t weight = 0;

    // Conditions alive: those that select some but not all of the rows
    std::vector<std::int32_t> candidate;     ///< index in the instance
    std::vector<Word> bits;                  ///< condition after condition, packed
    std::vector<std::int32_t> table;         ///< class after class, n x n
    std::vector<std::int32_t> singles;       ///< its diagonals, for those who need nothing else
    std::vector<std::uint8_t> is_twin;       ///< an earlier condition selects the same rows
    std::vector<std::int32_t> by_candidate;  ///< conditions in the order of their candidates
    std::vector<std::int32_t> complement;    ///< condition that selects the other rows, or -1

    std::size_t claimed = 0;  ///< bytes

    /// Some conditions that are alive here were left out, so bounds are not for the cache.
    bool is_restricted = false;
    bool is_root = false;

    // Where it came from
    const Node* parent = nullptr;
    std::int32_t rule = no_rule;             ///< the parent's condition that was applied
    std::vector<std::int32_t> parent_index;  ///< each condition's index in the parent
    Cost visiting_cost = 0;                  ///< cost of the rules in the order of the visit
    Cost rule_worth = 0;                     ///< of the rule there

    /// known[s]: lower bound on the least cost of finishing here with at most s rules.
    std::vector<Cost> known;
    Cost known_for(int rules) const {
        return rules >= 0 && static_cast<std::size_t>(rules) < known.size()
                   ? known[static_cast<std::size_t>(rules)]
                   : 0;
    }
    /// A list of `drop_rules` rules that has a rule of worth w in it costs at least drop_level - w.
    Cost drop_level = 0;

    /// first_bound[i]: lower bound on the cost of finishing here with a list that starts with i;
    /// empty until known.
    std::vector<Cost> first_bound;

    void learn(int rules, Cost bound) {
        const auto s = static_cast<std::size_t>(rules);
        if (known.size() <= s) known.resize(s + 1, 0);
        known[s] = std::max(known[s], bound);
    }

    std::size_t size() const { return candidate.size(); }
    std::size_t n_classes() const { return class_weight.size(); }
    const Word* column(std::size_t i) const { return bits.data() + i * rows.words; }
    const std::int32_t* shared(std::size_t c, std::size_t i) const {
        return table.data() + (c * size() + i) * size();
    }
    std::int32_t weight_of(std::size_t c, std::size_t i) const { return singles[c * size() + i]; }
};

/// Condition i as next rule at `node`; or i as next rule after `before`.
Gain gain(const Pricing& pricing, const Node& node, std::size_t i);
Gain gain_after(const Pricing& pricing, const Node& node, std::size_t before, std::size_t i);

/// Cost of a default alone on what rule i leaves.
Cost default_cost_after(const Pricing& pricing, const Node& node, std::size_t i);

/// Makes the root: all rows, all candidates. False if there is no memory for it or the search was
/// stopped.
bool make_root(State& state, Node& root);

/// Conditions in an order that lets complements be derived instead of counted: first those
/// whose complement is among them too, then the others, then the complements in the order of
/// the first.
struct Arrangement {
    std::vector<std::int32_t> index;  ///< in the node
    std::size_t n_paired = 0;
    /// The first so many, and the complements, may come before the last rule; only their rows of
    /// the pair table are wanted.
    std::size_t n_leading = 0;

    std::size_t size() const { return index.size(); }
    std::size_t n_counted() const { return index.size() - n_paired; }
};

/// Arranges some of the node's conditions. `leads`, if given, says of each of the node's
/// conditions whether it may come before the last rule. Of two complements that do not both lead
/// one is left out: as last rule they are the same list.
void arrange(const Node& node, const std::vector<std::int32_t>& chosen, Arrangement& arrangement,
             const std::vector<std::uint8_t>* leads = nullptr);

/// Which packed slots to keep: those that `column` covers, or the others; and where they go.
void choose_rows(const State& state, const PackedRows& from, const Word* column, bool covered,
                 std::vector<Word>& keep, PackedRows& to);

/// How packed columns lie: one after the other, or in groups to be counted (see group_size).
enum class Layout { columns, groups };

/// Packs the kept slots of the chosen columns of `bits` together. What fills up the last group is
/// left as it is.
void pack_columns(const State& state, const PackedRows& from, const std::vector<Word>& bits,
                  std::span<const std::int32_t> chosen, const std::vector<Word>& keep,
                  const PackedRows& to, Layout layout, std::vector<Word>& packed);

/// Segments without slots cost a loop each for nothing.
void drop_empty_segments(PackedRows& rows);

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

/// The key of what rule i leaves; `uncovered` receives the rows.
Subproblem key_after(const State& state, const Node& node, std::size_t i,
                     std::vector<Word>& uncovered);

/// Makes `child` the subproblem that rule i leaves, with every condition still alive in it that is
/// worth at least `least_worth`. child.uncovered and child.key must be set. False if there is no
/// memory for it or the search was stopped.
bool make_child(State& state, const Node& node, std::size_t i, Workspace& space, Node& child,
                Cost least_worth = 0);

/// Counts the class weights that the leading and all counted conditions arranged share on the rows
/// that rule i covers (if `covered`) or leaves; the result is space.counted, class after class,
/// n_leading x n_counted. False if there is no memory for it or the search was stopped.
bool count_side(State& state, const Node& node, std::size_t i, bool covered,
                const Arrangement& arrangement, Workspace& space);

/// True if rule i covers fewer rows than it leaves: then its side is cheaper to count.
bool covers_fewer(const State& state, const Node& node, std::size_t i);

}  // namespace samrule
