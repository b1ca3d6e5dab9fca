/// How a search is asked to stop, from any thread and at any stage.
#pragma once

#include <atomic>

namespace samrule {

enum class Status { optimal, time_limit, memory_limit, interrupted, within_tolerance };

/// The first reason given counts.
class StopSign {
  public:
    void raise(Status reason) {
        Status none = Status::optimal;
        reason_.compare_exchange_strong(none, reason);
        raised_.store(true, std::memory_order_relaxed);
    }
    bool raised() const { return raised_.load(std::memory_order_relaxed); }
    Status reason() const { return reason_.load(); }

  private:
    std::atomic<bool> raised_{false};
    std::atomic<Status> reason_{Status::optimal};
};

}  // namespace samrule
