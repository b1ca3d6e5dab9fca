/// The weights that every two candidates of a language share on some rows.
#pragma once

#include <cstdint>
#include <vector>

#include "conjunctions.hpp"

namespace samrule {

/// `Count` is a type that holds the weight of every class. Rows are padded with zeros.
template <class Count>
class PairTable {
  public:
    explicit PairTable(State& state) : state_(state) {}
    ~PairTable() { state_.release(claimed_); }
    PairTable(const PairTable&) = delete;
    PairTable& operator=(const PairTable&) = delete;

    /// Counts all pairs, each on the rows of the candidate that comes first. False if there is no
    /// memory for it or the search was stopped.
    bool count(const ConditionRows& rows, const Language& language);

    std::size_t size() const { return n_; }
    std::size_t padded() const { return stride_; }
    const Count* shared(std::size_t klass, std::size_t i) const {
        return shared_[klass].data() + i * stride_;
    }

    /// Bytes that a table of `n` candidates takes.
    static std::size_t bytes(std::size_t n) { return 2 * n * padded_to_lanes(n) * sizeof(Count); }
    static std::size_t padded_to_lanes(std::size_t n) {
        return (n + scan_lanes - 1) / scan_lanes * scan_lanes;
    }

  private:
    void mirror();

    State& state_;
    std::size_t n_ = 0, stride_ = 0;
    std::vector<Count> shared_[2];
    std::size_t claimed_ = 0;
};

extern template class PairTable<std::uint16_t>;
extern template class PairTable<std::uint32_t>;

}  // namespace samrule
