// The cache of proven bounds: it may forget, but never mix up.
#include <atomic>
#include <thread>

#include "harness.hpp"
#include "samrule/bound_cache.hpp"

using harness::Random;
using samrule::BoundCache;
using samrule::Cost;
using samrule::Subproblem;
using samrule::Word;

namespace {

/// The one right bound of a subproblem: whatever else the cache answers is a mix-up.
Cost bound_of(const Subproblem& s, int rules) {
    return static_cast<Cost>((s.check * 31 + s.hash * 7 + static_cast<Word>(rules)) >> 8) + 1;
}

}  // namespace

TEST(an_empty_cache_knows_nothing) {
    const BoundCache cache(1 << 12);
    Random random(1);
    for (int k = 0; k < 1000; ++k) CHECK_EQ(cache.find({random.word(), random.word()}, k % 5), 0);
    CHECK_EQ(cache.find({0, 0}, 0), 0);
}

TEST(a_stored_bound_is_found_until_it_is_overwritten) {
    BoundCache cache(1 << 12);
    Random random(2);
    for (int k = 0; k < 10000; ++k) {
        const Subproblem s{random.word(), random.word()};
        const int rules = random.between(0, 8);
        cache.store(s, rules, bound_of(s, rules));
        CHECK_EQ(cache.find(s, rules), bound_of(s, rules));
        cache.store(s, rules, bound_of(s, rules) + 5);
        CHECK_EQ(cache.find(s, rules), bound_of(s, rules) + 5);
    }
}

TEST(bounds_for_other_numbers_of_rules_are_kept_apart) {
    BoundCache cache(1 << 16);
    const Subproblem s{12345, 67890};
    for (int rules = 0; rules < 10; ++rules) cache.store(s, rules, 100 + rules);
    for (int rules = 0; rules < 10; ++rules) {
        const Cost found = cache.find(s, rules);
        CHECK(found == 0 || found == 100 + rules);
    }
    CHECK_EQ(cache.find(s, 9), 109);
    CHECK_EQ(cache.find(s, 10), 0);
}

TEST(subproblems_that_share_a_place_are_told_apart) {
    BoundCache cache(0);  // one place for everything
    cache.store({1, 100}, 3, 42);
    CHECK_EQ(cache.find({1, 100}, 3), 42);
    CHECK_EQ(cache.find({1, 101}, 3), 0);
    CHECK_EQ(cache.find({1, 100}, 2), 0);
    cache.store({1, 101}, 3, 43);
    CHECK_EQ(cache.find({1, 100}, 3), 0);
    CHECK_EQ(cache.find({1, 101}, 3), 43);
}

TEST(a_cache_of_any_size_works) {
    for (std::size_t bytes = 0; bytes < 200; ++bytes) {
        BoundCache cache(bytes);
        Random random(bytes);
        for (int k = 0; k < 100; ++k) {
            const Subproblem s{random.word(), random.word()};
            cache.store(s, 2, k);
            CHECK_EQ(cache.find(s, 2), k);
        }
    }
}

TEST(bounds_written_by_many_threads_at_once_are_never_mixed_up) {
    for (const std::size_t bytes : {16, 64, 1024}) {
        BoundCache cache(bytes);
        std::vector<Subproblem> few(64);
        Random keys(bytes);
        for (Subproblem& s : few) s = {keys.word(), keys.word()};
        std::atomic<int> n_wrong{0}, n_found{0};
        const auto work = [&](std::uint64_t seed) {
            Random random(seed);
            for (int k = 0; k < harness::scaled(200'000); ++k) {
                const Subproblem& s = few[random.below(few.size())];
                const int rules = random.between(1, 4);
                if (random.chance(0.5)) {
                    cache.store(s, rules, bound_of(s, rules));
                    continue;
                }
                const Cost found = cache.find(s, rules);
                if (found != 0) ++n_found;
                if (found != 0 && found != bound_of(s, rules)) ++n_wrong;
            }
        };
        std::vector<std::thread> threads;
        for (std::uint64_t t = 0; t < 4; ++t) threads.emplace_back(work, 10 * bytes + t);
        for (std::thread& thread : threads) thread.join();
        CHECK_EQ(n_wrong.load(), 0);
        CHECK(n_found.load() > 0);
    }
}
