/// The weights that every two candidates of a language share on some rows.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "conjunctions.hpp"

namespace samrule {

/// Memory that is claimed from the state, and kept for whoever borrows it next: fresh memory costs
/// a call into the system for every page that is touched.
class KeptRoom {
  public:
    KeptRoom() = default;
    ~KeptRoom() {
        if (state_ != nullptr) state_->release(claimed_);
    }
    KeptRoom(const KeptRoom&) = delete;
    KeptRoom& operator=(const KeptRoom&) = delete;

    /// Room for `n` values, whatever was there before; null, and the search is stopped, if there is
    /// no memory for it.
    template <class T>
    T* of(State& state, std::size_t n) {
        state_ = &state;
        const std::size_t n_words = (n * sizeof(T) + sizeof(Word) - 1) / sizeof(Word);
        if (!state.claim(n_words * sizeof(Word), claimed_)) return nullptr;
        if (n_words > n_words_) {
            words_.reset();
            words_ = std::make_unique_for_overwrite<Word[]>(n_words);
            n_words_ = n_words;
        }
        return reinterpret_cast<T*>(words_.get());
    }
    std::size_t claimed() const { return claimed_; }

  private:
    State* state_ = nullptr;
    std::unique_ptr<Word[]> words_;
    std::size_t n_words_ = 0;
    std::size_t claimed_ = 0;
};

/// `Count` is a type that holds the weight of every class. Rows are padded with zeros.
template <class Count>
class PairTable {
  public:
    /// In memory of its own.
    explicit PairTable(State& state) : state_(state), room_(own_) {}
    PairTable(State& state, KeptRoom& room) : state_(state), room_(room) {}
    PairTable(const PairTable&) = delete;
    PairTable& operator=(const PairTable&) = delete;

    /// Counts all pairs, each on the rows of the candidate that comes first. False if there is no
    /// memory for it or the search was stopped.
    bool count(const ConditionRows& rows, const Language& language);

    /// The same for the rows of the table `whole` but for those `removed`: counts on the latter.
    /// Candidate i of `language` is candidate place[i] of `whole`.
    bool count_without(const PairTable& whole, std::span<const std::int32_t> place,
                       const ConditionRows& removed, const Language& language);

    std::size_t size() const { return n_; }
    std::size_t padded() const { return stride_; }
    const Count* shared(std::size_t klass, std::size_t i) const {
        return shared_[klass] + i * stride_;
    }

    /// Bytes that a table of `n` candidates takes.
    static std::size_t bytes(std::size_t n) { return 2 * n * padded_to_lanes(n) * sizeof(Count); }
    static std::size_t padded_to_lanes(std::size_t n) {
        return (n + scan_lanes - 1) / scan_lanes * scan_lanes;
    }

  private:
    bool make_table(std::size_t n);
    template <class Row>
    bool fill(const ConditionRows& rows, const Language& language, const Row& make_row);
    void mirror();

    State& state_;
    std::size_t n_ = 0, stride_ = 0;
    KeptRoom own_;
    KeptRoom& room_;
    Count* shared_[2] = {};
};

/// Whether a table of rows of this weight needs no more than 16 bits for a count.
inline bool fits_16_bits(const Two& weight) {
    return std::max(weight.negative, weight.positive) < 65536;
}

/// A table of whichever type holds the weight of its rows.
class WholeTable {
  public:
    /// False as PairTable::count.
    bool count(State& state, const ConditionRows& rows, const Language& language) {
        if (!fits_16_bits(rows.weight)) return counted(wide_, state, rows, language);
        return counted(narrow_, state, rows, language);
    }
    /// Null if counts are of another type.
    template <class Count>
    const PairTable<Count>* of() const {
        if constexpr (sizeof(Count) == 2)
            return narrow_.get();
        else
            return wide_.get();
    }
    /// Weight of the rows that i and j share.
    std::int64_t shared(std::size_t i, std::size_t j) const {
        if (narrow_) return std::int64_t{narrow_->shared(0, i)[j]} + narrow_->shared(1, i)[j];
        return std::int64_t{wide_->shared(0, i)[j]} + wide_->shared(1, i)[j];
    }

  private:
    template <class Table>
    static bool counted(std::unique_ptr<Table>& table, State& state, const ConditionRows& rows,
                        const Language& language) {
        table = std::make_unique<Table>(state);
        return table->count(rows, language);
    }
    std::unique_ptr<PairTable<std::uint16_t>> narrow_;
    std::unique_ptr<PairTable<std::uint32_t>> wide_;
};

extern template class PairTable<std::uint16_t>;
extern template class PairTable<std::uint32_t>;

}  // namespace samrule
