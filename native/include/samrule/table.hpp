/// The rows as given: one bitset per condition, a class code and a weight per row.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "samrule/bits.hpp"
#include "samrule/kernels.hpp"

namespace samrule {

/// More classes than this are a number to be estimated, or a name.
constexpr std::int32_t most_classes = 1 << 20;

/// Rows weigh less than this together: sums are kept in 32 bits, with one to spare.
constexpr std::uint64_t total_weight_limit = 1 << 30;

/// A view of an n x d array of bytes with arbitrary strides (in bytes).
struct ByteMatrix {
    const std::uint8_t* data;
    std::size_t n_rows;
    std::size_t n_columns;
    std::ptrdiff_t row_stride;
    std::ptrdiff_t column_stride;
};

/// A rule: indices of conditions that must all hold, ascending.
using Terms = std::vector<std::int32_t>;

struct Table {
    std::size_t n_rows = 0;
    std::size_t n_columns = 0;
    std::int32_t n_classes = 0;
    std::vector<Word> bits;            ///< n_columns x words(), column after column; 0 past the end
    std::vector<std::int32_t> labels;  ///< class code of each row, in [0, n_classes)
    std::vector<std::uint32_t> weights;  ///< weight of each row; empty: all one

    std::size_t words() const { return words_for(n_rows); }
    const Word* column(std::size_t j) const { return bits.data() + j * words(); }
    std::uint32_t weight(std::size_t row) const { return weights.empty() ? 1 : weights[row]; }
};

/// Packs 0/1 bytes into bitsets. Returns the first (row, column) holding anything else, if any;
/// `bits` is then unspecified. O(n d / 8) word operations.
std::optional<std::pair<std::size_t, std::size_t>> pack(const ByteMatrix& bytes,
                                                        std::vector<Word>& bits);

/// Clears the bits that stand for no row, in the last word of each column: the invariant of `bits`.
void clear_past_end(Table& table);

/// Class weights of the rows that each rule is the first to match, the default's last.
std::vector<std::vector<std::int64_t>> count_decided(const Table& table,
                                                     std::span<const Terms> rules);

/// counts[i * n + j] += scale * rows of `within` in both set i and set j, for all pairs of n sets
/// of `words` words each. Precondition: counts holds n * n numbers. O(n^2 words / 2).
void add_pair_counts(std::span<const Word> sets, std::size_t words, std::span<const Word> within,
                     std::int64_t scale, const Kernels& kernels, std::span<std::int64_t> counts);

/// counts[i * m + j] += scale * rows in both set i of n and set j of m others, of `words` words
/// each. Precondition: counts holds n * m numbers. O(n m words).
void add_shared_counts(std::span<const Word> sets, std::span<const Word> others, std::size_t words,
                       std::int64_t scale, const Kernels& kernels, std::span<std::int64_t> counts);

}  // namespace samrule
