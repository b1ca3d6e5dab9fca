/// Proven lower bounds of subproblems met before, shared by all threads without locks.
#pragma once

#include <atomic>
#include <bit>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>

#include "samrule/bits.hpp"
#include "samrule/shared_value.hpp"

namespace samrule {

/// Misclassified weight plus the price of rules, in fixed point: exact, and equal on every
/// machine.
using Cost = std::int64_t;

/// What is left to solve: a hash of the uncovered rows and the number of rules left.
struct Subproblem {
    Word hash;   ///< chooses the place
    Word check;  ///< tells apart what shares a place
};

/// Forgets freely: a place holds the newest bound written to it. Each entry is two words, and
/// the first is the check xor the second, so an entry torn by two writers matches no check.
class BoundCache {
  public:
    explicit BoundCache(std::size_t bytes)
        : mask_(std::bit_floor(std::max<std::size_t>(bytes / sizeof(Entry), 1)) - 1),
          // calloc: pages that are never touched cost nothing.
          entries_(static_cast<Entry*>(std::calloc(mask_ + 1, sizeof(Entry)))) {
        if (entries_ == nullptr) throw std::bad_alloc();
        is_written_ = std::make_unique<std::atomic<bool>[]>(mask_ / block + 1);
    }

    /// The bound stored for the subproblem with `rules` rules left, or 0.
    Cost find(const Subproblem& s, int rules) const {
        const std::size_t at = place(s, rules);
        if (!is_written_[at / block].load(std::memory_order_relaxed)) return 0;
        Entry& entry = entries_.get()[at];
        const Word value = load_shared(entry.value);
        const Word check = load_shared(entry.check) ^ value;
        return check == salted(s.check, rules) ? static_cast<Cost>(value) : 0;
    }

    void store(const Subproblem& s, int rules, Cost bound) {
        const std::size_t at = place(s, rules);
        if (!is_written_[at / block].load(std::memory_order_relaxed))
            is_written_[at / block].store(true, std::memory_order_relaxed);
        Entry& entry = entries_.get()[at];
        const auto value = static_cast<Word>(bound);
        store_shared(entry.value, value);
        store_shared(entry.check, salted(s.check, rules) ^ value);
    }

  private:
    struct Entry {
        Word check;
        Word value;
    };
    struct Free {
        void operator()(Entry* entries) const { std::free(entries); }
    };

    static Word salted(Word check, int rules) {
        return check + static_cast<Word>(rules) * 0xD6E8FEB86659FD93ULL;
    }

    std::size_t place(const Subproblem& s, int rules) const {
        return (s.hash + static_cast<Word>(rules) * 0x9E3779B97F4A7C15ULL) & mask_;
    }

    /// Entries on a page of memory. One that was only read is a page of zeros that all share; the
    /// first write makes a page of it, and all threads wait until each of them knows.
    static constexpr std::size_t block = 4096 / sizeof(Entry);

    std::size_t mask_;
    std::unique_ptr<Entry[], Free> entries_;
    std::unique_ptr<std::atomic<bool>[]> is_written_;
};

}  // namespace samrule
