/// The Python face of the native library: converts, checks, releases the GIL, calls one function.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <chrono>
#include <stdexcept>
#include <string>

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

void fill_table(Table& table, const Conditions& conditions, const Labels& labels,
                std::int32_t n_classes, const std::optional<Weights>& weights) {
    table.n_rows = conditions.shape(0);
    table.n_columns = conditions.shape(1);
    table.n_classes = n_classes;
    if (labels.shape(0) != table.n_rows ||
        (weights.has_value() && weights->shape(0) != table.n_rows))
        throw nb::value_error("conditions, labels and weights differ in length");
    table.labels.assign(labels.data(), labels.data() + labels.size());
    for (const std::int32_t label : table.labels)
        if (label < 0 || label >= n_classes) throw nb::value_error("label code out of range");
    if (weights.has_value())
        table.weights.assign(weights->data(), weights->data() + weights->size());
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

Outcome solve(const Table& table, std::int32_t max_rules, std::int32_t max_terms, double rule_cost,
              std::int64_t min_support, double time_limit, std::int64_t memory_limit, int threads,
              const std::string& kernels, const std::vector<std::string>& disabled_bounds,
              std::optional<nb::callable> progress) {
    samrule::Options options;
    options.max_rules = max_rules;
    options.max_terms = max_terms;
    options.rule_cost = rule_cost;
    options.min_support = min_support;
    options.time_limit = time_limit;
    options.memory_limit = static_cast<std::size_t>(memory_limit);
    options.threads = threads;
    options.kernels = samrule::find_kernels(kernels);
    if (options.kernels == nullptr) throw nb::value_error("no such kernels");
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

}  // namespace

NB_MODULE(_core, m) {
    m.doc() = "Native core of samrule: packed tables and the exact search.";

    nb::class_<Table>(m, "Table")
        .def(
            "__init__",
            [](Table* self, const Conditions& conditions, const Labels& labels,
               std::int32_t n_classes, const std::optional<Weights>& weights) {
                Table table;
                fill_table(table, conditions, labels, n_classes, weights);
                new (self) Table(std::move(table));
            },
            "conditions"_a, "labels"_a, "n_classes"_a, "weights"_a = nb::none())
        .def_ro("n_rows", &Table::n_rows)
        .def_ro("n_columns", &Table::n_columns)
        .def_ro("n_classes", &Table::n_classes)
        .def("count", &count, "rules"_a);

    nb::class_<Outcome>(m, "Outcome")
        .def_ro("rules", &Outcome::rules)
        .def_ro("lower_bound", &Outcome::lower_bound)
        .def_prop_ro("status",
                     [](const Outcome& o) { return std::string(samrule::to_string(o.status)); })
        .def_ro("n_nodes", &Outcome::n_nodes)
        .def_ro("path", &Outcome::path);

    m.def("solve", &solve, "table"_a, nb::kw_only(), "max_rules"_a, "max_terms"_a, "rule_cost"_a,
          "min_support"_a, "time_limit"_a, "memory_limit"_a, "threads"_a, "kernels"_a,
          "disabled_bounds"_a, "progress"_a.none());

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
