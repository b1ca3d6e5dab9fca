/// The search when there are too many candidates for a table of all pairs: conjunctions of three
/// conditions, for example, come in tens of thousands.
///
/// A row of the pair table is counted when a candidate is tried as next rule, used, and thrown
/// away; the drop bound then leaves so few candidates for the rules after it that the ordinary
/// search can go on with those. Candidates stand in the order of what they are worth, so the row
/// ends where the drop bound says that no later one can earn its place.
#pragma once

#include <optional>
#include <vector>

#include "search.hpp"

namespace samrule {

/// Uncovered rows and the candidates that may follow, without pair counts; for `solve`, those that
/// are worth most come first.
struct WideNode {
    PackedRows rows;
    std::vector<std::int64_t> class_weight;
    std::int64_t weight = 0;
    std::vector<std::int32_t> candidate;
    std::vector<Word> bits;             ///< candidate after candidate
    std::vector<std::int32_t> singles;  ///< class after class
    std::vector<Cost> first_bound;      ///< as in Node
    std::size_t claimed = 0;

    std::size_t size() const { return candidate.size(); }
    std::size_t n_classes() const { return class_weight.size(); }
    const Word* column(std::size_t i) const { return bits.data() + i * rows.words; }
    std::int32_t weight_of(std::size_t c, std::size_t i) const { return singles[c * size() + i]; }
};

/// What a rule leaves: its rows by class, and the class weights of every candidate there.
struct WideRest {
    std::size_t n = 0;
    std::vector<std::int64_t> class_weight;
    std::vector<std::int32_t> counts;  ///< class after class, n each
    std::vector<std::int32_t*> of_class;

    /// Candidate j as next rule.
    Gain gain(const Pricing& pricing, std::size_t j) const;
    /// Cost of candidate j and a default.
    Cost cost(const Pricing& pricing, std::size_t j) const;
};

class WideSearch {
  public:
    WideSearch(State& state, Search& search) : state_(state), search_(search) {}

    /// True if a table of all pairs of `n` candidates would take too much memory.
    static bool needed(const Instance& instance, std::size_t memory_limit);

    /// False if there is no memory for the root.
    bool make_root(WideNode& root);

    /// A good list of at most `rules` single conditions, as prefix: quickly found, and then the
    /// least that a search cut short should answer.
    Prefix single_conditions(const WideNode& root, int rules);

    /// As Search::solve. `fewer` is a lower bound on the least cost with one rule less.
    Cost solve(WideNode& node, int rules, const Prefix& prefix, Cost fewer);

    /// As Search::first_optimal_list, from `node` on.
    std::vector<std::int32_t> first_optimal_list(WideNode& node, int rules, const Prefix& prefix,
                                                 Cost optimum);

  private:
    Cost one_rule(const WideNode& node, const Prefix& prefix);
    void start_rest(const WideNode& node, std::size_t i, WideRest& rest) const;
    void count_rest(const WideNode& node, std::size_t i, std::size_t first, std::size_t last,
                    WideRest& rest) const;
    struct Counted;
    Counted count_useful(const WideNode& node, std::size_t i, int rules, const Prefix& prefix,
                         WideRest& rest);
    Cost solve_after(const WideNode& node, std::size_t i, int rules, const Prefix& prefix);
    bool make_child(const WideNode& node, std::size_t i, const std::vector<std::int32_t>& chosen,
                    const WideRest& rest, WideNode& child);
    /// A table of the node's pairs leaves room for those of threads and leaves.
    bool is_small(const WideNode& node) const;
    bool with_table(const WideNode& wide, const Prefix& prefix, Node& node);
    std::optional<Cost> solve_worthy(WideNode& node, int rules, const Prefix& prefix, Cost fewer);
    bool has_room_for_leaf(const WideNode& node, std::size_t n, int rules) const;

    State& state_;
    Search& search_;
    Pool<WideRest> rests_;
    Pool<WideNode> wide_nodes_;
    Pool<Node> nodes_;
};

}  // namespace samrule
