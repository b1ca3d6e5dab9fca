/// The Python face of the native library: converts, checks, releases the GIL, calls one function.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <chrono>
#include <numeric>
#include <stdexcept>
#include <string>

#include "samrule/boosted_trees.hpp"
#include "samrule/good_lists.hpp"
#include "samrule/packing.hpp"
#include "samrule/segments.hpp"
#include "samrule/solver.hpp"
#include "samrule/table.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using samrule::Outcome;
using samrule::Table;
using samrule::Terms;

namespace {

using Conditions = nb::ndarray<const std::uint8_t, nb::ndim<2>, nb::device::cpu>;
using Labels = nb::ndarray<const std::int32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Weights = nb::ndarray<const std::uint32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

template <class T>
using Values = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Bitsets = nb::ndarray<const samrule::Word, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using OpenCounts = nb::ndarray<std::int64_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Sums = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
template <class T>
using OpenValues = nb::ndarray<T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using OpenStarts = nb::ndarray<std::int32_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using OpenBitsets = nb::ndarray<samrule::Word, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

/// A table with everything but its bits.
Table empty_table(std::size_t n_rows, std::size_t n_columns, const Labels& labels,
                  std::int32_t n_classes, const std::optional<Weights>& weights) {
    if (n_classes < 1 || n_classes > samrule::most_classes)
        throw nb::value_error("number of classes out of range");
    Table table;
    table.n_rows = n_rows;
    table.n_columns = n_columns;
    table.n_classes = n_classes;
    if (labels.shape(0) != table.n_rows ||
        (weights.has_value() && weights->shape(0) != table.n_rows))
        throw nb::value_error("conditions, labels and weights differ in length");
    table.labels.assign(labels.data(), labels.data() + labels.size());
    for (const std::int32_t label : table.labels)
        if (label < 0 || label >= n_classes) throw nb::value_error("label code out of range");
    if (weights.has_value())
        table.weights.assign(weights->data(), weights->data() + weights->size());
    const auto total = std::accumulate(table.weights.begin(), table.weights.end(),
                                       weights.has_value() ? std::uint64_t{0} : n_rows);
    if (total >= samrule::total_weight_limit)
        throw nb::value_error("rows weigh 2**30 or more together");
    return table;
}

Table table_of_bytes(const Conditions& conditions, const Labels& labels, std::int32_t n_classes,
                     const std::optional<Weights>& weights) {
    Table table = empty_table(conditions.shape(0), conditions.shape(1), labels, n_classes, weights);
    std::optional<std::pair<std::size_t, std::size_t>> bad;
    {
        const nb::gil_scoped_release release;
        bad = samrule::pack({conditions.data(), table.n_rows, table.n_columns, conditions.stride(0),
                             conditions.stride(1)},
                            table.bits);
    }
    if (bad.has_value()) {
        const auto message = "not 0 or 1 at row " + std::to_string(bad->first) + ", column " +
                             std::to_string(bad->second);
        throw nb::value_error(message.c_str());
    }
    return table;
}

Table table_of_bits(const Bitsets& bits, std::size_t n_rows, const Labels& labels,
                    std::int32_t n_classes, const std::optional<Weights>& weights) {
    if (bits.shape(1) != samrule::words_for(n_rows))
        throw nb::value_error("bitsets do not have one bit per row");
    Table table = empty_table(n_rows, bits.shape(0), labels, n_classes, weights);
    const nb::gil_scoped_release release;
    table.bits.assign(bits.data(), bits.data() + bits.size());
    samrule::clear_past_end(table);
    return table;
}

std::vector<samrule::CodeRange> code_ranges(const Values<std::uint8_t>& first,
                                            const Values<std::uint8_t>& last,
                                            const OpenBitsets& bits, std::size_t n_rows) {
    if (first.size() != last.size() || bits.shape(0) != first.size() ||
        bits.shape(1) != samrule::words_for(n_rows))
        throw nb::value_error("there must be one bitset per range and one bit per row");
    std::vector<samrule::CodeRange> ranges;
    for (std::size_t k = 0; k < first.size(); ++k)
        ranges.push_back({first.data()[k], last.data()[k]});
    return ranges;
}

template <class T>
void pack_values(const Values<T>& values, const std::optional<Values<std::uint8_t>>& validity,
                 std::size_t first_bit, const Values<T>& at_least, const Values<T>& above,
                 const Values<std::uint8_t>& first, const Values<std::uint8_t>& last,
                 const OpenBitsets& bits) {
    const auto ranges = code_ranges(first, last, bits, values.size());
    if (at_least.size() + above.size() > samrule::most_cuts)
        throw nb::value_error("too many cuts for one pass");
    // Without sums that could wrap around.
    if (validity.has_value() &&
        (first_bit > validity->size() * 8 || values.size() > validity->size() * 8 - first_bit))
        throw nb::value_error("there must be one validity bit per value");
    const nb::gil_scoped_release release;
    samrule::pack_values<T>({values.data(), values.size()},
                            {validity.has_value() ? validity->data() : nullptr, first_bit},
                            {{at_least.data(), at_least.size()}, {above.data(), above.size()}},
                            ranges, *samrule::find_kernels(""), bits.data());
}

void pack_codes(const Values<std::uint8_t>& codes, const Values<std::uint8_t>& first,
                const Values<std::uint8_t>& last, const OpenBitsets& bits) {
    const auto ranges = code_ranges(first, last, bits, codes.size());
    const nb::gil_scoped_release release;
    samrule::pack_codes({codes.data(), codes.size()}, ranges, *samrule::find_kernels(""),
                        bits.data());
}

void add_pair_counts(const Bitsets& sets, const Values<samrule::Word>& within, std::int64_t scale,
                     const OpenCounts& counts) {
    if (sets.shape(1) != within.size() || counts.shape(0) != sets.shape(0) ||
        counts.shape(1) != sets.shape(0))
        throw nb::value_error("there must be one count per pair of sets, and words alike");
    const nb::gil_scoped_release release;
    samrule::add_pair_counts({sets.data(), sets.size()}, sets.shape(1),
                             {within.data(), within.size()}, scale, *samrule::find_kernels(""),
                             {counts.data(), counts.size()});
}

void add_shared_counts(const Bitsets& sets, const Bitsets& others, std::int64_t scale,
                       const OpenCounts& counts) {
    if (sets.shape(1) != others.shape(1) || counts.shape(0) != sets.shape(0) ||
        counts.shape(1) != others.shape(0))
        throw nb::value_error("there must be one count per pair of sets, and words alike");
    const nb::gil_scoped_release release;
    samrule::add_shared_counts({sets.data(), sets.size()}, {others.data(), others.size()},
                               sets.shape(1), scale, *samrule::find_kernels(""),
                               {counts.data(), counts.size()});
}

samrule::RunningSums running_sums(const Sums& sums) {
    if (sums.shape(0) < 2 || sums.shape(1) == 0) throw nb::value_error("there are no values");
    return {{sums.data(), sums.size()}, sums.shape(1)};
}

void best_segments(const Sums& sums, double least, double spread, const OpenValues<double>& worth,
                   const OpenStarts& starts) {
    const samrule::RunningSums column = running_sums(sums);
    if (starts.shape(0) + 1 != worth.size() || starts.shape(1) != sums.shape(0))
        throw nb::value_error("there must be a row of starts per cut, and a worth more");
    const nb::gil_scoped_release release;
    samrule::best_segments(column, {least, spread}, {worth.data(), worth.size()},
                           {starts.data(), starts.size()});
}

void polish_cuts(const Sums& sums, double least, double spread,
                 const OpenValues<std::int64_t>& cuts) {
    const samrule::RunningSums column = running_sums(sums);
    std::int64_t before = 0;
    for (std::size_t k = 0; k < cuts.size(); ++k) {
        if (cuts.data()[k] <= before) throw nb::value_error("cuts are out of order");
        before = cuts.data()[k];
    }
    if (before + 1 >= static_cast<std::int64_t>(sums.shape(0)))
        throw nb::value_error("a cut is out of range");
    const nb::gil_scoped_release release;
    samrule::polish_cuts(column, {least, spread}, {cuts.data(), cuts.size()});
}

samrule::BoostedTrees boosted_trees(const Bitsets& bits, std::size_t n_rows, const Labels& columns,
                                    const Labels& labels, std::int32_t n_classes,
                                    const Values<std::int64_t>& weights) {
    if (bits.shape(1) != samrule::words_for(n_rows))
        throw nb::value_error("bitsets do not have one bit per row");
    if (columns.size() != bits.shape(0) || labels.size() != n_rows || weights.size() != n_rows)
        throw nb::value_error("there must be a column per condition, a class and weight per row");
    std::uint64_t total = 0;
    for (std::size_t row = 0; row < n_rows; ++row) {
        const std::int32_t label = labels.data()[row];
        if (label < 0 || label >= n_classes) throw nb::value_error("label code out of range");
        const std::int64_t weight = weights.data()[row];
        // One after the other, so that no sum wraps around.
        if (weight < 0 || weight > samrule::most_tree_weight ||
            (total += static_cast<std::uint64_t>(weight)) > samrule::most_tree_weight)
            throw nb::value_error("weights out of range");
    }
    if (total == 0) throw nb::value_error("rows weigh nothing");
    const nb::gil_scoped_release release;
    return samrule::BoostedTrees({.bits = {bits.data(), bits.size()},
                                  .n_rows = n_rows,
                                  .columns = {columns.data(), columns.size()},
                                  .labels = {labels.data(), labels.size()},
                                  .n_classes = n_classes,
                                  .weights = {weights.data(), weights.size()}});
}

template <class... T>
void define_pack_values(nb::module_& m) {
    (m.def("pack_values", &pack_values<T>, "values"_a.noconvert(), "validity"_a.none(),
           "first_bit"_a, "at_least"_a.noconvert(), "above"_a.noconvert(), "first"_a.noconvert(),
           "last"_a.noconvert(), "bits"_a.noconvert()),
     ...);
}

std::vector<std::vector<std::int64_t>> count(const Table& table, const std::vector<Terms>& rules) {
    for (const Terms& terms : rules)
        for (const std::int32_t term : terms)
            if (term < 0 || static_cast<std::size_t>(term) >= table.n_columns)
                throw nb::index_error("condition index out of range");
    const nb::gil_scoped_release release;
    return samrule::count_decided(table, rules);
}

std::uint32_t bound_mask(const std::vector<std::string>& names) {
    std::uint32_t mask = 0;
    for (const std::string& name : names) {
        bool found = false;
        for (const auto& [known, bound] : samrule::all_bounds())
            if (known == name) {
                mask |= static_cast<std::uint32_t>(bound);
                found = true;
            }
        if (!found) throw nb::value_error(("no bound is called " + name).c_str());
    }
    return mask;
}

/// What the calling thread does while the search runs: looks for Ctrl-C, reports progress.
class Watcher {
  public:
    explicit Watcher(std::optional<nb::callable> progress) : progress_(std::move(progress)) {}

    /// True if the search should stop. Called without the GIL.
    bool operator()(const samrule::Progress& state) {
        const nb::gil_scoped_acquire acquire;
        if (PyErr_CheckSignals() != 0) {
            // The first Ctrl-C asks for the best list so far, the second for the usual exception.
            if (interrupted_ || !PyErr_ExceptionMatches(PyExc_KeyboardInterrupt))
                error_.emplace();
            else
                PyErr_Clear();
            interrupted_ = true;
        }
        if (progress_.has_value() && !error_.has_value()) {
            try {
                (*progress_)(state.incumbent, state.lower_bound, state.elapsed, state.share);
            } catch (nb::python_error& error) {
                // Ctrl-C may arrive while the callback runs.
                if (!interrupted_ && error.matches(PyExc_KeyboardInterrupt))
                    interrupted_ = true;
                else
                    error_.emplace(std::move(error));
            }
        }
        return interrupted_ || error_.has_value();
    }

    void rethrow() {
        if (error_.has_value()) throw std::move(*error_);
    }

  private:
    std::optional<nb::callable> progress_;
    std::optional<nb::python_error> error_;
    bool interrupted_ = false;
};

std::vector<double> checked_costs(const std::optional<std::vector<double>>& costs,
                                  std::int32_t n_classes) {
    if (!costs.has_value()) return {};
    const auto n = static_cast<std::size_t>(n_classes);
    if (costs->size() != n * n) throw nb::value_error("costs must have a row and column per class");
    for (const double cost : *costs)
        if (!(cost >= 0 && cost <= 1)) throw nb::value_error("costs must be in [0, 1]");
    return *costs;
}

/// What a list is and costs, and the limits of a search, checked. NaN is refused too.
samrule::Options checked_options(const Table& table, std::int32_t max_rules, std::int32_t max_terms,
                                 double rule_cost, std::int64_t min_support, double time_limit,
                                 std::int64_t memory_limit, int threads, const std::string& kernels,
                                 const std::optional<std::vector<double>>& costs,
                                 double brier_share) {
    if (!(max_rules >= 0 && max_rules <= samrule::most_rules))
        throw nb::value_error("max_rules out of range");
    if (!(max_terms >= 1 && static_cast<std::size_t>(max_terms) <= table.n_columns + 1))
        throw nb::value_error("max_terms out of range");
    if (!(rule_cost >= 0)) throw nb::value_error("rule_cost must be 0 or more");
    if (!(min_support >= 0)) throw nb::value_error("min_support must be 0 or more");
    if (!(time_limit >= 0)) throw nb::value_error("time_limit must be 0 or more");
    if (!(memory_limit >= 0)) throw nb::value_error("memory_limit must be 0 or more");
    if (!(brier_share >= 0 && brier_share <= 1)) throw nb::value_error("brier_share out of range");
    samrule::Options options;
    options.costs = checked_costs(costs, table.n_classes);
    options.brier_share = brier_share;
    options.max_rules = max_rules;
    options.max_terms = max_terms;
    options.rule_cost = rule_cost;
    options.min_support = min_support;
    options.time_limit = time_limit;
    options.memory_limit = static_cast<std::size_t>(memory_limit);
    options.threads = threads;
    options.kernels = samrule::find_kernels(kernels);
    if (options.kernels == nullptr) throw nb::value_error("no such kernels");
    return options;
}

Outcome solve(const Table& table, std::int32_t max_rules, std::int32_t max_terms, double rule_cost,
              std::int64_t min_support, double tolerance, double time_limit,
              std::optional<std::uint64_t> work_limit, std::int64_t memory_limit, int threads,
              const std::string& kernels, const std::vector<std::string>& disabled_bounds,
              std::optional<nb::callable> progress, const std::optional<std::vector<double>>& costs,
              double brier_share) {
    samrule::Options options =
        checked_options(table, max_rules, max_terms, rule_cost, min_support, time_limit,
                        memory_limit, threads, kernels, costs, brier_share);
    if (!(tolerance >= 0 && tolerance <= 1)) throw nb::value_error("tolerance out of range");
    options.tolerance = tolerance;
    options.work_limit = work_limit.value_or(samrule::unlimited_work);
    options.disabled_bounds = bound_mask(disabled_bounds);
    Watcher watcher(std::move(progress));
    options.poll = [&](const samrule::Progress& state) { return watcher(state); };
    Outcome outcome;
    {
        const nb::gil_scoped_release release;
        outcome = samrule::solve(table, options);
    }
    watcher.rethrow();
    return outcome;
}

samrule::GoodLists good_lists(const Table& table, std::int32_t max_rules, std::int32_t max_terms,
                              double rule_cost, std::int64_t min_support, double time_limit,
                              std::int64_t memory_limit, int threads, const std::string& kernels,
                              const std::optional<std::vector<double>>& costs, double brier_share,
                              double most_cost, std::size_t most_lists,
                              const std::vector<double>& least_cost,
                              const samrule::ColumnLimits& columns) {
    samrule::GoodListsOptions options;
    options.search =
        checked_options(table, max_rules, max_terms, rule_cost, min_support, time_limit,
                        memory_limit, threads, kernels, costs, brier_share);
    if (!(most_cost >= 0 && most_cost < double(samrule::total_weight_limit)))
        throw nb::value_error("most_cost out of range");
    if (most_lists == 0) throw nb::value_error("most_lists must be 1 or more");
    options.most_cost = most_cost;
    options.most_lists = most_lists;
    options.least_cost = least_cost;
    if (!columns.column_of.empty() && columns.column_of.size() != table.n_columns)
        throw nb::value_error("column_of does not have one column per condition");
    options.columns = columns;
    Watcher watcher(std::nullopt);
    options.search.poll = [&](const samrule::Progress& state) { return watcher(state); };
    samrule::GoodLists found;
    {
        const nb::gil_scoped_release release;
        found = samrule::good_lists(table, options);
    }
    watcher.rethrow();
    return found;
}

}  // namespace

NB_MODULE(_core, m) {
    m.doc() = "Native core of samrule: packed tables and the exact search.";

    nb::exception<samrule::NoThread>(m, "NoThreadError", PyExc_RuntimeError);

    nb::class_<Table>(m, "Table")
        .def(
            "__init__",
            [](Table* self, const Conditions& conditions, const Labels& labels,
               std::int32_t n_classes, const std::optional<Weights>& weights) {
                new (self) Table(table_of_bytes(conditions, labels, n_classes, weights));
            },
            "conditions"_a, "labels"_a, "n_classes"_a, "weights"_a = nb::none())
        .def_static("from_bits", &table_of_bits, "bits"_a.noconvert(), "n_rows"_a, "labels"_a,
                    "n_classes"_a, "weights"_a = nb::none())
        .def_ro("n_rows", &Table::n_rows)
        .def_ro("n_columns", &Table::n_columns)
        .def_ro("n_classes", &Table::n_classes)
        .def("count", &count, "rules"_a);

    define_pack_values<std::int8_t, std::int16_t, std::int32_t, std::int64_t, std::uint8_t,
                       std::uint16_t, std::uint32_t, std::uint64_t, float, double>(m);
    m.def("best_segments", &best_segments, "sums"_a.noconvert(), "least"_a, "spread"_a,
          "worth"_a.noconvert(), "starts"_a.noconvert());
    m.def("polish_cuts", &polish_cuts, "sums"_a.noconvert(), "least"_a, "spread"_a,
          "cuts"_a.noconvert());
    m.def("pack_codes", &pack_codes, "codes"_a.noconvert(), "first"_a.noconvert(),
          "last"_a.noconvert(), "bits"_a.noconvert());

    m.def("add_pair_counts", &add_pair_counts, "sets"_a.noconvert(), "within"_a.noconvert(),
          "scale"_a, "counts"_a.noconvert());

    m.def("add_shared_counts", &add_shared_counts, "sets"_a.noconvert(), "others"_a.noconvert(),
          "scale"_a, "counts"_a.noconvert());

    nb::class_<samrule::BoostedTrees>(m, "BoostedTrees")
        .def(
            "__init__",
            [](samrule::BoostedTrees* self, const Bitsets& bits, std::size_t n_rows,
               const Labels& columns, const Labels& labels, std::int32_t n_classes,
               const Values<std::int64_t>& weights) {
                new (self) samrule::BoostedTrees(
                    boosted_trees(bits, n_rows, columns, labels, n_classes, weights));
            },
            "bits"_a.noconvert(), "n_rows"_a, "columns"_a, "labels"_a, "n_classes"_a, "weights"_a)
        .def("grow", &samrule::BoostedTrees::grow, nb::call_guard<nb::gil_scoped_release>());

    nb::class_<Outcome>(m, "Outcome")
        .def_ro("rules", &Outcome::rules)
        .def_ro("lower_bound", &Outcome::lower_bound)
        .def_prop_ro("status",
                     [](const Outcome& o) { return std::string(samrule::to_string(o.status)); })
        .def_ro("n_nodes", &Outcome::n_nodes)
        .def_ro("work", &Outcome::work)
        .def_ro("path", &Outcome::path);

    m.def("solve", &solve, "table"_a, nb::kw_only(), "max_rules"_a, "max_terms"_a, "rule_cost"_a,
          "min_support"_a, "tolerance"_a, "time_limit"_a, "work_limit"_a.none(), "memory_limit"_a,
          "threads"_a, "kernels"_a, "disabled_bounds"_a, "progress"_a.none(),
          "costs"_a = nb::none(), "brier_share"_a = 0.0);

    nb::class_<samrule::GoodLists>(m, "GoodLists")
        .def_prop_ro("lists",
                     [](const samrule::GoodLists& found) {
                         std::vector<std::pair<std::vector<Terms>, double>> lists;
                         for (const auto& list : found.lists)
                             lists.emplace_back(list.rules, list.cost);
                         return lists;
                     })
        .def_ro("complete_up_to", &samrule::GoodLists::complete_up_to)
        .def_prop_ro("status", [](const samrule::GoodLists& found) {
            return std::string(samrule::to_string(found.status));
        });

    nb::class_<samrule::ColumnLimits>(m, "ColumnLimits")
        .def(
            "__init__",
            [](samrule::ColumnLimits* self, std::vector<std::int32_t> column_of,
               std::int32_t most_columns, std::vector<std::vector<std::int32_t>> apart,
               std::vector<std::pair<std::int32_t, std::int32_t>> most_rules) {
                new (self) samrule::ColumnLimits{std::move(column_of), most_columns,
                                                 std::move(apart), std::move(most_rules)};
            },
            "column_of"_a, "most_columns"_a, "apart"_a, "most_rules"_a);

    m.def("good_lists", &good_lists, "table"_a, nb::kw_only(), "max_rules"_a, "max_terms"_a,
          "rule_cost"_a, "min_support"_a, "time_limit"_a, "memory_limit"_a, "threads"_a,
          "kernels"_a, "costs"_a.none(), "brier_share"_a, "most_cost"_a, "most_lists"_a,
          "least_cost"_a, "columns"_a);

    m.def("kernel_names", [] {
        std::vector<std::string> names;
        for (const auto* set : samrule::available_kernels()) names.emplace_back(set->name);
        return names;
    });
    m.def("bound_names", [] {
        std::vector<std::string> names;
        for (const auto& bound : samrule::all_bounds()) names.emplace_back(bound.name);
        return names;
    });
}
