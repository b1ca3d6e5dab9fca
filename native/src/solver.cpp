#include "samrule/solver.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <mutex>
#include <new>
#include <numeric>

#include "conjunction_search.hpp"
#include "cost.hpp"
#include "levels.hpp"
#include "local_search.hpp"
#include "priced_search.hpp"
#include "samrule/instance.hpp"
#include "search.hpp"
#include "state.hpp"
#include "watch.hpp"
#include "wide.hpp"

namespace samrule {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
}

/// One run of the solver: builds the instance and searches on its own threads, watched by the
/// calling one.
class Run {
  public:
    Run(const Table& table, const Options& options)
        : table_(table),
          options_(options),
          start_(Clock::now()),
          stop_(options.work_limit),
          pricing_(options, table.n_classes, total_weight()),
          incumbent_(static_cast<double>(total_weight())) {}

    Outcome operator()() {
        run_watched([this] { search_within_memory(); }, stop_, options_.time_limit,
                    [this](double) { return options_.poll && options_.poll(progress()); });
        return std::move(outcome_);
    }

  private:
    void search_within_memory() {
        try {
            search();
        } catch (const std::bad_alloc&) {
            outcome_ = without_search(Status::memory_limit);
        }
    }

    void search() {
        Instance instance;
        const InstanceOptions wanted{
            options_.max_terms,        pricing_.is_error() && options_.min_support == 0,
            options_.memory_limit / 4, &stop_,
            work_of_conjunctions(),    pricing_.class_factors()};
        if (!build_instance(table_, wanted, instance)) {
            outcome_ = without_search(stop_.reason());
            return;
        }
        unavoidable_ = in_weight(instance.unavoidable_errors * unit);
        missing_ = instance.missing;
        Team team(options_.threads);
        State state(instance, options_, pricing_, team, stop_, cache_bytes());
        Search search(state);
        const Shown shown(*this, state, search);
        state.offer(pricing_.group(instance.class_weight).cost, {}, {});
        LocalSearch good_lists(state);
        if (state.uses(Bound::lists))
            good_lists.run(options_.max_rules, [&](std::size_t rules, std::size_t terms,
                                                   std::size_t n_candidates) {
                return work_of_good_lists(rules, terms, n_candidates, instance.words);
            });
        const Prefix& good = good_lists.best(options_.max_rules);
        if (state.uses(Bound::lists) && options_.tolerance == 1 && good.cost > 0) {
            // All that such a tolerance asks for: that no list costs less than nothing.
            stop_.raise(Status::within_tolerance);
            answer(state, good, {});
        } else if (state.uses(Bound::table) && ConjunctionSearch::suits(state)) {
            prove_of_errors(state, good_lists);
        } else if (state.uses(Bound::table) && PricedSearch::suits(state)) {
            prove_at_a_price(state, good_lists);
        } else if (!state.uses(Bound::table) ||
                   WideSearch::needed(instance, options_.memory_limit)) {
            WideSearch wide(state, search);
            WideNode root;
            if (wide.make_root(root)) {
                good_lists.add(simple_list(state, root));
                prove(state, good_lists,
                      {.solve = [&](int rules,
                                    Cost fewer) { return wide.solve(root, rules, {}, fewer); },
                       .first_list =
                           [&](int rules, Cost optimum) {
                               return wide.first_optimal_list(root, rules, {}, optimum);
                           }});
            }
        } else {
            search.know(lists_of(good_lists));
            Node root;
            if (make_root(state, root))
                prove(state, good_lists,
                      {.solve =
                           [&](int rules, Cost fewer) {
                               if (rules > 0) root.learn(rules - 1, fewer);
                               // Of many rules it proves that other lists are worse, not merely
                               // no better: that is little more, and spares much with ties.
                               const Cost slack = rules > leaf_rules + 1 ? 1 : 0;
                               return search.solve(root, rules, {}, slack);
                           },
                       .first_list =
                           [&](int rules, Cost optimum) {
                               return search.first_optimal_list(root, rules, optimum);
                           },
                       .can_skip_levels = true});
        }
        // There was not even memory to begin.
        if (!is_answered_) answer(state, good_lists.best(options_.max_rules), {});
    }

    /// The best list for each number of rules.
    std::vector<std::vector<std::int32_t>> lists_of(const LocalSearch& good_lists) const {
        std::vector<std::vector<std::int32_t>> lists;
        for (int rules = 1; rules <= options_.max_rules; ++rules)
            lists.push_back(good_lists.best(rules).rules);
        lists.erase(std::unique(lists.begin(), lists.end()), lists.end());
        return lists;
    }

    /// A good list of few single conditions, found by a search of its own. With a tolerance it may
    /// be the answer, so one thread looks for it: of equally good lists always the same one.
    Prefix simple_list(const State& state, const WideNode& root) {
        constexpr int most_rules = 5;  // More would take long.
        Team alone(1);
        State few(state.instance, options_, pricing_, alone, stop_, 1 << 16);
        few.offer(pricing_.group(state.instance.class_weight).cost, {}, {});
        Search search(few);
        return WideSearch(few, search)
            .single_conditions(root, std::min(options_.max_rules, most_rules));
    }

    void prove(State& state, const LocalSearch& good_lists, LevelSearch level_search) {
        Levels levels(
            state, good_lists, std::move(level_search),
            {[this](int rules) { start_level(rules); },
             [this](Cost bound) { raise_lower_bound(bound); }, [this] { return seconds(); },
             stop_.is_limited() ? static_cast<double>(options_.work_limit) / operations_per_second
                                : options_.time_limit});
        const Prefix list = levels.run();
        if (levels.within_tolerance() && has_all_candidates()) {
            stop_.raise(Status::within_tolerance);
            lower_bound_.store(levels.wanted_bound());
        }
        answer(state, list, levels.path());
    }

    /// Conjunctions, without a tree.
    void prove_of_errors(State& state, const LocalSearch& good_lists) {
        ConjunctionSearch search(
            state, {[&](Cost bound) { raise_lower_bound(bound); }, [this] { return seconds(); },
                    [&](int rules) { return good_lists.best(rules).cost; }});
        prove(state, good_lists,
              {.solve = [&](int rules, Cost fewer) { return search.solve(rules, fewer); },
               .first_list = [&](int rules, Cost) { return search.first_list(rules); },
               .found_ahead = [&] { return search.found_ahead(); },
               .has_own_ladder = true});
    }

    /// The same for other losses.
    void prove_at_a_price(State& state, const LocalSearch& good_lists) {
        PricedSearch search(state, [&](Cost bound) { raise_lower_bound(bound); });
        prove(state, good_lists,
              {.solve = [&](int rules, Cost fewer) { return search.solve(rules, fewer); },
               .first_list = [&](int rules, Cost) { return search.first_list(rules); },
               .has_own_ladder = true});
    }

    double in_weight(Cost cost) const {
        return static_cast<double>(cost) / static_cast<double>(unit * pricing_.scale());
    }

    /// Since the start; as counted, so that every machine decides alike, if work is limited.
    double seconds() const {
        return stop_.is_limited() ? static_cast<double>(stop_.work()) / operations_per_second
                                  : seconds_since(start_);
    }

    /// Operations that the limits allow: as counted, if work is limited, else as far as time goes.
    double most_work() const {
        return stop_.is_limited() ? static_cast<double>(options_.work_limit)
                                  : options_.time_limit * operations_per_second;
    }

    /// Operations for making conjunctions: at most a quarter of all.
    std::uint64_t work_of_conjunctions() const {
        const double limit = most_work() / 4;
        return limit < static_cast<double>(unlimited_work) ? static_cast<std::uint64_t>(limit)
                                                           : unlimited_work;
    }

    /// Operations for lists of so many rules and terms, and all smaller ones: in proportion to what
    /// the proof is likely to take, and at most half of all.
    double work_of_good_lists(std::size_t rules, std::size_t terms, std::size_t n_candidates,
                              std::size_t words) const {
        constexpr double long_search = 1e10;
        const auto r = static_cast<double>(rules);
        const double share = 0.5 * (r / (r + 1)) * (1 - std::exp2(-static_cast<double>(terms)));
        const auto n = static_cast<double>(n_candidates);
        const double pair_table = n * n * static_cast<double>(words);
        const double tables = rules <= 3   ? 1.0 / 32
                              : rules == 4 ? 1.0 / 8
                              : rules == 5 ? 1
                              : rules == 6 ? 8
                                           : 64;
        // With a tolerance the list found first is likely to be the answer.
        const double care = options_.tolerance > 0 ? 8 : 1;
        // Less is not worth saving, least of all if the list found may be the answer.
        const double quick = std::isfinite(most_work()) ? std::max(1e7, most_work() / 32) : 1e5;
        return std::min(share * std::min(most_work(), long_search),
                        quick + care * tables * pair_table);
    }

    void answer(const State& state, const Prefix& list, const std::vector<Cost>& path) {
        for (const std::int32_t i : list.rules)
            outcome_.rules.push_back(state.instance.terms[static_cast<std::size_t>(i)]);
        for (const Cost cost : path) {
            outcome_.path.push_back(unavoidable_ + in_weight(cost));
            if (!has_all_candidates()) break;  // With rules, longer ones may cost less.
        }
        outcome_.cost = unavoidable_ + in_weight(list.cost);
        outcome_.lower_bound = unavoidable_ + in_weight(lower_bound_.load());
        outcome_.status = reason();
        outcome_.n_nodes = state.n_nodes.load();
        outcome_.work = stop_.work();
        is_answered_ = true;
    }

    /// Whether all conjunctions that may be rules were there; else nothing is proven of them.
    bool has_all_candidates() const { return missing_ == Status::optimal; }

    /// Why the search ended.
    Status reason() const {
        if (stop_.reason() != Status::optimal || has_all_candidates()) return stop_.reason();
        const bool was_time = missing_ == Status::work_limit && !stop_.is_limited();
        return was_time ? Status::time_limit : missing_;
    }

    /// The list without rules, when there was no memory to look for a better one.
    Outcome without_search(Status status) const {
        Outcome outcome;
        const auto factor = [&](std::size_t c) {
            return pricing_.class_factors().empty() ? 1 : pricing_.class_factors()[c];
        };
        std::vector<std::int64_t> weight(static_cast<std::size_t>(table_.n_classes), 0);
        for (std::size_t row = 0; row < table_.n_rows; ++row) {
            const auto c = static_cast<std::size_t>(table_.labels[row]);
            weight[c] += table_.weight(row) * factor(c);
        }
        outcome.cost = in_weight(pricing_.group(weight).cost);
        outcome.status = status;
        return outcome;
    }

    /// Long lists of single conditions have millions of subproblems, and small tables.
    std::size_t cache_bytes() const {
        const bool is_deep = options_.max_rules > 5 && options_.max_terms == 1;
        return std::clamp<std::size_t>(options_.memory_limit / (is_deep ? 2 : 8), 1 << 16,
                                       (is_deep ? 256 : 64) << 20);
    }

    /// How far the search is, for the thread that watches it.
    Progress progress() {
        const std::lock_guard lock(mutex_);
        const double now = seconds_since(start_);
        if (state_ == nullptr) return {incumbent_, shown_bound_, now, share_};
        const double reached = std::min(1.0, search_->share());
        share_ = std::max(share_, share_before_ + level_share_ * reached);
        incumbent_ = std::min(incumbent_, unavoidable_ + in_weight(state_->least_found()));
        shown_bound_ = std::max(shown_bound_, unavoidable_ + in_weight(lower_bound_.load()));
        return {incumbent_, shown_bound_, now, share_};
    }

    std::int64_t total_weight() const {
        return table_.weights.empty()
                   ? static_cast<std::int64_t>(table_.n_rows)
                   : std::accumulate(table_.weights.begin(), table_.weights.end(), INT64_C(0));
    }

    /// Lets the watching thread see the search for the length of a scope.
    class Shown {
      public:
        Shown(Run& run, State& state, Search& search) : run_(run) { show(&state, &search); }
        ~Shown() { show(nullptr, nullptr); }
        Shown(const Shown&) = delete;
        Shown& operator=(const Shown&) = delete;

      private:
        void show(State* state, Search* search) {
            const std::lock_guard lock(run_.mutex_);
            run_.state_ = state;
            run_.search_ = search;
        }
        Run& run_;
    };

    /// Each level is taken to cost this many times as much as the one before.
    static constexpr double growth = 8;

    void start_level(int rules) {
        const std::lock_guard lock(mutex_);
        search_->restart_share();
        share_before_ += level_share_;
        level_share_ = (1 - 1 / growth) * std::pow(growth, rules - options_.max_rules);
    }

    /// It never falls. Only the searching thread calls this.
    void raise_lower_bound(Cost bound) {
        if (has_all_candidates()) lower_bound_.store(std::max(bound, lower_bound_.load()));
    }

    const Table& table_;
    const Options& options_;
    const Clock::time_point start_;
    Outcome outcome_;
    bool is_answered_ = false;
    StopSign stop_;
    const Pricing pricing_;
    std::atomic<Cost> lower_bound_{0};
    double unavoidable_ = 0;
    Status missing_ = Status::optimal;  ///< why some conjunctions are not there

    std::mutex mutex_;  ///< of all that follows
    State* state_ = nullptr;
    Search* search_ = nullptr;
    double incumbent_;
    double shown_bound_ = 0;
    double share_ = 0, share_before_ = 0, level_share_ = 0;
};

}  // namespace

std::string_view to_string(Status status) {
    switch (status) {
        case Status::optimal:
            return "optimal";
        case Status::time_limit:
            return "time_limit";
        case Status::memory_limit:
            return "memory_limit";
        case Status::within_tolerance:
            return "within_tolerance";
        case Status::work_limit:
            return "work_limit";
        default:
            return "interrupted";
    }
}

std::vector<NamedBound> all_bounds() {
    return {{"drop", Bound::drop},
            {"order", Bound::order},
            {"cache", Bound::cache},
            {"sibling", Bound::sibling},
            {"pair", Bound::pair},
            {"triple", Bound::triple},
            {"twins", Bound::twins},
            {"slack", Bound::slack},
            {"table", Bound::table},
            {"survey", Bound::survey},
            {"tree", Bound::tree},
            {"lists", Bound::lists},
            {"cluster", Bound::cluster},
            {"worth", Bound::worth},
            {"insertion", Bound::insertion},
            {"pivots", Bound::pivots},
            {"given_back", Bound::given_back}};
}

Outcome solve(const Table& table, const Options& options) { return Run(table, options)(); }

}  // namespace samrule
