/// Counts every candidate in a set of rows, in the way that takes least work.
#pragma once

#include <cstdint>
#include <vector>

#include "conjunctions.hpp"
#include "state.hpp"

namespace samrule {

class SetCounter {
  public:
    /// For the first `n_candidates` of the instance: all that have as many terms as the last, or
    /// fewer.
    SetCounter(State& state, std::size_t n_candidates);
    ~SetCounter() { state_.release_spare(claimed_); }
    SetCounter(const SetCounter&) = delete;
    SetCounter& operator=(const SetCounter&) = delete;

    /// Operations that it takes to count a set.
    std::uint64_t work(const std::vector<Word>& set) const;

    /// counts[c * n_candidates + i]: weight of class c that candidate i has in the set.
    void count(const std::vector<Word>& set, std::vector<std::int32_t>& counts) const;

  private:
    enum class Way : std::uint8_t {
        every_word,    ///< of each candidate
        sparse_words,  ///< of single conditions: those where the set has rows
        packed_words,  ///< of conditions, where only rows of the set are left
    };
    struct Plan {
        Way way;
        std::uint64_t work;
    };

    Plan plan(const std::vector<Word>& set) const;
    void count_every_word(const std::vector<Word>& set, std::vector<std::int32_t>& counts) const;
    void count_sparse_words(const std::vector<Word>& set, std::vector<std::int32_t>& counts) const;
    void count_packed_words(const std::vector<Word>& set, std::vector<std::int32_t>& counts) const;
    void copy(const Counts& found, std::vector<std::int32_t>& counts) const;
    template <class Body>
    void share(std::uint64_t work, std::size_t n, const Body& body) const;

    State& state_;
    const Instance& instance_;
    const std::size_t n_;
    Conjunctions of_two_classes_;  ///< empty if there are more
    std::size_t claimed_ = 0;      ///< bytes
};

}  // namespace samrule
