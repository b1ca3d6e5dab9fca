/// All rule lists that cost no more than so much: the near-optimal ones.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "samrule/solver.hpp"
#include "samrule/table.hpp"

namespace samrule {

/// Which columns lists may use. Each part of a list that obeys obeys, too.
struct ColumnLimits {
    /// The column that each condition of the table asks about; empty: nothing is asked of lists.
    std::vector<std::int32_t> column_of;
    std::int32_t most_columns = INT32_MAX;         ///< in all rules of a list together
    std::vector<std::vector<std::int32_t>> apart;  ///< sets of columns: one of each at most
    /// A column, and how many rules may ask about it.
    std::vector<std::pair<std::int32_t, std::int32_t>> most_rules;
};

struct GoodListsOptions {
    Options search;  ///< what a list is and costs, limits, threads; tolerance and work do not count
    double most_cost = 0;          ///< lists that cost more are not wanted, in units of weight
    std::size_t most_lists = 100;  ///< only the best so many are kept
    /// least_cost[j]: lower bound on the cost of lists with at most j rules, as far as known. The
    /// path of a solved search makes this one much faster.
    std::vector<double> least_cost;
    ColumnLimits columns;  ///< lists that do not keep to them are not wanted
};

struct GoodList {
    std::vector<Terms> rules;
    double cost = 0;
};

struct GoodLists {
    std::vector<GoodList> lists;  ///< least cost first, then fewest rules, smallest conditions
    /// Every list that costs no more than this predicts on all rows what one of `lists` does;
    /// below 0 if nothing is proven.
    double complete_up_to = -1;
    Status status = Status::optimal;
};

/// Finds the lists of at most max_rules rules of at most max_terms conditions each that cost no
/// more than most_cost and keep to the limits on columns: one of each kind.
///
/// Lists are of one kind if they predict the same for every row that weighs anything: the same
/// class, or the same class shares if a part of the cost is their Brier score. Of a kind the
/// cheapest list is returned, and of several the first in the order of `lists`. Preconditions are
/// those of `solve`. What is found does not depend on threads or kernels unless the search was
/// stopped.
GoodLists good_lists(const Table& table, const GoodListsOptions& options);

}  // namespace samrule
