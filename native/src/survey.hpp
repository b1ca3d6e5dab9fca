/// What a node knows of its leaves before anything is counted in them.
#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

#include "leaf_table.hpp"
#include "node.hpp"
#include "scans.hpp"
#include "state.hpp"

namespace samrule {

/// Which of a leaf's conditions need rows of its pair table.
struct Outlook {
    std::vector<std::uint8_t> leads;   ///< of each of the node's conditions: may it lead?
    std::vector<std::int32_t> chosen;  ///< those that may be in the list at all
    /// Of each of the node's conditions: lower bound on the cost of one rule and a default after
    /// it.
    std::vector<Cost> after_one;
    std::size_t n_leading = 0;
    bool open = false;  ///< false if no list in the leaf can be good enough
    Cost bound = 0;     ///< on the lists that the leaf need not look at
};

/// The survey of the leaves of one node, each after one of the node's conditions and with three
/// rules to place. May be used by several threads at once.
template <class Scans>
class SurveyOf {
    using Count = typename Scans::Count;
    using Value = typename Scans::Value;
    using Total = typename Scans::Total;

  public:
    /// False if there is no memory for it or the search was stopped.
    bool start(State& state, const Node& node);

    /// Looks at the leaf after rule i. `outlook.chosen` holds the conditions to choose from, and
    /// receives those that the drop bound leaves.
    void look(State& state, std::size_t i, const Prefix& prefix, Cost slack, Outlook& outlook);

  private:
    class Look;
    Value rest_after(const Scans& scans, std::size_t a, std::size_t b, Value* costs) const;
    Value known_rest_after(State& state, const Scans& scans, std::size_t a, std::size_t b,
                           Value* costs);

    LeafTable<Count> table_;            ///< of the node, all of its conditions
    std::vector<const Count*> single_;  ///< one row per class
    std::vector<std::int32_t> place_;   ///< of each of the node's conditions in the table
    std::vector<Value> rest_;           ///< known_rest_after, n x n; -1 until known
    Arrangement arrangement_;
    Workspace space_;
    std::size_t claimed_ = 0;  ///< bytes
};

/// Errors in 16 bits where the node's weight allows, or another price.
class Survey {
    template <class Call>
    auto with(const Call& call) {
        return !is_error_ ? call(priced_) : is_narrow_ ? call(narrow_) : call(wide_);
    }

  public:
    bool start(State& state, const Node& node) {
        is_error_ = state.pricing.is_error();
        is_narrow_ = node.weight <= narrow_limit;
        last_paid_ = true;
        n_asked_ = 1;
        return with([&](auto& survey) { return survey.start(state, node); });
    }
    void look(State& state, std::size_t i, const Prefix& prefix, Cost slack, Outlook& outlook) {
        const std::size_t n_conditions = outlook.chosen.size();
        with([&](auto& survey) { survey.look(state, i, prefix, slack, outlook); });
        // Measured: a look pays for itself if it spares about two fifths of the conditions.
        last_paid_.store(5 * outlook.n_leading < 3 * n_conditions, std::memory_order_relaxed);
    }

    /// Is a look at one more leaf likely to pay? Neighbouring leaves are much alike; now and then
    /// one is looked at all the same.
    bool is_worthwhile() {
        constexpr std::size_t between_trials = 8;
        return last_paid_.load(std::memory_order_relaxed) ||
               n_asked_.fetch_add(1, std::memory_order_relaxed) % between_trials == 0;
    }

  private:
    bool is_error_ = true;
    bool is_narrow_ = true;
    std::atomic<bool> last_paid_{true};
    std::atomic<std::size_t> n_asked_{1};
    SurveyOf<ErrorScans<std::int16_t>> narrow_;
    SurveyOf<ErrorScans<std::int32_t>> wide_;
    SurveyOf<PriceScans> priced_;
};

}  // namespace samrule
