/// The search itself: which rule comes next, and which need not be tried.
#pragma once

#include <vector>

#include "clusters.hpp"
#include "context_worth.hpp"
#include "given_back.hpp"
#include "leaf.hpp"
#include "node.hpp"
#include "state.hpp"
#include "survey.hpp"

namespace samrule {

class Search {
  public:
    explicit Search(State& state) : state_(state), clusters_(state) {}

    /// Lists that are good on all rows, to judge by what some rows cost.
    void know(std::vector<std::vector<std::int32_t>> lists) { clusters_.know(std::move(lists)); }

    /// Lower bound on the least cost of finishing at `node` with at most `rules` rules; better
    /// lists are offered as incumbents. Exact if below budget(prefix) + slack.
    Cost solve(Node& node, int rules, const Prefix& prefix, Cost slack = 0);

    /// The same for what rule i of `node` leaves. `prior` is a lower bound on the least cost of
    /// finishing there with one rule less; `survey`, if given, is one of the node's leaves.
    Cost solve_after(const Node& node, std::size_t i, int rules, const Prefix& prefix, Cost slack,
                     Cost prior, Survey* survey = nullptr);

    /// The list of least cost `optimum` with exactly `rules` rules (as few as possible) whose
    /// rules have the smallest indices in order. Empty if stopped.
    std::vector<std::int32_t> first_optimal_list(Node& root, int rules, Cost optimum,
                                                 const Prefix& so_far = {});

    /// Leaves were the largest users of memory, and are idle now: lets others have it.
    void free_leaves();

    /// How much of the current call of solve at the root is done, in [0, 1].
    double share() const { return share_.load(std::memory_order_relaxed); }
    void restart_share() { share_.store(0); }
    void add_share(double part) {
        // Not every library adds to an atomic double.
        double seen = share();
        while (!share_.compare_exchange_weak(seen, seen + part, std::memory_order_relaxed)) {
        }
    }

  private:
    struct Choice;
    Gain gain(const Node& node, std::size_t i) const {
        return samrule::gain(state_.pricing, node, i);
    }
    Cost drop_level_of_all(const Node& node, int rules, int n_dropped) const;
    Cost bound_by_context(const Node& node, int rules, const Prefix& prefix, Cost slack);
    void tighten_prefixes(Node& root, int rules, const Prefix& prefix, Cost slack, Cost fewer,
                          const std::vector<Cost>& after_first);
    bool has_tight_prefixes(const Node& node, int rules) const;
    void tighten_after(const Node& node, std::size_t i, const Subproblem& key, const Prefix& prefix,
                       Cost slack);
    Cost bound_by_rows_given_back(const Node& node, const Prefix& prefix, Cost slack);
    Cost bound_by_leaves(const Node& node, std::size_t i, const UncoveredRows& left,
                         const Prefix& prefix, Cost slack, Cost level);
    Cost drop_level_after(const Node& node, std::size_t i, int rules) const;
    Cost solve_fewer(Node& node, int rules, const Prefix& prefix, Cost slack,
                     std::vector<Cost>& after_first);
    Cost solve_leaf(Node& node, int rules, const Prefix& prefix, Cost slack, bool keep);
    Cost solve_leaf_after(const Node& node, std::size_t i, int rules, const Prefix& prefix,
                          Cost slack, Cost prior, Survey* survey, bool counted = false);
    Cost choose_next(Node& node, int rules, const Prefix& prefix, Cost slack, Cost fewer,
                     const std::vector<Cost>& after_first);
    void refute_clusters(const Node& node, int rules, const Prefix& prefix, Cost slack,
                         std::vector<Choice>& choices);
    Cost solve_without(const Node& node, const Cluster& cluster, int rules, const Prefix& prefix,
                       Cost slack);
    Prefix extended(const Node& node, std::size_t i, const Prefix& prefix) const;
    bool can_survey(const Node& node, int rules) const;
    Cost drop_slack(const Node& node, int rules) const;
    std::vector<std::int32_t> first_rules(Node& root, int rules, Cost optimum,
                                          const Prefix& so_far);
    void bound_first_rules(Node& node, int rules, const Prefix& prefix);
    bool starts_optimal_list(const Node& node, std::size_t i, int rules, const Prefix& prefix,
                             Cost optimum);

    State& state_;
    Clusters clusters_;
    bool keep_order_ = false;  ///< the rules chosen first must stay first
    int tightened_ = 0;        ///< prefixes of lists of so many rules are bounded first
    bool is_tightening_ = false;
    Cost tightened_below_ = 0;  ///< for lists that cost less, all of them were
    Pool<LeafSpace> leaf_spaces_;
    Pool<Workspace> workspaces_;
    Pool<Node> nodes_;
    Pool<ContextSpace> context_spaces_;
    Pool<GivenBackSpace> given_back_spaces_;
    Pool<Survey> surveys_;
    std::atomic<double> share_{0};

    // How many conditions leaves have had, and how many of them the drop bound has spared.
    std::atomic<std::uint64_t> n_conditions_{0};
    std::atomic<std::uint64_t> n_spared_{0};
};

}  // namespace samrule
