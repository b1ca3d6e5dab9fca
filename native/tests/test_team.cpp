// Loops shared by a team of threads: every iteration once, whoever runs it.
#include <atomic>
#include <chrono>
#include <new>
#include <stdexcept>
#include <thread>

#include "harness.hpp"
#include "samrule/team.hpp"

using harness::Random;
using samrule::Team;

namespace {

/// Runs a random tree of nested loops; adds up one per leaf.
void grow(Team& team, std::uint64_t seed, int depth, std::atomic<std::int64_t>& n_leaves) {
    Random random(seed);
    const std::size_t n = random.below(6);
    if (depth == 0) {
        ++n_leaves;
        return;
    }
    team.for_each(n, [&](std::size_t i) { grow(team, seed * 31 + i + 1, depth - 1, n_leaves); });
}

std::int64_t leaves_of(std::uint64_t seed, int depth) {
    if (depth == 0) return 1;
    Random random(seed);
    const std::size_t n = random.below(6);
    std::int64_t total = 0;
    for (std::size_t i = 0; i < n; ++i) total += leaves_of(seed * 31 + i + 1, depth - 1);
    return total;
}

}  // namespace

TEST(a_team_has_the_size_it_was_given) {
    for (const int n_members : {1, 2, 5, 16}) CHECK_EQ(Team(n_members).size(), n_members);
}

TEST(every_iteration_runs_exactly_once) {
    for (const int n_members : {1, 2, 3, 5, 16}) {
        Team team(n_members);
        for (const std::size_t n : {0, 1, 2, 3, 10, 100, 10'000}) {
            // Plain numbers: the thread sanitizer would see if for_each returned too early.
            std::vector<int> times(n, 0);
            team.for_each(n, [&](std::size_t i) { ++times[i]; });
            CHECK(times == std::vector<int>(n, 1));
        }
    }
}

TEST(every_iteration_of_nested_loops_runs_exactly_once) {
    for (const int n_members : {1, 2, 5, 16}) {
        Team team(n_members);
        constexpr std::size_t a = 7, b = 11, c = 13;
        std::vector<int> times(a * b * c, 0);
        team.for_each(a, [&](std::size_t i) {
            team.for_each(b, [&](std::size_t j) {
                team.for_each(c, [&](std::size_t k) { ++times[(i * b + j) * c + k]; });
            });
        });
        CHECK(times == std::vector<int>(a * b * c, 1));
    }
}

TEST(what_a_nested_loop_wrote_is_seen_when_it_returns) {
    Team team(4);
    for (int trial = 0; trial < harness::scaled(200); ++trial) {
        std::vector<std::size_t> sums(20, 0);
        team.for_each(sums.size(), [&](std::size_t i) {
            std::vector<std::size_t> squares(17);
            team.for_each(squares.size(), [&](std::size_t j) { squares[j] = i * j; });
            for (const std::size_t s : squares) sums[i] += s;
        });
        for (std::size_t i = 0; i < sums.size(); ++i) CHECK_EQ(sums[i], i * (16 * 17 / 2));
    }
}

TEST(trees_of_loops_are_walked_completely) {
    for (const int n_members : {1, 2, 5, 9}) {
        Team team(n_members);
        for (int trial = 0; trial < harness::scaled(100); ++trial) {
            const auto seed = static_cast<std::uint64_t>(trial + 1);
            std::atomic<std::int64_t> n_leaves{0};
            grow(team, seed, 5, n_leaves);
            CHECK_EQ(n_leaves.load(), leaves_of(seed, 5));
        }
    }
}

TEST(many_short_loops_lose_no_iteration) {
    Team team(5);
    for (int trial = 0; trial < harness::scaled(20'000); ++trial) {
        const auto n = static_cast<std::size_t>(trial % 9);
        std::atomic<std::size_t> sum{0};
        team.for_each(n, [&](std::size_t i) { sum += i + 1; });
        CHECK_EQ(sum.load(), n * (n + 1) / 2);
    }
}

TEST(members_work_at_the_same_time) {
    // Each of two iterations waits for the other to begin, so one thread alone would not do.
    Team team(2);
    std::atomic<int> n_begun{0};
    std::atomic<int> n_met{0};
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    team.for_each(2, [&](std::size_t) {
        ++n_begun;
        while (n_begun < 2 && std::chrono::steady_clock::now() < deadline)
            std::this_thread::yield();
        if (n_begun == 2) ++n_met;
    });
    CHECK_EQ(n_met.load(), 2);
}

TEST(a_loop_waits_for_its_slowest_iteration) {
    Team team(2);
    const std::thread::id caller = std::this_thread::get_id();
    for (int trial = 0; trial < 3; ++trial) {
        std::atomic<int> n_begun{0}, n_done{0};
        team.for_each(2, [&](std::size_t) {
            ++n_begun;
            while (n_begun < 2) std::this_thread::yield();
            if (std::this_thread::get_id() != caller)
                std::this_thread::sleep_for(std::chrono::milliseconds(30));
            ++n_done;
        });
        CHECK_EQ(n_done.load(), 2);
    }
}

TEST(members_help_with_a_loop_inside_the_last_iteration) {
    // The outer loop has one slow iteration; its inner loop needs the other member to finish.
    Team team(2);
    std::atomic<int> n_begun{0};
    std::atomic<int> n_met{0};
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    team.for_each(2, [&](std::size_t i) {
        if (i == 0) return;
        team.for_each(2, [&](std::size_t) {
            ++n_begun;
            while (n_begun < 2 && std::chrono::steady_clock::now() < deadline)
                std::this_thread::yield();
            if (n_begun == 2) ++n_met;
        });
    });
    CHECK_EQ(n_met.load(), 2);
}

TEST(what_a_body_throws_arrives_where_the_loop_was_started) {
    for (const int n_members : {1, 2, 5}) {
        Team team(n_members);
        for (int trial = 0; trial < harness::scaled(200); ++trial) {
            std::atomic<int> n_caught{0};
            team.for_each(4, [&](std::size_t) {
                try {
                    team.for_each(10, [&](std::size_t j) {
                        if (j % 3 == 2) throw std::runtime_error("as asked");
                    });
                } catch (const std::runtime_error&) {
                    ++n_caught;
                }
            });
            CHECK_EQ(n_caught.load(), 4);
            bool caught = false;
            try {
                team.for_each(4, [&](std::size_t) {
                    team.for_each(2, [&](std::size_t) { throw std::bad_alloc(); });
                });
            } catch (const std::bad_alloc&) {
                caught = true;
            }
            CHECK(caught);
        }
        std::vector<int> times(100, 0);  // and the team still works
        team.for_each(times.size(), [&](std::size_t i) { ++times[i]; });
        CHECK(times == std::vector<int>(100, 1));
    }
}

TEST(teams_come_and_go) {
    for (int trial = 0; trial < harness::scaled(500); ++trial) {
        Team team(1 + trial % 6);
        if (trial % 2 == 0) continue;  // never used
        std::atomic<int> n{0};
        team.for_each(10, [&](std::size_t) { ++n; });
        CHECK_EQ(n.load(), 10);
    }
}

TEST(teams_do_not_disturb_each_other) {
    std::atomic<int> n_wrong{0};
    const auto work = [&] {
        Team team(3);
        for (int trial = 0; trial < harness::scaled(500); ++trial) {
            std::vector<int> times(64, 0);
            team.for_each(8, [&](std::size_t i) {
                team.for_each(8, [&](std::size_t j) { ++times[8 * i + j]; });
            });
            if (times != std::vector<int>(64, 1)) ++n_wrong;
        }
    };
    std::thread first(work), second(work);
    first.join();
    second.join();
    CHECK_EQ(n_wrong.load(), 0);
}
