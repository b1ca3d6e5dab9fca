/// Next rules that may be refuted together, their rows given away.
///
/// Let U be the rows of a node and V those that no rule of a cluster covers. A list that goes on at
/// U with member a and at most r rules more costs at least (price of a) + f(V, r): what follows a
/// errs on no fewer rows than it would with more of them taken away. So one search on V refutes
/// all members for which that is too much.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <span>
#include <vector>

#include "node.hpp"
#include "state.hpp"

namespace samrule {

/// A condition of a node as next rule.
struct NextRule {
    std::int32_t rule;
    Cost price;  ///< what its rows cost, and rule_cost
};

struct Cluster {
    std::vector<std::int32_t> rules;  ///< conditions of the node, neighbours are alike
    std::vector<Word> uncovered;      ///< what all of them leave, over the instance's slots
    Cost price;                       ///< the least of a member
};

/// Whether clusters pay, as those before did. An attempt takes about as long as a member does that
/// it might refute, or longer; now and then one is made all the same.
class ClusterTrials {
  public:
    bool is_worthwhile() {
        constexpr std::uint32_t between_trials = 16;
        return 2 * n_attempts_.load(std::memory_order_relaxed) <=
                   n_refuted_.load(std::memory_order_relaxed) ||
               n_asked_.fetch_add(1, std::memory_order_relaxed) % between_trials == 0;
    }
    void learn(std::size_t n_refuted) {
        constexpr std::uint32_t memory = 64;
        n_refuted_.fetch_add(static_cast<std::uint32_t>(n_refuted), std::memory_order_relaxed);
        if (n_attempts_.fetch_add(1, std::memory_order_relaxed) < memory) return;
        n_attempts_.store(memory / 2, std::memory_order_relaxed);
        n_refuted_.store(n_refuted_.load(std::memory_order_relaxed) / 2, std::memory_order_relaxed);
    }

  private:
    std::atomic<std::uint32_t> n_attempts_{0}, n_refuted_{0}, n_asked_{1};
};

/// Groups next rules so that what a cluster leaves is likely to cost enough.
///
/// Nobody knows what that costs, but some lists are known, and what they cost there is an upper
/// bound on it. A cluster grows as long as half of the room is left that its first member had.
class Clusters {
  public:
    explicit Clusters(State& state) : state_(state) {}

    /// Lists that are good on all rows.
    void know(std::vector<std::vector<std::int32_t>> lists) { lists_ = std::move(lists); }

    /// Clusters of two or more of the rules `open` of `node`, such that a member and at most
    /// `rules` rules after it may cost `wanted` or more.
    std::vector<Cluster> of(const Node& node, std::span<const NextRule> open, int rules,
                            Cost wanted) const;

    /// Of clusters with so many rules after a member.
    ClusterTrials& trials(int rules) {
        return trials_[std::min(static_cast<std::size_t>(rules), trials_.size() - 1)];
    }

    /// The two halves of a cluster.
    std::vector<Cluster> halves(const Node& node, const Cluster& cluster,
                                std::span<const NextRule> open) const;

  private:
    Cost known_cost(const std::vector<Word>& rows, int rules) const;
    void take_away(const Node& node, std::int32_t rule, std::vector<Word>& rows) const;

    State& state_;
    std::vector<std::vector<std::int32_t>> lists_;
    std::array<ClusterTrials, 16> trials_;
};

}  // namespace samrule
