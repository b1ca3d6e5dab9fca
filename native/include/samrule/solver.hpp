/// The exact solver: least cost of what the rules decide + rule_cost * rules over all rule lists,
/// with proof.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <stdexcept>
#include <string_view>
#include <vector>

#include "samrule/kernels.hpp"
#include "samrule/stop_sign.hpp"
#include "samrule/table.hpp"

namespace samrule {

std::string_view to_string(Status status);

/// The ideas that prune the search; each can be switched off to test that none is wrong.
enum class Bound : std::uint32_t {
    drop = 1,            ///< a rule must earn more than a list without it would lose
    order = 2,           ///< reach a set of rules by its cheapest order first
    cache = 4,           ///< bounds of subproblems met before
    sibling = 8,         ///< rules that cover nearly the same rows leave nearly the same problem
    pair = 16,           ///< two rules bound what a third can save
    triple = 32,         ///< pair counts bound triple counts
    twins = 64,          ///< conditions that agree on the uncovered rows are one condition
    slack = 128,         ///< prove a little more than needed, to drop more rules later
    table = 256,         ///< pair counts of all candidates are kept (else counted when needed)
    survey = 512,        ///< a node's pair counts bound what its leaves can hold
    tree = 1024,         ///< few candidates are searched as a tree (else as many conjunctions are)
    lists = 2048,        ///< good lists are looked for before anything is proven
    cluster = 4096,      ///< several next rules are refuted together, their rows given away
    worth = 8192,        ///< a rule must earn enough even of what other rules leave it
    insertion = 16384,   ///< lists that err on little are made by inserting rules
    pivots = 32768,      ///< large rules of lists of three are refuted in groups
    given_back = 65536,  ///< what follows rules is bounded by what follows all but one
};

struct NamedBound {
    std::string_view name;
    Bound bound;
};
std::vector<NamedBound> all_bounds();

/// The state of a running search.
struct Progress {
    double incumbent;    ///< cost of the best list so far, in units of weight
    double lower_bound;  ///< no list costs less
    double elapsed;      ///< seconds
    double share;        ///< how much of the search is done; never falls
};

/// The longest lists that can be asked for.
constexpr std::int32_t most_rules = 1000;

/// The system has no thread to give, not even the one that searches.
struct NoThread : std::runtime_error {
    using std::runtime_error::runtime_error;
};

struct Options {
    std::int32_t max_rules = 4;
    std::int32_t max_terms = 1;
    double rule_cost = 0;  ///< price of a rule in units of weight
    /// costs[j * n_classes + k]: cost of a row of class j where k is predicted, in [0, 1]; empty: 1
    /// for every wrong prediction. A group of rows is predicted what costs least.
    std::vector<double> costs;
    /// In [0, 1]: how much of the cost of a group is the Brier score of predicting its class shares
    /// instead, (w - sum of c_j^2 / w) / 2 for weights c_j of the classes and w of all.
    double brier_share = 0;
    std::int64_t min_support = 0;  ///< weight that each rule must decide
    double time_limit = std::numeric_limits<double>::infinity();  ///< seconds
    std::size_t memory_limit = std::size_t{1} << 29;              ///< bytes
    /// Operations to stop after (Work says of what). What is found and proven then is the same
    /// on every machine: steps of the search that learn from each other come one after the other.
    std::uint64_t work_limit = unlimited_work;
    /// The search may stop once no list costs less than (1 - tolerance) of the list found. With 1
    /// nothing is proven, and the path ends with no rules.
    double tolerance = 0;
    int threads = 1;
    const Kernels* kernels = nullptr;
    std::uint32_t disabled_bounds = 0;
    double ladder_after = 0.3;  ///< seconds after which the lower bound is raised in steps
    std::uint64_t tighten_after = 3'000;  ///< subproblems after which prefixes are tightened

    /// Called about twenty times a second on the calling thread; true stops the search.
    std::function<bool(const Progress&)> poll;
};

struct Outcome {
    std::vector<Terms> rules;
    double cost = 0;         ///< of all groups + rule_cost * rules, in units of weight
    double lower_bound = 0;  ///< proven
    Status status = Status::optimal;
    std::uint64_t n_nodes = 0;
    std::uint64_t work = 0;    ///< operations counted, if they are limited
    std::vector<double> path;  ///< path[j]: least cost with at most j rules, as far as proven
};

/// Finds the best rule list of at most max_rules rules of at most max_terms conditions each.
///
/// Preconditions: at least one row and two classes, total weight below 2^30. The result is the
/// same for any number of threads and any kernels if it is optimal; of equally good lists it is
/// the one with fewest rules, then with the smallest conditions in order. With a tolerance, too:
/// the list is one found before the proof, unless there is one cheaper than (1 - tolerance) of it,
/// and then the optimum.
Outcome solve(const Table& table, const Options& options);

}  // namespace samrule
