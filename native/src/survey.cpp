#include "survey.hpp"

#include <algorithm>
#include <atomic>
#include <limits>
#include <numeric>

namespace samrule {
namespace {

template <class Scans>
void charge_scans(State& state, std::size_t entries) {
    state.charge(Work::scanned, entries * Scans::effort);
}

}  // namespace

template <class Scans>
bool SurveyOf<Scans>::start(State& state, const Node& node) {
    const std::size_t n_node = node.size();
    const std::size_t bytes = n_node * padded_size(n_node) * node.n_classes() * sizeof(Count) +
                              n_node * n_node * sizeof(Value);
    if (!state.claim_spare(bytes, claimed_)) return false;
    std::vector<std::int32_t> alive;
    for (std::size_t k = 0; k < n_node; ++k)
        if (!node.is_twin[k]) alive.push_back(static_cast<std::int32_t>(k));
    arrange(node, alive, arrangement_);
    if (!fill(table_, {&node}, arrangement_, state, space_)) return false;
    single_.clear();
    for (std::size_t c = 0; c < table_.n_classes(); ++c) single_.push_back(table_.single(c));
    place_.assign(n_node, -1);
    for (std::size_t k = 0; k < table_.n; ++k)
        place_[static_cast<std::size_t>(table_.source[k])] = static_cast<std::int32_t>(k);
    rest_.assign(table_.n * table_.n, Value{-1});
    return true;
}

/// Lower bound on the cost of one rule and a default after a and b, by the triple bound.
template <class Scans>
auto SurveyOf<Scans>::rest_after(const Scans& scans, std::size_t a, std::size_t b,
                                 Value* costs) const -> Value {
    constexpr std::size_t few = 8;
    const std::size_t n_classes = table_.n_classes();
    const Count* few_rows[2 * few];
    Count few_weights[4 * few];
    std::vector<const Count*> many_rows(n_classes > few ? 2 * n_classes : 0);
    std::vector<Count> many_weights(n_classes > few ? 4 * n_classes : 0);
    const Count** rows = n_classes > few ? many_rows.data() : few_rows;
    Count* weights = n_classes > few ? many_weights.data() : few_weights;
    const Count **with_a = rows, **with_b = rows + n_classes;
    Count *a_weight = weights, *b_weight = weights + n_classes, *both = weights + 2 * n_classes,
          *rest = weights + 3 * n_classes;
    for (std::size_t c = 0; c < n_classes; ++c) {
        with_a[c] = table_.shared(c, a);
        with_b[c] = table_.shared(c, b);
        a_weight[c] = single_[c][a];
        b_weight[c] = single_[c][b];
        both[c] = with_a[c][b];
        rest[c] = static_cast<Count>(table_.class_weight[c] - a_weight[c] - b_weight[c] + both[c]);
    }
    return scans.triple({padded_size(table_.n_last), static_cast<std::int32_t>(n_classes),
                         single_.data(), with_a, with_b, a_weight, b_weight, both, rest},
                        costs);
}

/// The same, remembered: other leaves ask again.
template <class Scans>
auto SurveyOf<Scans>::known_rest_after(State& state, const Scans& scans, std::size_t a,
                                       std::size_t b, Value* costs) -> Value {
    Value& known = rest_[a * table_.n + b];
    Value rest = load_shared(known);
    if (rest < 0) {
        charge_scans<Scans>(state, table_.n_last);
        rest = std::max(Value{0}, rest_after(scans, a, b, costs));
        store_shared(known, rest);
    }
    return rest;
}

/// The work on one leaf. Conditions are numbered as in the survey's table.
template <class Scans>
class SurveyOf<Scans>::Look {
  public:
    Look(SurveyOf& survey, State& state, std::size_t i, const Prefix& prefix, Cost slack,
         Outlook& outlook)
        : survey_(survey),
          table_(survey.table_),
          state_(state),
          i_(static_cast<std::size_t>(survey.place_[i])),
          budget_(state.budget(prefix) + slack + 1),  // worse, not merely no better: see leaf.cpp
          price_(state.rule_cost),
          outlook_(outlook),
          n_classes_(table_.n_classes()),
          scans_(state, std::accumulate(table_.class_weight.begin(), table_.class_weight.end(),
                                        INT64_C(0))),
          costs_(table_.padded, 0),
          worth_(table_.padded, 0),
          after_one_(table_.padded, 0),
          at_least_(table_.padded, std::numeric_limits<Value>::max()),
          scratch_(2 * table_.padded) {}

    void run() {
        outlook_.open = false;
        outlook_.n_leading = 0;
        outlook_.bound = std::numeric_limits<Cost>::max();
        outlook_.leads.assign(survey_.place_.size(), 0);
        outlook_.after_one.assign(survey_.place_.size(), 0);
        const Cost fewer = at_most_two_rules();
        // What is good enough the leaf must find itself.
        if (fewer < budget_)
            outlook_.open = true;
        else
            lower(fewer);
        if (state_.uses(Bound::drop)) drop_conditions(fewer + price_);
        pairs();
    }

  private:
    void lower(Cost bound) { outlook_.bound = std::min(outlook_.bound, bound); }

    /// What the groups of a list of `rules` rules cost from which it is not good enough.
    Total limit(int rules) const { return scans_.limit(budget_ - rules * price_); }

    void lead(std::size_t k) {
        std::uint8_t& leads = outlook_.leads[static_cast<std::size_t>(table_.source[k])];
        outlook_.n_leading += leads == 0;
        leads = 1;
        outlook_.open = true;
    }
    bool leads(std::size_t k) const {
        return outlook_.leads[static_cast<std::size_t>(table_.source[k])] != 0;
    }

    /// Lower bound on the least cost of at most two rules.
    Cost at_most_two_rules() {
        const auto left = [&](std::size_t c) {
            return table_.class_weight[c] - survey_.single_[c][i_];
        };
        Cost least = state_.pricing.group(n_classes_, left).cost;
        charge_scans<Scans>(state_, outlook_.chosen.size() * table_.n_last);
        for (const std::int32_t source : outlook_.chosen) {
            const auto k =
                static_cast<std::size_t>(survey_.place_[static_cast<std::size_t>(source)]);
            const auto taken = [&](std::size_t c) {
                return survey_.single_[c][k] - table_.shared(c, i_)[k];
            };
            const Gain g = state_.pricing.group(n_classes_, taken);
            const Cost rest =
                state_.pricing.group(n_classes_, [&](std::size_t c) { return left(c) - taken(c); })
                    .cost;
            costs_[k] = scans_.value(g.cost);
            worth_[k] = g.worth;
            after_one_[k] = std::max(Value{0}, survey_.rest_after(scans_, i_, k, scratch_.data()));
            outlook_.after_one[static_cast<std::size_t>(source)] = scans_.cost(after_one_[k]);
            const Total two = Total{costs_[k]} + after_one_[k];
            if (two < limit(2))
                lead(k);
            else
                lower(2 * price_ + scans_.cost(two));
            least = std::min({least, price_ + g.cost + rest, 2 * price_ + scans_.cost(two)});
        }
        return least;
    }

    /// The drop bound; what it leaves may be in a pair.
    void drop_conditions(Cost level) {
        std::erase_if(outlook_.chosen, [&](std::int32_t source) {
            const auto k =
                static_cast<std::size_t>(survey_.place_[static_cast<std::size_t>(source)]);
            const Cost with = level - worth_[k];
            if (with < budget_) return false;
            lower(with);
            return true;
        });
    }

    /// Bounds on what each pair can lead to.
    void pairs() {
        for (const std::int32_t source : outlook_.chosen)
            at_least_[static_cast<std::size_t>(survey_.place_[static_cast<std::size_t>(source)])] =
                0;
        std::vector<const Count*> with_i(n_classes_), with_a(n_classes_);
        std::vector<Count> i_weight(n_classes_), a_weight(n_classes_), ia_weight(n_classes_),
            rest(n_classes_);
        const SurveyCosts<Value> costs{scratch_.data(), scratch_.data() + table_.padded};
        std::vector<Value> space(table_.padded);
        const Total limit_of_three = limit(3);
        for (std::size_t a = 0; a < table_.n; ++a) {
            if (at_least_[a] != 0) continue;
            charge_scans<Scans>(state_, 2 * (table_.n - a));
            for (std::size_t c = 0; c < n_classes_; ++c) {
                with_i[c] = table_.shared(c, i_);
                with_a[c] = table_.shared(c, a);
                i_weight[c] = survey_.single_[c][i_];
                a_weight[c] = survey_.single_[c][a];
                ia_weight[c] = with_i[c][a];
                rest[c] = static_cast<Count>(table_.class_weight[c] - i_weight[c] - a_weight[c] +
                                             ia_weight[c]);
            }
            const Total least = scans_.survey(
                {table_.padded, static_cast<std::int32_t>(n_classes_), survey_.single_.data(),
                 with_i.data(), with_a.data(), i_weight.data(), a_weight.data(), ia_weight.data(),
                 rest.data(), costs_.data(), after_one_.data(), at_least_.data(), costs_[a],
                 after_one_[a], a},
                costs);
            if (least >= limit_of_three) {
                lower(3 * price_ + scans_.cost(least));
                continue;
            }
            for (std::size_t b = a + 1; b < table_.n; ++b) {
                if (at_least_[b] != 0 || (leads(a) && leads(b))) continue;
                Total total = Total{costs.first_two[b]} + costs.rest[b];
                if (total < limit_of_three)
                    total = std::max(total, costs.first_two[b] + rest_without_i(a, b, space));
                if (total < limit_of_three) {
                    lead(a);
                    lead(b);
                } else {
                    lower(3 * price_ + scans_.cost(total));
                }
            }
        }
    }

    /// What one rule costs after a and b, less all that i can take from it.
    Total rest_without_i(std::size_t a, std::size_t b, std::vector<Value>& space) const {
        Total taken = 0;
        for (std::size_t c = 0; c < n_classes_; ++c) {
            const std::int64_t i = survey_.single_[c][i_];
            const std::int64_t ia = table_.shared(c, i_)[a], ib = table_.shared(c, i_)[b];
            const std::int64_t ab = table_.shared(c, a)[b];
            const std::int64_t none = table_.class_weight[c] - i - survey_.single_[c][a] -
                                      survey_.single_[c][b] + ia + ib + ab;
            taken += scans_.most(c, i - ia - ib + std::min({ia, ib, ab, none}));
        }
        return survey_.known_rest_after(state_, scans_, a, b, space.data()) - taken;
    }

    SurveyOf& survey_;
    const LeafTable<Count>& table_;
    State& state_;
    const std::size_t i_;
    const Cost budget_;
    const Cost price_;
    Outlook& outlook_;
    const std::size_t n_classes_;
    const Scans scans_;
    std::vector<Value> costs_;  ///< of each condition after i
    std::vector<Cost> worth_;   ///< of each condition after i
    std::vector<Value> after_one_;
    std::vector<Value> at_least_;  ///< 0 for what may be in a pair, as much as fits for the others
    std::vector<Value> scratch_;
};

template <class Scans>
void SurveyOf<Scans>::look(State& state, std::size_t i, const Prefix& prefix, Cost slack,
                           Outlook& outlook) {
    Look(*this, state, i, prefix, slack, outlook).run();
}

template class SurveyOf<ErrorScans<std::int16_t>>;
template class SurveyOf<ErrorScans<std::int32_t>>;
template class SurveyOf<PriceScans>;

}  // namespace samrule
