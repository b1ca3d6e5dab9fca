/// The lists a search is after: those that cost at most a limit, of which the best is kept.
#pragma once

#include <atomic>
#include <limits>
#include <mutex>
#include <utility>
#include <vector>

#include "state.hpp"

namespace samrule {

/// A list of candidates of the instance and what it costs.
struct CostedList {
    Cost cost;
    std::vector<std::int32_t> rules;

    /// Cheaper first, then shorter, then by the candidates in order.
    bool is_before(const CostedList& other) const {
        if (cost != other.cost) return cost < other.cost;
        if (rules.size() != other.rules.size()) return rules.size() < other.rules.size();
        return rules < other.rules;
    }
};

/// Every list that costs no more than the final limit is offered by the search, in any order and
/// from any thread, so the best list does not depend on threads.
class Wanted {
  public:
    explicit Wanted(Cost limit) : limit_(limit) {}

    /// A list that costs no more than `enough` ends the search: how little is not the question.
    Wanted(Cost limit, Cost enough) : enough_(enough), limit_(limit) {}

    /// The same of what follows rules that cost so much.
    Wanted after(Cost before) const { return {limit() - before, enough_ - before}; }

    /// Lists that cost more are not looked for. It falls to the cost of the best list found.
    Cost limit() const { return limit_.load(std::memory_order_relaxed); }

    void offer(CostedList list) {
        if (list.cost > limit()) return;
        const std::lock_guard lock(mutex_);
        if (found_ && !list.is_before(best_)) return;
        limit_.store(std::min(limit(), list.cost), std::memory_order_relaxed);
        best_ = std::move(list);
        found_ = true;
        if (best_.cost <= enough_) answered_.store(true, std::memory_order_relaxed);
    }

    /// Whether there is nothing left to look for.
    bool is_answered() const { return answered_.load(std::memory_order_relaxed); }

    /// After the search: whether there is such a list at all, and the best.
    bool found() const { return found_; }
    const CostedList& best() const { return best_; }

  private:
    const Cost enough_ = std::numeric_limits<Cost>::min() / 2;
    std::atomic<bool> answered_{false};
    std::atomic<Cost> limit_;
    std::mutex mutex_;
    bool found_ = false;
    CostedList best_{};
};

}  // namespace samrule
