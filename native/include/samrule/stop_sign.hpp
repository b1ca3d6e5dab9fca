/// How a search is asked to stop, from any thread and at any stage; or stops itself when its work
/// is spent.
#pragma once

#include <atomic>
#include <cstdint>

namespace samrule {

enum class Status { optimal, time_limit, memory_limit, interrupted, within_tolerance, work_limit };

/// As many operations as anyone likes.
inline constexpr std::uint64_t unlimited_work = UINT64_MAX;

/// The first reason given counts.
class StopSign {
  public:
    explicit StopSign(std::uint64_t work_limit = unlimited_work) : work_limit_(work_limit) {}

    void raise(Status reason) {
        Status none = Status::optimal;
        reason_.compare_exchange_strong(none, reason);
        raised_.store(true, std::memory_order_relaxed);
    }
    bool raised() const { return raised_.load(std::memory_order_relaxed); }
    Status reason() const { return reason_.load(); }

    /// Counts operations, and stops the search when all that are allowed are spent. Nothing is
    /// counted without a limit: threads would wait for each other's counts.
    void charge(std::uint64_t operations) {
        if (!is_limited()) return;
        if (work_.fetch_add(operations, std::memory_order_relaxed) + operations >= work_limit_)
            raise(Status::work_limit);
    }
    bool is_limited() const { return work_limit_ != unlimited_work; }
    std::uint64_t work() const { return work_.load(std::memory_order_relaxed); }
    std::uint64_t work_limit() const { return work_limit_; }

  private:
    const std::uint64_t work_limit_;
    std::atomic<std::uint64_t> work_{0};
    std::atomic<bool> raised_{false};
    std::atomic<Status> reason_{Status::optimal};
};

}  // namespace samrule
