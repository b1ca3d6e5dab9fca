/// A team of threads whose members help each other with nested loops.
#pragma once

#include <atomic>
#include <condition_variable>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace samrule {

/// Runs loops on all members. A member that runs out of work takes iterations of the outermost
/// open loop, whoever opened it, so work is shared at every level of a recursion.
class Team {
  public:
    /// Makes do with fewer members where the system has no more threads to give.
    explicit Team(int n_members);
    ~Team();
    Team(const Team&) = delete;
    Team& operator=(const Team&) = delete;

    int size() const { return n_members_; }

    /// Calls body(0) .. body(n - 1), possibly at the same time, and returns when all are done.
    /// May be called from inside a body. If a body throws, the first exception is thrown here
    /// once all that were started are done.
    void for_each(std::size_t n, const std::function<void(std::size_t)>& body);

  private:
    struct Loop {
        const std::function<void(std::size_t)>* body;
        std::size_t end;
        std::atomic<std::size_t> next{0};
        std::atomic<int> helpers{0};
        std::mutex mutex{};
        std::exception_ptr failure{};
    };

    void serve();
    Loop* join_open_loop();
    static void run(Loop& loop);

    int n_members_;
    std::mutex mutex_;
    std::condition_variable work_;
    std::vector<Loop*> open_;  ///< outermost first
    bool closing_ = false;
    std::vector<std::thread> threads_;
};

}  // namespace samrule
