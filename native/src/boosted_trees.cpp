#include "samrule/boosted_trees.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <numeric>

namespace samrule {
namespace {

constexpr int n_splits = 3;
/// The share of what a tree would correct that it does; the rest is left to those after it.
constexpr double rate = 0.5;
/// The share of all weight that each side of a split must hold.
constexpr double least_share = 0.0005;
/// A tree looks at the classes that are known worst, at most so many.
constexpr std::size_t most_classes_looked_at = 4;
/// A row that is all wrong, in whole numbers.
constexpr double all_wrong = 1 << 20;
/// What a split must gain, per row: next to nothing.
constexpr double least_gain = 1e-6 * all_wrong * all_wrong;

/// What the mean residuals of some rows take off their squared residuals.
double explained(std::span<const std::int64_t> sums) {
    double squares = 0;
    for (const std::int64_t one : sums.subspan(1))
        squares += static_cast<double>(one) * static_cast<double>(one);
    return squares / static_cast<double>(std::max<std::int64_t>(sums[0], 1));
}

}  // namespace

BoostedTrees::BoostedTrees(const TreeRows& rows)
    : words_(words_for(rows.n_rows)),
      bits_(rows.bits.begin(), rows.bits.end()),
      labels_(rows.labels.begin(), rows.labels.end()),
      weights_(rows.weights.begin(), rows.weights.end()),
      total_weight_(std::accumulate(weights_.begin(), weights_.end(), std::int64_t{0})) {
    make_cells(rows);
    make_residuals(rows.n_classes);
}

/// Condition by condition, each cell is divided into those rows where it holds and the others.
void BoostedTrees::make_cells(const TreeRows& rows) {
    const auto starts_column = [&](std::size_t k) {
        return k == 0 || rows.columns[k] != rows.columns[k - 1];
    };
    const std::size_t n_conditions = rows.columns.size();
    for (std::size_t k = 0; k < n_conditions; ++k) n_columns_ += starts_column(k);
    cell_of_.resize(rows.n_rows * n_columns_);
    cells_holding_.resize(n_conditions);
    std::int32_t n_before = 0;  // cells of earlier columns
    for (std::size_t first = 0, column = 0; first < n_conditions; ++column) {
        std::vector<std::int32_t> cell(rows.n_rows, 0), part_of;
        std::int32_t n_cells = 1;
        std::size_t end = first;
        for (; end == first || (end < n_conditions && !starts_column(end)); ++end) {
            part_of.assign(2 * static_cast<std::size_t>(n_cells), -1);
            n_cells = 0;
            for (std::size_t row = 0; row < rows.n_rows; ++row) {
                const bool held =
                    holds(static_cast<std::int32_t>(end), static_cast<std::int32_t>(row));
                std::int32_t& part = part_of[2 * static_cast<std::size_t>(cell[row]) + held];
                if (part < 0) part = n_cells++;
                cell[row] = part;
            }
        }
        // Any row of a cell tells which conditions hold there.
        std::vector<std::int32_t> row_in(static_cast<std::size_t>(n_cells), -1);
        for (std::size_t row = 0; row < rows.n_rows; ++row) {
            row_in[static_cast<std::size_t>(cell[row])] = static_cast<std::int32_t>(row);
            cell_of_[row * n_columns_ + column] = n_before + cell[row];
        }
        for (std::size_t k = first; k < end; ++k)
            for (std::int32_t one = 0; one < n_cells; ++one)
                if (holds(static_cast<std::int32_t>(k), row_in[static_cast<std::size_t>(one)]))
                    cells_holding_[k].push_back(n_before + one);
        n_before += n_cells;
        first = end;
    }
    cell_weight_.assign(static_cast<std::size_t>(n_before), 0);
    for (std::size_t k = 0; k < cell_of_.size(); ++k)
        cell_weight_[static_cast<std::size_t>(cell_of_[k])] += weights_[k / n_columns_];
}

/// At first every row is taken to be of each class with the share that the class has.
void BoostedTrees::make_residuals(std::int32_t n_classes) {
    wrong_.resize(static_cast<std::size_t>(n_classes));
    std::vector<std::int64_t> of_class(wrong_.size(), 0);
    for (std::size_t row = 0; row < labels_.size(); ++row)
        of_class[static_cast<std::size_t>(labels_[row])] += weights_[row];
    for (std::size_t c = 0; c < wrong_.size(); ++c) {
        const double share = static_cast<double>(of_class[c]) / static_cast<double>(total_weight_);
        wrong_[c].own = static_cast<std::int32_t>(std::lrint(all_wrong * (1 - share)));
        wrong_[c].others = static_cast<std::int32_t>(std::lrint(-all_wrong * share));
        wrong_[c].size = of_class[c] * wrong_[c].own +
                         (total_weight_ - of_class[c]) * -std::int64_t{wrong_[c].others};
    }
}

std::vector<std::int32_t> BoostedTrees::grow() {
    looked_at_ = worst_classes();
    for (const std::size_t c : looked_at_) open(c);
    std::vector<Leaf> leaves;
    leaves.push_back(root());
    std::vector<std::int32_t> asked;
    for (int split = 0; split < n_splits; ++split) {
        const auto best =
            std::max_element(leaves.begin(), leaves.end(),
                             [](const Leaf& a, const Leaf& b) { return a.gain < b.gain; });
        if (best->gain < least_gain * static_cast<double>(total_weight_)) break;
        asked.push_back(best->condition);
        Leaf leaf = std::move(*best);
        leaves.erase(best);
        divide(std::move(leaf), leaves);
    }
    if (!asked.empty()) correct(leaves);
    return asked;
}

/// Of two classes one tells all.
std::vector<std::size_t> BoostedTrees::worst_classes() const {
    std::vector<std::size_t> order(wrong_.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return wrong_[a].size > wrong_[b].size; });
    order.resize(std::min(order.empty() ? 0 : order.size() - 1, most_classes_looked_at));
    return order;
}

/// Writes down the residuals of a class that no tree has looked at yet.
void BoostedTrees::open(std::size_t c) {
    Wrong& wrong = wrong_[c];
    if (!wrong.of_rows.empty()) return;
    wrong.in_cells.assign(cell_weight_.size(), 0);
    for (std::size_t row = 0; row < labels_.size(); ++row) {
        const bool is_own = static_cast<std::size_t>(labels_[row]) == c;
        wrong.of_rows.push_back(is_own ? wrong.own : wrong.others);
        const std::int64_t weighted = weights_[row] * wrong.of_rows.back();
        for (std::size_t column = 0; column < n_columns_; ++column)
            wrong.in_cells[static_cast<std::size_t>(cell_of_[row * n_columns_ + column])] +=
                weighted;
    }
}

BoostedTrees::Leaf BoostedTrees::root() const {
    Leaf all;
    all.rows.resize(labels_.size());
    std::iota(all.rows.begin(), all.rows.end(), 0);
    for (std::size_t cell = 0; cell < cell_weight_.size(); ++cell) {
        all.cells.push_back(cell_weight_[cell]);
        for (const std::size_t c : looked_at_) all.cells.push_back(wrong_[c].in_cells[cell]);
    }
    all.total.assign(looked_at_.size() + 1, 0);
    for (std::size_t row = 0; row < labels_.size(); ++row) {
        all.total[0] += weights_[row];
        for (std::size_t place = 0; place < looked_at_.size(); ++place)
            all.total[place + 1] += weights_[row] * wrong_[looked_at_[place]].of_rows[row];
    }
    return finished(std::move(all));
}

/// The leaf with the condition that tells best what is wrong about its rows.
BoostedTrees::Leaf BoostedTrees::finished(Leaf leaf) const {
    const std::size_t width = leaf.total.size();
    const double least = least_share * static_cast<double>(total_weight_);
    const double before = explained(leaf.total);
    Sums inside(width), outside(width);
    for (std::size_t k = 0; k < cells_holding_.size(); ++k) {
        std::fill(inside.begin(), inside.end(), 0);
        for (const std::int32_t cell : cells_holding_[k])
            for (std::size_t place = 0; place < width; ++place)
                inside[place] += leaf.cells[static_cast<std::size_t>(cell) * width + place];
        for (std::size_t place = 0; place < width; ++place)
            outside[place] = leaf.total[place] - inside[place];
        if (static_cast<double>(std::min(inside[0], outside[0])) < least) continue;
        const double gain = explained(inside) + explained(outside) - before;
        if (gain <= leaf.gain) continue;
        leaf.gain = gain;
        leaf.condition = static_cast<std::int32_t>(k);
    }
    return leaf;
}

/// The side of fewer rows is counted, the other is the difference.
void BoostedTrees::divide(Leaf leaf, std::vector<Leaf>& leaves) const {
    Leaf few, many;
    for (const std::int32_t row : leaf.rows)
        (holds(leaf.condition, row) ? few : many).rows.push_back(row);
    if (few.rows.size() > many.rows.size()) std::swap(few, many);
    count(few);
    many.cells = std::move(leaf.cells);
    many.total = std::move(leaf.total);
    for (std::size_t k = 0; k < many.cells.size(); ++k) many.cells[k] -= few.cells[k];
    for (std::size_t k = 0; k < many.total.size(); ++k) many.total[k] -= few.total[k];
    leaves.push_back(finished(std::move(few)));
    leaves.push_back(finished(std::move(many)));
}

void BoostedTrees::count(Leaf& leaf) const {
    const std::size_t width = looked_at_.size() + 1;
    leaf.cells.assign(cell_weight_.size() * width, 0);
    leaf.total.assign(width, 0);
    Sums sums(width);
    for (const std::int32_t one : leaf.rows) {
        const auto row = static_cast<std::size_t>(one);
        sums[0] = weights_[row];
        for (std::size_t place = 1; place < width; ++place)
            sums[place] = weights_[row] * wrong_[looked_at_[place - 1]].of_rows[row];
        const std::int32_t* cells = cell_of_.data() + row * n_columns_;
        for (std::size_t column = 0; column < n_columns_; ++column) {
            std::int64_t* in_cell =
                leaf.cells.data() + static_cast<std::size_t>(cells[column]) * width;
            for (std::size_t place = 0; place < width; ++place) in_cell[place] += sums[place];
        }
        for (std::size_t place = 0; place < width; ++place) leaf.total[place] += sums[place];
    }
}

/// Takes off the residuals of each leaf's rows the same whole number; so what cells hold is known
/// without counting rows again.
void BoostedTrees::correct(const std::vector<Leaf>& leaves) {
    const std::size_t width = looked_at_.size() + 1;
    for (std::size_t place = 1; place < width; ++place) {
        Wrong& wrong = wrong_[looked_at_[place - 1]];
        for (const Leaf& leaf : leaves) {
            const double mean = static_cast<double>(leaf.total[place]) /
                                static_cast<double>(std::max<std::int64_t>(leaf.total[0], 1));
            const auto step = static_cast<std::int32_t>(std::lrint(rate * mean));
            for (const std::int32_t row : leaf.rows)
                wrong.of_rows[static_cast<std::size_t>(row)] -= step;
            for (std::size_t cell = 0; cell < wrong.in_cells.size(); ++cell)
                wrong.in_cells[cell] -= leaf.cells[cell * width] * step;
        }
        wrong.size = 0;
        for (std::size_t row = 0; row < labels_.size(); ++row)
            wrong.size += weights_[row] * std::abs(wrong.of_rows[row]);
    }
}

bool BoostedTrees::holds(std::int32_t condition, std::int32_t row) const {
    const auto k = static_cast<std::size_t>(condition), i = static_cast<std::size_t>(row);
    return (bits_[k * words_ + i / 64] >> (i % 64)) & 1;
}

}  // namespace samrule
