#include "samrule/team.hpp"

#include <algorithm>
#include <system_error>

namespace samrule {

Team::Team(int n_members) : n_members_(1) {
    try {
        for (; n_members_ < n_members; ++n_members_) threads_.emplace_back([this] { serve(); });
    } catch (const std::system_error&) {
        // No more threads to be had: those that started will do.
    }
}

Team::~Team() {
    {
        const std::lock_guard lock(mutex_);
        closing_ = true;
    }
    work_.notify_all();
    for (std::thread& thread : threads_) thread.join();
}

void Team::for_each(std::size_t n, const std::function<void(std::size_t)>& body) {
    if (n_members_ == 1 || n < 2) {
        for (std::size_t i = 0; i < n; ++i) body(i);
        return;
    }
    Loop loop{&body, n};
    {
        const std::lock_guard lock(mutex_);
        open_.push_back(&loop);
    }
    work_.notify_all();
    run(loop);
    {
        const std::lock_guard lock(mutex_);
        open_.erase(std::find(open_.begin(), open_.end(), &loop));
    }
    // Nobody can join any more. While the last helpers finish, help whoever is still at it:
    // most likely a loop that one of them has opened meanwhile.
    while (loop.helpers.load(std::memory_order_acquire) > 0) {
        Loop* other = nullptr;
        {
            const std::lock_guard lock(mutex_);
            other = join_open_loop();
        }
        if (other == nullptr) {
            // Looking again at once would only keep the mutex from those who have work.
            constexpr int patience = 100;
            for (int k = 0; k < patience && loop.helpers.load(std::memory_order_acquire) > 0; ++k)
                std::this_thread::yield();
            continue;
        }
        run(*other);
        other->helpers.fetch_sub(1, std::memory_order_release);
    }
    if (loop.failure) std::rethrow_exception(loop.failure);
}

void Team::serve() {
    while (true) {
        Loop* loop = nullptr;
        {
            std::unique_lock lock(mutex_);
            work_.wait(lock, [&] { return closing_ || (loop = join_open_loop()) != nullptr; });
            if (loop == nullptr) return;
        }
        run(*loop);
        loop->helpers.fetch_sub(1, std::memory_order_release);
    }
}

/// The outermost loop with iterations left, with this thread counted as its helper; or null.
/// Called with the mutex held.
Team::Loop* Team::join_open_loop() {
    for (Loop* loop : open_)
        if (loop->next.load(std::memory_order_relaxed) < loop->end) {
            loop->helpers.fetch_add(1, std::memory_order_relaxed);
            return loop;
        }
    return nullptr;
}

void Team::run(Loop& loop) {
    for (std::size_t i = 0; (i = loop.next.fetch_add(1, std::memory_order_relaxed)) < loop.end;)
        try {
            (*loop.body)(i);
        } catch (...) {
            const std::lock_guard lock(loop.mutex);
            if (!loop.failure) loop.failure = std::current_exception();
        }
}

}  // namespace samrule
