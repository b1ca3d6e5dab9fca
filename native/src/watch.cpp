#include "watch.hpp"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>

#include "samrule/solver.hpp"

namespace samrule {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
}

/// A thread that does the work and tells when it is done.
class Worker {
  public:
    explicit Worker(const std::function<void()>& work) try : thread_([this, &work] { run(work); }) {
    } catch (const std::system_error& error) {
        throw NoThread(error.what());
    }
    ~Worker() { thread_.join(); }
    Worker(const Worker&) = delete;
    Worker& operator=(const Worker&) = delete;

    /// Whether the work was done within so many seconds.
    bool wait(double seconds) {
        std::unique_lock lock(mutex_);
        return finished_.wait_for(lock, std::chrono::duration<double>(std::max(0.0, seconds)),
                                  [this] { return done_; });
    }
    void rethrow() const {
        if (failure_) std::rethrow_exception(failure_);
    }

  private:
    void run(const std::function<void()>& work) {
        try {
            work();
        } catch (...) {
            failure_ = std::current_exception();
        }
        const std::lock_guard lock(mutex_);
        done_ = true;
        finished_.notify_all();
    }

    std::exception_ptr failure_;
    std::mutex mutex_;
    std::condition_variable finished_;
    bool done_ = false;
    std::thread thread_;  ///< last: it uses the others
};

}  // namespace

void run_watched(const std::function<void()>& work, StopSign& stop, double time_limit,
                 const std::function<bool(double)>& poll) {
    constexpr double between_polls = 0.05;
    const auto start = Clock::now();
    double next_poll = between_polls;
    Worker worker(work);
    while (true) {
        const double until = stop.raised() ? next_poll : std::min(next_poll, time_limit);
        const bool done = worker.wait(until - seconds_since(start));
        if (done) break;
        const double now = seconds_since(start);
        if (now >= time_limit) stop.raise(Status::time_limit);
        if (now < next_poll) continue;
        next_poll = now + between_polls;
        if (poll && poll(now)) stop.raise(Status::interrupted);
    }
    worker.rethrow();
}

}  // namespace samrule
