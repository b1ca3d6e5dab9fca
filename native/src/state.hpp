/// What all threads of one search share: the instance, the incumbent, the cache, the stop sign.
#pragma once

#include <algorithm>
#include <atomic>
#include <functional>
#include <limits>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "cost.hpp"
#include "samrule/bound_cache.hpp"
#include "samrule/instance.hpp"
#include "samrule/shared_value.hpp"
#include "samrule/solver.hpp"
#include "samrule/team.hpp"
#include "work.hpp"

namespace samrule {

/// A search on fewer rows than any rule leaves. A list found there is not one of the whole table:
/// it shows that the attempt failed, and there is nothing more to look for.
struct Attempt {
    const Attempt* outer = nullptr;  ///< the one that this is a part of
    std::atomic<bool> failed{false};

    bool is_over() const {
        return failed.load(std::memory_order_relaxed) || (outer != nullptr && outer->is_over());
    }
};

/// The rules chosen so far, in their cheapest known order.
struct Prefix {
    std::vector<std::int32_t> rules;
    Cost cost = 0;
    Attempt* attempt = nullptr;  ///< that the search is part of, if any
};

/// Objects handed out to whichever thread needs one, and kept for the next.
template <class Object>
class Pool {
  public:
    std::unique_ptr<Object> take() {
        const std::lock_guard lock(mutex_);
        if (free_.empty()) return std::make_unique<Object>();
        auto object = std::move(free_.back());
        free_.pop_back();
        return object;
    }
    void give_back(std::unique_ptr<Object> object) {
        const std::lock_guard lock(mutex_);
        free_.push_back(std::move(object));
    }
    /// Frees the objects that nobody has, each after a last look.
    template <class Look>
    void clear(const Look& look) {
        const std::lock_guard lock(mutex_);
        for (const auto& object : free_) look(*object);
        free_.clear();
    }

  private:
    std::mutex mutex_;
    std::vector<std::unique_ptr<Object>> free_;
};

/// Makes room for n values, whatever was there before. A vector left to itself would take up to
/// twice as much as was claimed, and for a moment both the old and the new.
template <class T>
void make_room(std::vector<T>& values, std::size_t n) {
    if (values.capacity() < n) std::vector<T>().swap(values);
    values.resize(n);
}

/// Takes an object from a pool for the length of a scope.
template <class Object>
class Borrowed {
  public:
    explicit Borrowed(Pool<Object>& pool) : pool_(pool), object_(pool.take()) {}
    ~Borrowed() { pool_.give_back(std::move(object_)); }
    Borrowed(const Borrowed&) = delete;
    Borrowed& operator=(const Borrowed&) = delete;
    Object& operator*() { return *object_; }
    Object* operator->() { return object_.get(); }

  private:
    Pool<Object>& pool_;
    std::unique_ptr<Object> object_;
};

class State {
  public:
    State(const Instance& instance, const Options& options, const Pricing& pricing, Team& team,
          StopSign& stop_sign, std::size_t cache_bytes);

    const Instance& instance;
    const Options& options;
    const Pricing& pricing;
    const Kernels& kernels;
    Team& team;
    StopSign& stop_sign;
    const Cost rule_cost;
    BoundCache cache;

    std::atomic<std::uint64_t> n_nodes{0};

    bool uses(Bound bound) const {
        return (options.disabled_bounds & static_cast<std::uint32_t>(bound)) == 0;
    }

    /// What a list that starts with `prefix` may still cost to beat the incumbent; less than
    /// anything costs if nobody asks any more.
    Cost budget(const Prefix& prefix) const {
        if (prefix.attempt != nullptr && prefix.attempt->is_over())
            return std::numeric_limits<Cost>::min() / 4;
        return best_.load(std::memory_order_relaxed) - prefix.cost;
    }

    /// What a list must cost less than: as much as the incumbent, unless aimed elsewhere.
    Cost best() const { return best_.load(std::memory_order_relaxed); }

    /// The best list known, and its cost.
    std::vector<std::int32_t> best_rules() const;
    Cost incumbent() const { return incumbent_.load(std::memory_order_relaxed); }

    /// A list with few enough rules was found that costs so much, whatever is searched now; and the
    /// least cost of all that were.
    void note_found(Cost cost);
    Cost least_found() const { return least_found_.load(std::memory_order_relaxed); }

    /// Replaces the incumbent if `cost` is less than best(); or ends the attempt that it was found
    /// in.
    void offer(Cost cost, const Prefix& prefix, std::initializer_list<std::int32_t> rest);

    /// Makes the search look for anything cheaper than `cost`, whatever the incumbent costs.
    void aim_below(Cost cost) { best_.store(cost); }

    /// Makes `list` the incumbent, and what is to be beaten, even if a better one is known.
    void restore(const Prefix& list);

    bool stopped() const {
        return stop_sign.raised() ||
               n_nodes.load(std::memory_order_relaxed) >= pause_at_.load(std::memory_order_relaxed);
    }

    /// Stops the search once so many subproblems were opened, until it is resumed.
    void pause_after(std::uint64_t n_nodes_opened) { pause_at_.store(n_nodes_opened); }
    void resume() { pause_at_.store(never_paused); }

    /// Counts work, if that is limited. Inside a loop of the team only if what the loop makes is
    /// thrown away when it is stopped: then it does not matter which step spent the last of it.
    void charge(Work kind, std::size_t amount) { stop_sign.charge(operations(kind, amount)); }

    /// Runs the steps of a loop that learn from each other: all at once, or in their order if work
    /// is limited, since what a step does depends on those that are done.
    void for_each_step(std::size_t n, const std::function<void(std::size_t)>& step) {
        if (!stop_sign.is_limited()) return team.for_each(n, step);
        for (std::size_t k = 0; k < n; ++k) step(k);
    }

    /// Grows an owner's claim on memory to `bytes`. False, and the search is stopped, if that
    /// would pass the limit. Claims are kept as buffers are: for the next who borrows their owner.
    bool claim(std::size_t bytes, std::size_t& claimed);
    /// Whether a claim of so much more would be granted now.
    bool has_room(std::size_t bytes) const {
        return bytes <= claimable_ - std::min(claimable_, bytes_claimed_.load());
    }
    /// Gives back what an owner claimed, when its memory is freed.
    void release(std::size_t& claimed);

    /// The same for what the search can do without: false, and it goes on, if that would pass the
    /// eighth of the limit that is set apart for such things.
    bool claim_spare(std::size_t bytes, std::size_t& claimed);
    void release_spare(std::size_t& claimed);

  private:
    const std::size_t claimable_;  ///< bytes
    std::atomic<Cost> best_;
    std::atomic<Cost> incumbent_;
    std::atomic<Cost> least_found_;
    static constexpr std::uint64_t never_paused = UINT64_MAX;
    std::atomic<std::uint64_t> pause_at_{never_paused};
    mutable std::mutex mutex_;
    std::vector<std::int32_t> best_rules_;
    std::atomic<std::size_t> bytes_claimed_{0};
    std::atomic<std::size_t> bytes_spare_{0};
};

/// Lowers an atomic number to `value` if that is less.
inline void lower_to(Cost& target, Cost value) {
    Cost seen = load_shared(target);
    while (value < seen && !replace_shared(target, seen, value)) {
    }
}

}  // namespace samrule
