#include "leaf.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <limits>
#include <numeric>

#include "scans.hpp"

namespace samrule {
namespace {

/// Scans below this many conditions are not worth sharing among threads.
constexpr std::size_t shared_scan_size = 200;

template <class Count>
std::pair<LeafTable<Count>&, LeafTable<Count>&> tables_of(LeafSpace& space) {
    if constexpr (sizeof(Count) == 2)
        return {space.narrow, space.narrow_kept};
    else
        return {space.wide, space.wide_kept};
}

/// The least of many numbers, which come in blocks of a size that compilers vectorize.
template <class Value>
class BlockLeast {
  public:
    static constexpr std::size_t size = 8;

    explicit BlockLeast(Value most) { least_.fill(most); }

    static bool any_below(const Value* values, Value limit) {
        int below = 0;
        for (std::size_t k = 0; k < size; ++k) below |= values[k] < limit ? 1 : 0;
        return below != 0;
    }
    void take(const Value* values) {
        for (std::size_t k = 0; k < size; ++k)
            least_[k] = values[k] < least_[k] ? values[k] : least_[k];
    }
    Value least() const { return *std::min_element(least_.begin(), least_.end()); }

  private:
    std::array<Value, size> least_;
};

/// The work on one leaf.
template <class Scans>
class Finisher {
    using Count = typename Scans::Count;
    using Value = typename Scans::Value;
    using Total = typename Scans::Total;

  public:
    Finisher(State& state, const LeafQuestion& question, LeafTable<Count>& leaf,
             LeafTable<Count>& spare)
        : state_(state),
          question_(question),
          leaf_(leaf),
          spare_(spare),
          prefix_(question.prefix),
          price_(state.rule_cost),
          n_classes_(leaf.n_classes()),
          scans_(state,
                 std::accumulate(leaf.class_weight.begin(), leaf.class_weight.end(), INT64_C(0))) {
        read_singles();
    }

    Cost run() {
        const int rules = question_.rules;
        const auto learn = [&] {
            if (question_.fewer != nullptr) question_.fewer->push_back(bound_);
        };
        bound_ = group([&](std::size_t c) { return leaf_.class_weight[c]; }).cost;
        state_.offer(prefix_.cost + bound_, prefix_, {});
        learn();
        if (rules == 0) return bound_;
        one_rule();
        learn();
        if (rules == 1) return bound_;
        two_rules();
        learn();
        if (rules == 2) return bound_;
        if (question_.after_first != nullptr) {
            start_after_first();
            constexpr int patience = 10'000;
            ties_left_ = patience;
            strict_ = 1;
        }
        if (state_.uses(Bound::drop) && question_.outlook == nullptr) drop_conditions();
        three_rules();
        learn();
        return bound_;
    }

  private:
    /// What the groups of a list cost together from which it does not beat the incumbent.
    Total cost_limit(int rules) const { return cost_within(0, rules); }

    /// From which not even a better bound on it is wanted.
    Total effort_limit(int rules) const {
        const Total limit = cost_within(question_.slack, rules);
        return question_.counted ? std::min(limit, scans_.limit(bound_ - rules * price_)) : limit;
    }

    /// From which third rules need not be counted.
    Total count_limit() const { return question_.counted ? effort_limit(3) : cost_limit(3); }

    Total cost_within(Cost slack, int rules) const {
        return scans_.limit(state_.budget(prefix_) + slack + strict_ - rules * price_);
    }

    template <class WeightOfClass>
    Gain group(const WeightOfClass& weight_of) const {
        return state_.pricing.group(n_classes_, weight_of);
    }
    /// Condition i as first rule.
    Gain first(std::size_t i) const {
        return group([&](std::size_t c) { return single_[c][i]; });
    }
    /// Condition j after i.
    Gain second(std::size_t i, std::size_t j) const {
        return group([&](std::size_t c) { return single_[c][j] - leaf_.shared(c, i)[j]; });
    }
    /// The default after i.
    Cost default_after(std::size_t i) const {
        return group([&](std::size_t c) { return leaf_.class_weight[c] - single_[c][i]; }).cost;
    }

    const Node& node() const { return *question_.place.node; }

    void lower(Cost value) { lower_to(bound_, value); }

    /// A list was counted exactly. If it is no worse than the incumbent, the leaf's bound can no
    /// longer show that all its lists are worse; bounds of single first rules still can, but
    /// there may be very many ties, so patience is limited.
    void counted(Cost cost) {
        if (cost <= state_.budget(prefix_) && --ties_left_ <= 0) strict_ = 0;
    }
    std::int32_t candidate(std::size_t i) const {
        return node().candidate[static_cast<std::size_t>(leaf_.source[i])];
    }
    std::int64_t weight(std::size_t i) const {
        std::int64_t w = 0;
        for (std::size_t c = 0; c < n_classes_; ++c) w += single_[c][i];
        return w;
    }
    std::int64_t weight_both(std::size_t i, std::size_t j) const {
        std::int64_t w = 0;
        for (std::size_t c = 0; c < n_classes_; ++c) w += leaf_.shared(c, i)[j];
        return w;
    }
    /// A rule must decide some rows, and at least the least support asked for.
    bool decides_enough(std::int64_t weight) const {
        return weight > 0 && weight >= state_.options.min_support;
    }

    void one_rule() {
        costs_.assign(leaf_.padded, 0);
        for (std::size_t i = 0; i < leaf_.n; ++i) {
            const Gain g = first(i);
            costs_[i] = scans_.value(g.cost);
            if (!decides_enough(g.weight)) continue;
            const Cost cost = price_ + g.cost + default_after(i);
            lower(cost);
            state_.offer(prefix_.cost + cost, prefix_, {candidate(i)});
        }
    }

    void two_rules() {
        after_one_.assign(leaf_.padded, 0);
        std::vector<Value> costs(leaf_.padded);
        std::vector<const Count*> with_i(n_classes_);
        std::vector<Count> rest(n_classes_);
        charge_scans(leaf_.n_rows() * leaf_.n_last);
        for (std::size_t i = 0; i < leaf_.n; ++i) {
            if (!leaf_.leads(i)) {
                after_one_[i] = scans_.value(
                    question_.outlook->after_one[static_cast<std::size_t>(leaf_.source[i])]);
                continue;
            }
            for (std::size_t c = 0; c < n_classes_; ++c) {
                with_i[c] = leaf_.shared(c, i);
                rest[c] = static_cast<Count>(leaf_.class_weight[c] - single_[c][i]);
            }
            const PairScan<Count> scan{padded_size(leaf_.n_last),
                                       static_cast<std::int32_t>(n_classes_), single_.data(),
                                       with_i.data(), rest.data()};
            after_one_[i] = scans_.pair(scan, costs.data());
            const Total least = Total{costs_[i]} + after_one_[i];
            if (least >= cost_limit(2))
                lower(2 * price_ + scans_.cost(least));
            else if (decides_enough(weight(i)))
                second_rule(i, costs);
        }
    }

    /// Every second rule after i, one by one.
    void second_rule(std::size_t i, const std::vector<Value>& costs) {
        for (std::size_t j = 0; j < leaf_.n_last; ++j) {
            if (!decides_enough(weight(j) - weight_both(i, j))) continue;
            const Total both = Total{costs_[i]} + costs[j];
            if (both >= cost_limit(2)) {
                lower(2 * price_ + scans_.cost(both));
                continue;
            }
            const Cost cost = 2 * price_ + exact_two(i, j, both);
            counted(cost);
            lower(cost);
            state_.offer(prefix_.cost + cost, prefix_, {candidate(i), candidate(j)});
        }
    }

    /// Cost of i, j and the default, which a scan took for `roughly`.
    Cost exact_two(std::size_t i, std::size_t j, Total roughly) const {
        if constexpr (Scans::is_exact) return scans_.cost(roughly);
        const Cost rest = state_.pricing.rule_and_default(
            n_classes_, [&](std::size_t c) { return leaf_.class_weight[c] - single_[c][i]; },
            [&](std::size_t c) { return single_[c][j] - leaf_.shared(c, i)[j]; });
        return first(i).cost + rest;
    }

    void read_singles() {
        single_.clear();
        for (std::size_t c = 0; c < n_classes_; ++c) single_.push_back(leaf_.single(c));
    }

    /// The drop bound, now that the best two rules are known: goes on with the conditions that are
    /// worth enough.
    void drop_conditions() {
        const Cost level = bound_ + price_;
        const Cost limit = level - (state_.budget(prefix_) + question_.slack + strict_);
        std::vector<std::uint8_t> keep(leaf_.n, 0);
        std::size_t n_kept = 0;
        Cost with_dropped = std::numeric_limits<Cost>::max();  // of any list that has one
        for (std::size_t i = 0; i < leaf_.n; ++i) {
            const Cost worth = first(i).worth;
            keep[i] = worth > limit;
            n_kept += keep[i];
            if (!keep[i]) with_dropped = std::min(with_dropped, level - worth);
        }
        // Copying what is kept must pay for itself.
        if (n_kept * 4 > leaf_.n * 3) return;
        lower(with_dropped);
        if (question_.after_first != nullptr)
            for (std::size_t i = 0; i < leaf_.n; ++i)
                lower_to(after_first(i), with_dropped - price_ - first(i).cost);
        const std::vector<std::int32_t> old_source = leaf_.source;
        copy_kept(leaf_, keep, spare_);
        std::swap(leaf_, spare_);
        read_singles();
        // What is known of each condition only moved to another place.
        std::vector<std::size_t> place_of(node().size(), 0);
        for (std::size_t k = 0; k < old_source.size(); ++k)
            place_of[static_cast<std::size_t>(old_source[k])] = k;
        std::vector<Value> costs(leaf_.padded, 0), after_one(leaf_.padded, 0);
        for (std::size_t i = 0; i < leaf_.n; ++i) {
            const std::size_t old = place_of[static_cast<std::size_t>(leaf_.source[i])];
            costs[i] = costs_[old];
            after_one[i] = after_one_[old];
        }
        costs_ = std::move(costs);
        after_one_ = std::move(after_one);
    }

    void three_rules() {
        if (leaf_.n >= shared_scan_size) {
            state_.for_each_step(leaf_.n, [&](std::size_t i) {
                PairSpace space(leaf_.padded, n_classes_);
                if (leaf_.leads(i)) pairs_with(i, space);
            });
        } else {
            PairSpace space(leaf_.padded, n_classes_);
            for (std::size_t i = 0; i < leaf_.n; ++i)
                if (leaf_.leads(i)) pairs_with(i, space);
        }
    }

    void start_after_first() {
        question_.after_first->assign(node().size(), 0);
        for (std::size_t i = 0; i < leaf_.n; ++i)
            after_first(i) = std::min(default_after(i), price_ + scans_.cost(after_one_[i]));
    }

    Cost& after_first(std::size_t i) const {
        return (*question_.after_first)[static_cast<std::size_t>(leaf_.source[i])];
    }

    /// What one thread needs while it pairs a condition with the others.
    struct PairSpace {
        std::vector<Value> rows;     ///< five rows of `padded`
        std::vector<Count> weights;  ///< four numbers per class
        std::vector<const Count*> pointers;
        const Count** with_i;
        const Count** with_j;
        Count *i_weight, *j_weight, *ij_weight, *rest;
        OrderCosts<Value> order;
        Value* costs;
        std::vector<Word> both;                     ///< rows of the leaf that satisfy i and j
        Cost exact_i_first = 0, exact_j_first = 0;  ///< cost of both, i or j first
        std::size_t n_scans = 0, n_counted = 0;     ///< of third rules

        PairSpace(std::size_t padded, std::size_t n_classes)
            : rows(5 * padded), weights(4 * n_classes), pointers(2 * n_classes) {
            with_i = pointers.data();
            with_j = with_i + n_classes;
            i_weight = weights.data();
            j_weight = i_weight + n_classes;
            ij_weight = j_weight + n_classes;
            rest = ij_weight + n_classes;
            order = {rows.data(), rows.data() + padded, rows.data() + 2 * padded,
                     rows.data() + 3 * padded};
            costs = rows.data() + 4 * padded;
        }
    };

    /// Lists that start with conditions i and j > i, in the cheaper order, and end with any l.
    void pairs_with(std::size_t i, PairSpace& space) {
        for (std::size_t c = 0; c < n_classes_; ++c) {
            space.with_i[c] = leaf_.shared(c, i);
            space.i_weight[c] = single_[c][i];
        }
        const OrderCosts<Value>& order = space.order;
        charge_scans(leaf_.n - i);
        const Total least = scans_.order(
            {leaf_.padded, static_cast<std::int32_t>(n_classes_), single_.data(), space.with_i,
             space.i_weight, costs_.data(), after_one_.data(), costs_[i], after_one_[i], i},
            order);
        const bool bounded = state_.uses(Bound::pair);
        if (bounded && question_.after_first == nullptr && least >= effort_limit(3)) {
            lower(3 * price_ + scans_.cost(least));
            return;
        }
        Total limit = effort_limit(3);
        constexpr auto none = static_cast<Total>(no_cost);
        Total beyond = none;  // the least total of pairs that are not looked at
        for (std::size_t j = i + 1; j < leaf_.n; ++j) {
            if (!leaf_.leads(j)) continue;
            if (bounded && question_.after_first == nullptr && order.total[j] >= limit) {
                beyond = std::min<Total>(beyond, order.total[j]);
                continue;
            }
            const Total first_two = std::min(order.i_first[j], order.j_first[j]);
            Total rest = bounded ? order.rest[j] : 0;
            // Once stopped, the bound from pairs alone still holds.
            if (first_two + rest < limit && !state_.stopped()) {
                rest = third_rule(i, j, rest, space);
                limit = effort_limit(3);
            }
            lower(3 * price_ + scans_.cost(first_two + rest));
            if (question_.after_first != nullptr) {
                lower_to(after_first(i),
                         2 * price_ + scans_.cost(order.i_first[j] - costs_[i] + rest));
                lower_to(after_first(j),
                         2 * price_ + scans_.cost(order.j_first[j] - costs_[j] + rest));
            }
        }
        if (beyond < none) lower(3 * price_ + scans_.cost(beyond));
        charge_thirds(space);
    }

    void charge_scans(std::size_t entries) {
        state_.charge(Work::scanned, entries * Scans::effort);
    }
    void charge_thirds(PairSpace& space) {
        charge_scans(space.n_scans * leaf_.n_last);
        state_.charge(Work::pair_word, space.n_counted * node().rows.words);
        space.n_scans = space.n_counted = 0;
    }

    /// Least cost of a third rule and a default after i and j, or a lower bound on it that is
    /// beyond the limit.
    Total third_rule(std::size_t i, std::size_t j, Total known, PairSpace& space) {
        for (std::size_t c = 0; c < n_classes_; ++c) {
            space.with_j[c] = leaf_.shared(c, j);
            space.j_weight[c] = single_[c][j];
            space.ij_weight[c] = space.with_i[c][j];
            space.rest[c] = static_cast<Count>(leaf_.class_weight[c] - space.i_weight[c] -
                                               space.j_weight[c] + space.ij_weight[c]);
        }
        const Total first_two = std::min(space.order.i_first[j], space.order.j_first[j]);
        ++space.n_scans;
        Total least =
            scans_.triple({padded_size(leaf_.n_last), static_cast<std::int32_t>(n_classes_),
                           single_.data(), space.with_i, space.with_j, space.i_weight,
                           space.j_weight, space.ij_weight, space.rest},
                          space.costs);
        if (!state_.uses(Bound::triple)) {
            std::fill(space.costs, space.costs + leaf_.padded, Value{0});
            least = 0;
        }
        Total limit = count_limit();
        if (first_two + least >= limit) return std::max(least, known);
        least = static_cast<Total>(no_cost);
        find_both(i, j, space.both);
        ++space.n_counted;
        space.exact_i_first = exact_first_two(i, j, space.order.i_first[j]);
        space.exact_j_first = exact_first_two(j, i, space.order.j_first[j]);
        const auto look_at = [&](std::size_t l) {
            if (first_two + space.costs[l] >= limit) {
                least = std::min<Total>(least, space.costs[l]);
            } else {
                ++space.n_counted;
                least = std::min(least, exact_third(i, j, l, limit - first_two, space));
                limit = count_limit();
            }
        };
        if constexpr (Scans::is_exact) {
            for (std::size_t l = 0; l < leaf_.n_last; ++l) look_at(l);
        } else {
            // Few third rules are open after rough prices: most blocks are passed over at once.
            BlockLeast<Value> closed(static_cast<Value>(no_cost));
            for (std::size_t l = 0; l < leaf_.n_last; l += closed.size) {
                const std::size_t last = std::min(l + closed.size, leaf_.n_last);
                if (last - l < closed.size || closed.any_below(space.costs + l, limit - first_two))
                    for (std::size_t k = l; k < last; ++k) look_at(k);
                else
                    closed.take(space.costs + l);
            }
            least = std::min<Total>(least, closed.least());
        }
        return least;
    }

    /// The same for third rule l, counted; roughly, if that is no less than `room`.
    Total exact_third(std::size_t i, std::size_t j, std::size_t l, Total room,
                      const PairSpace& space) {
        std::array<std::int64_t, 2> pair_counts{};
        std::vector<std::int64_t> many;
        std::int64_t* triple = pair_counts.data();
        if (n_classes_ > 2) {
            many.resize(n_classes_);
            triple = many.data();
        }
        count_triple(space.both, l, triple);
        const auto taken = [&](std::size_t c) {
            return single_[c][l] - leaf_.shared(c, i)[l] - leaf_.shared(c, j)[l] + triple[c];
        };
        if constexpr (!Scans::is_exact)
            if (n_classes_ == 2) {
                const auto p = static_cast<Count>(taken(0)), q = static_cast<Count>(taken(1));
                const Total roughly = scans_.group_of_two(p, q) +
                                      scans_.group_of_two(space.rest[0] - p, space.rest[1] - q);
                if (roughly >= room) return roughly;
            }
        const Gain third = group(taken);
        constexpr auto impossible = static_cast<Total>(no_cost);
        if (!decides_enough(third.weight)) return impossible;
        const Cost rest =
            third.cost + group([&](std::size_t c) { return space.rest[c] - taken(c); }).cost;
        const Cost i_first = space.exact_i_first, j_first = space.exact_j_first;
        counted(3 * price_ + std::min(i_first, j_first) + rest);
        const bool i_before_j =
            decides_enough(weight(i)) && decides_enough(weight(j) - weight_both(i, j));
        const bool j_before_i =
            decides_enough(weight(j)) && decides_enough(weight(i) - weight_both(i, j));
        if (i_before_j)
            state_.offer(prefix_.cost + 3 * price_ + i_first + rest, prefix_,
                         {candidate(i), candidate(j), candidate(l)});
        if (j_before_i)
            state_.offer(prefix_.cost + 3 * price_ + j_first + rest, prefix_,
                         {candidate(j), candidate(i), candidate(l)});
        return i_before_j || j_before_i ? Total{scans_.value(rest)} : impossible;
    }

    /// Cost of i and then j, which a scan took for `roughly`.
    Cost exact_first_two(std::size_t i, std::size_t j, Total roughly) const {
        if constexpr (Scans::is_exact) return scans_.cost(roughly);
        return first(i).cost + second(i, j).cost;
    }

    const Word* column(std::size_t k) const {
        return node().column(static_cast<std::size_t>(leaf_.source[k]));
    }

    /// The rows of the leaf that satisfy i and j.
    void find_both(std::size_t i, std::size_t j, std::vector<Word>& both) const {
        const Word *with_i = column(i), *with_j = column(j);
        const std::size_t words = node().rows.words;
        both.resize(words);
        if (question_.place.rule == no_rule) {
            for (std::size_t w = 0; w < words; ++w) both[w] = with_i[w] & with_j[w];
            return;
        }
        const Word* excluded = node().column(static_cast<std::size_t>(question_.place.rule));
        for (std::size_t w = 0; w < words; ++w) both[w] = with_i[w] & with_j[w] & ~excluded[w];
    }

    /// Class weights of the rows among `both` that satisfy l.
    void count_triple(const std::vector<Word>& both, std::size_t l, std::int64_t* triple) const {
        const Word* with_l = column(l);
        for (const Segment& s : node().rows.segments)
            triple[s.klass] += state_.kernels.count_and(both.data() + s.first_word,
                                                        with_l + s.first_word, s.n_words) *
                               s.weight;
    }

    State& state_;
    const LeafQuestion& question_;
    LeafTable<Count>& leaf_;
    LeafTable<Count>& spare_;
    const Prefix& prefix_;
    const Cost price_;
    const std::size_t n_classes_;
    const Scans scans_;
    std::vector<const Count*> single_;
    std::vector<Value> costs_;      ///< of each condition as first rule
    std::vector<Value> after_one_;  ///< least cost of one rule and a default after each
    Cost bound_ = 0;

    /// One while the leaf tries to prove that its lists are worse than the incumbent, not merely
    /// no better: that is little more work here, and spares much when ties are broken.
    std::atomic<Cost> strict_{1};
    std::atomic<int> ties_left_{1};
};

template <class Scans>
Cost finish_with(State& state, const LeafQuestion& question, LeafSpace& space) {
    using Count = typename Scans::Count;
    auto [leaf, spare] = tables_of<Count>(space);
    const Node& node = *question.place.node;
    // A single rule needs no pair counts, and no complement but for its support: nobody leads.
    const bool single = question.rules < 2 && state.options.min_support == 0;
    const std::vector<std::uint8_t> nobody(single ? node.size() : 0, 0);
    arrange(node, question.chosen, space.arrangement,
            single                        ? &nobody
            : question.outlook == nullptr ? nullptr
                                          : &question.outlook->leads);
    const std::size_t n = question.chosen.size();
    const std::size_t bytes = 2 * node.n_classes() * n * padded_size(n) * sizeof(Count);
    if (!state.claim(bytes, space.claimed) ||
        !fill(leaf, question.place, space.arrangement, state, space.counting))
        return 0;
    return Finisher<Scans>(state, question, leaf, spare).run();
}

}  // namespace

Cost finish(State& state, const LeafQuestion& question, LeafSpace& space) {
    SAMRULE_ASSERT(question.rules >= 0 && question.rules <= leaf_rules);
    state.n_nodes.fetch_add(1, std::memory_order_relaxed);
    const Node& node = *question.place.node;
    const std::int32_t rule = question.place.rule;
    const std::int64_t covered =
        rule == no_rule ? 0 : gain(state.pricing, node, static_cast<std::size_t>(rule)).weight;
    const auto with = !state.pricing.is_error() ? finish_with<PriceScans>
                      : node.weight - covered <= narrow_limit
                          ? finish_with<ErrorScans<std::int16_t>>
                          : finish_with<ErrorScans<std::int32_t>>;
    return with(state, question, space);
}

}  // namespace samrule
