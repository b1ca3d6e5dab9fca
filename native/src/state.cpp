#include "state.hpp"

#include <algorithm>
#include <cmath>

namespace samrule {
namespace {

Cost fixed_point(double weight, std::int64_t total) {
    // A rule dearer than all rows together is never worth it, whatever its exact price.
    const double capped = std::min(weight, static_cast<double>(total) + 1);
    // Rounded up: where some rules cost exactly as much as they save, fewer rules win.
    return static_cast<Cost>(std::ceil(capped * static_cast<double>(unit)));
}

std::int64_t total_weight(const Instance& instance) {
    std::int64_t total = 0;
    for (const std::int64_t w : instance.class_weight) total += w;
    return total;
}

constexpr std::size_t spare_part = 8;
constexpr std::size_t malloc_bytes = 32;  ///< of the smallest piece of memory, such as a few terms

/// What may be claimed of the limit: neither what the candidates and the cache hold already, nor
/// what is set apart.
std::size_t claimable(const Instance& instance, std::size_t limit, std::size_t cache_bytes) {
    const std::size_t each = instance.words * sizeof(Word) + sizeof(Terms) + malloc_bytes;
    const std::size_t held = instance.n_candidates() * each + cache_bytes;
    return limit - std::min(limit, held + limit / spare_part);
}

/// Grows one owner's part of a total to `bytes`, unless that would take the total past the limit.
bool grow(std::atomic<std::size_t>& total, std::size_t limit, std::size_t bytes,
          std::size_t& claimed) {
    if (bytes <= claimed) return true;
    const std::size_t more = bytes - claimed;
    if (total.fetch_add(more) + more > limit) {
        total.fetch_sub(more);
        return false;
    }
    claimed = bytes;
    return true;
}

}  // namespace

State::State(const Instance& instance_, const Options& options_, const Pricing& pricing_,
             Team& team_, StopSign& stop_sign_, std::size_t cache_bytes)
    : instance(instance_),
      options(options_),
      pricing(pricing_),
      kernels(*options_.kernels),
      team(team_),
      stop_sign(stop_sign_),
      rule_cost(fixed_point(options_.rule_cost * static_cast<double>(pricing_.scale()),
                            total_weight(instance_))),
      cache(cache_bytes),
      claimable_(claimable(instance_, options_.memory_limit, cache_bytes)),
      best_(std::numeric_limits<Cost>::max() / 4),
      incumbent_(std::numeric_limits<Cost>::max() / 4),
      least_found_(std::numeric_limits<Cost>::max() / 4) {}

std::vector<std::int32_t> State::best_rules() const {
    const std::lock_guard lock(mutex_);
    return best_rules_;
}

void State::offer(Cost cost, const Prefix& prefix, std::initializer_list<std::int32_t> rest) {
    if (cost >= best_.load(std::memory_order_relaxed)) return;
    if (prefix.attempt != nullptr) {
        prefix.attempt->failed.store(true, std::memory_order_relaxed);
        return;
    }
    const std::lock_guard lock(mutex_);
    if (cost >= best_.load(std::memory_order_relaxed)) return;
    best_rules_ = prefix.rules;
    best_rules_.insert(best_rules_.end(), rest);
    incumbent_.store(cost, std::memory_order_relaxed);
    best_.store(cost, std::memory_order_relaxed);
    note_found(cost);
}

void State::note_found(Cost cost) {
    Cost seen = least_found_.load(std::memory_order_relaxed);
    while (cost < seen &&
           !least_found_.compare_exchange_weak(seen, cost, std::memory_order_relaxed)) {
    }
}

void State::restore(const Prefix& list) {
    const std::lock_guard lock(mutex_);
    best_rules_ = list.rules;
    incumbent_.store(list.cost);
    best_.store(list.cost);
}

bool State::claim(std::size_t bytes, std::size_t& claimed) {
    if (grow(bytes_claimed_, claimable_, bytes, claimed)) return true;
    stop_sign.raise(Status::memory_limit);
    return false;
}

void State::release(std::size_t& claimed) {
    bytes_claimed_.fetch_sub(claimed);
    claimed = 0;
}

bool State::claim_spare(std::size_t bytes, std::size_t& claimed) {
    return grow(bytes_spare_, options.memory_limit / spare_part, bytes, claimed);
}

void State::release_spare(std::size_t& claimed) {
    bytes_spare_.fetch_sub(claimed);
    claimed = 0;
}

}  // namespace samrule
