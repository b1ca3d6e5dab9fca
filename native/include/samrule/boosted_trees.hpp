/// Small trees, each grown on what those before got wrong: which conditions matter together.
///
/// Only whole numbers are added up, so sums are exact and every machine grows the same trees.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "samrule/bits.hpp"

namespace samrule {

/// Rows weigh at most so much together: with residuals of 2^20 sums stay below 2^63.
constexpr std::int64_t most_tree_weight = std::int64_t{1} << 31;

/// What trees are grown on. All of it may go once they are made.
struct TreeRows {
    std::span<const Word> bits;  ///< conditions x words_for(n_rows); 0 past the end
    std::size_t n_rows = 0;
    std::span<const std::int32_t> columns;  ///< of each condition; those of one stand together
    std::span<const std::int32_t> labels;   ///< class code of each row, in [0, n_classes)
    std::int32_t n_classes = 0;
    std::span<const std::int64_t> weights;  ///< of each row; most_tree_weight together, not 0
};

class BoostedTrees {
  public:
    explicit BoostedTrees(const TreeRows& rows);

    /// The conditions by which the next tree divides rows, in order; none if there is no more to
    /// learn. O(rows x columns), for a tree counts only the smaller side of each split.
    std::vector<std::int32_t> grow();

  private:
    /// Weight of rows, then by how much they are wrong, class by class.
    using Sums = std::vector<std::int64_t>;

    struct Leaf {
        std::vector<std::int32_t> rows;
        Sums cells;  ///< of the rows in each cell
        Sums total;
        std::int32_t condition = 0;  ///< takes most off the squared residuals
        double gain = 0;             ///< so much
    };

    /// The residuals of one class.
    struct Wrong {
        std::int32_t own = 0, others = 0;    ///< before any tree: of rows of the class, and others
        std::vector<std::int32_t> of_rows;   ///< empty as long as no tree corrected them
        std::vector<std::int64_t> in_cells;  ///< weighted sums
        std::int64_t size = 0;               ///< weighted sum of what they are without a sign
    };

    void make_cells(const TreeRows& rows);
    void make_residuals(std::int32_t n_classes);
    void open(std::size_t c);
    std::vector<std::size_t> worst_classes() const;
    Leaf root() const;
    Leaf finished(Leaf leaf) const;
    void divide(Leaf leaf, std::vector<Leaf>& leaves) const;
    void count(Leaf& leaf) const;
    void correct(const std::vector<Leaf>& leaves);
    bool holds(std::int32_t condition, std::int32_t row) const;

    std::size_t words_;
    std::vector<Word> bits_;
    std::vector<std::int32_t> labels_;
    std::vector<std::int64_t> weights_;
    std::int64_t total_weight_;
    // Rows of a cell agree in all conditions of a column.
    std::size_t n_columns_ = 0;
    std::vector<std::int32_t> cell_of_;                     ///< rows x columns
    std::vector<std::vector<std::int32_t>> cells_holding_;  ///< of each condition
    std::vector<std::int64_t> cell_weight_;
    std::vector<Wrong> wrong_;            ///< of each class
    std::vector<std::size_t> looked_at_;  ///< classes of the tree at hand
};

}  // namespace samrule
