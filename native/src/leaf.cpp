#include "leaf.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <limits>

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

/// The work on one leaf.
template <class Count>
class Finisher {
  public:
    Finisher(State& state, const LeafPlace& place, LeafTable<Count>& leaf, LeafTable<Count>& spare,
             const Prefix& prefix, Cost slack, const std::vector<Word>& none,
             const Outlook* outlook)
        : state_(state),
          place_(place),
          leaf_(leaf),
          spare_(spare),
          prefix_(prefix),
          slack_(slack),
          none_(none),
          outlook_(outlook),
          price_(state.rule_cost),
          n_classes_(leaf.n_classes()) {
        for (const Count w : leaf.class_weight) weight_ += w;
        read_singles();
    }

    Cost run(int rules, std::vector<Cost>* fewer, std::vector<Cost>* after_first) {
        const auto learn = [&] {
            if (fewer != nullptr) fewer->push_back(bound_);
        };
        Count most = 0;
        for (const Count w : leaf_.class_weight) most = std::max(most, w);
        bound_ = (weight_ - most) * unit;
        state_.offer(prefix_.cost + bound_, prefix_, {});
        learn();
        if (rules == 0) return bound_;
        one_rule();
        learn();
        if (rules == 1) return bound_;
        two_rules();
        learn();
        if (rules == 2) return bound_;
        if (after_first != nullptr) {
            start_after_first(*after_first);
            constexpr int patience = 10'000;
            ties_left_ = patience;
            strict_ = 1;
        }
        if (state_.uses(Bound::drop) && outlook_ == nullptr) drop_conditions(after_first);
        three_rules(after_first);
        learn();
        return bound_;
    }

  private:
    /// Errors from which a list of `rules` rules does not beat the incumbent.
    std::int64_t error_limit(int rules) const { return errors_within(0, rules); }

    /// Errors from which not even a better bound on it is wanted.
    std::int64_t effort_limit(int rules) const { return errors_within(slack_, rules); }

    std::int64_t errors_within(Cost slack, int rules) const {
        const Cost left = state_.budget(prefix_) + slack + strict_ - rules * price_;
        return left <= 0 ? 0 : (left + unit - 1) / unit;
    }

    void lower(Cost value) { lower_to(bound_, value); }

    /// A list was counted exactly. If it is no worse than the incumbent, the leaf's bound can no
    /// longer show that all its lists are worse; bounds of single first rules still can, but
    /// there may be very many ties, so patience is limited.
    void counted(Cost cost) {
        if (cost <= state_.budget(prefix_) && --ties_left_ <= 0) strict_ = 0;
    }
    std::int32_t candidate(std::size_t i) const {
        return place_.node->candidate[static_cast<std::size_t>(leaf_.source[i])];
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
        errors_.assign(leaf_.padded, 0);
        for (std::size_t i = 0; i < leaf_.n; ++i) {
            Count inside = 0, outside = 0, all = 0;
            for (std::size_t c = 0; c < n_classes_; ++c) {
                const Count w = single_[c][i];
                all = static_cast<Count>(all + w);
                inside = std::max(inside, w);
                outside = std::max(outside, static_cast<Count>(leaf_.class_weight[c] - w));
            }
            errors_[i] = static_cast<Count>(all - inside);
            if (!decides_enough(all)) continue;
            const Cost cost = price_ + (weight_ - inside - outside) * unit;
            lower(cost);
            state_.offer(prefix_.cost + cost, prefix_, {candidate(i)});
        }
    }

    void two_rules() {
        after_one_.assign(leaf_.padded, 0);
        std::vector<Count> errors(leaf_.padded);
        std::vector<const Count*> with_i(n_classes_);
        std::vector<Count> rest(n_classes_);
        charge_scans(leaf_.n_rows() * leaf_.n_last);
        for (std::size_t i = 0; i < leaf_.n; ++i) {
            if (!leaf_.leads(i)) {
                after_one_[i] = static_cast<Count>(
                    outlook_->after_one[static_cast<std::size_t>(leaf_.source[i])]);
                continue;
            }
            for (std::size_t c = 0; c < n_classes_; ++c) {
                with_i[c] = leaf_.shared(c, i);
                rest[c] = static_cast<Count>(leaf_.class_weight[c] - single_[c][i]);
            }
            const PairScan<Count> scan{padded_size(leaf_.n_last),
                                       static_cast<std::int32_t>(n_classes_), single_.data(),
                                       with_i.data(), rest.data()};
            after_one_[i] = pair_scan(scan, errors.data());
            const std::int64_t least = errors_[i] + after_one_[i];
            if (least >= error_limit(2))
                lower(2 * price_ + least * unit);
            else if (decides_enough(weight(i)))
                second_rule(i, errors);
        }
    }

    /// Every second rule after i, one by one.
    void second_rule(std::size_t i, const std::vector<Count>& errors) {
        for (std::size_t j = 0; j < leaf_.n_last; ++j) {
            if (!decides_enough(weight(j) - weight_both(i, j))) continue;
            const Cost cost = 2 * price_ + (Cost{errors_[i]} + errors[j]) * unit;
            counted(cost);
            lower(cost);
            state_.offer(prefix_.cost + cost, prefix_, {candidate(i), candidate(j)});
        }
    }

    void read_singles() {
        single_.clear();
        for (std::size_t c = 0; c < n_classes_; ++c) single_.push_back(leaf_.single(c));
    }

    /// The drop bound, now that the best two rules are known: goes on with the conditions that
    /// classify enough correctly.
    void drop_conditions(std::vector<Cost>* after_first) {
        const Cost level = bound_ + price_;
        const Cost limit = level - (state_.budget(prefix_) + slack_ + strict_);
        std::vector<std::uint8_t> keep(leaf_.n, 0);
        std::size_t n_kept = 0;
        Cost with_dropped = std::numeric_limits<Cost>::max();  // of any list that has one
        for (std::size_t i = 0; i < leaf_.n; ++i) {
            Count correct = 0;
            for (std::size_t c = 0; c < n_classes_; ++c) correct = std::max(correct, single_[c][i]);
            keep[i] = correct * unit > limit;
            n_kept += keep[i];
            if (!keep[i]) with_dropped = std::min(with_dropped, level - correct * unit);
        }
        // Copying what is kept must pay for itself.
        if (n_kept * 4 > leaf_.n * 3) return;
        lower(with_dropped);
        if (after_first != nullptr)
            for (std::size_t i = 0; i < leaf_.n; ++i)
                lower_to(after(*after_first, i), with_dropped - price_ - errors_[i] * unit);
        std::vector<std::int32_t> old_source = leaf_.source;
        copy_kept(leaf_, keep, spare_);
        std::swap(leaf_, spare_);
        read_singles();
        errors_.assign(leaf_.padded, 0);
        // What one more rule leaves after each condition is known already; only its place moved.
        std::vector<Count> after_one(leaf_.padded, 0);
        std::size_t n_old = old_source.size();
        std::vector<std::size_t> place_of(place_.node->size(), n_old);
        for (std::size_t k = 0; k < n_old; ++k)
            place_of[static_cast<std::size_t>(old_source[k])] = k;
        for (std::size_t i = 0; i < leaf_.n; ++i) {
            after_one[i] = after_one_[place_of[static_cast<std::size_t>(leaf_.source[i])]];
            Count all = 0, most = 0;
            for (std::size_t c = 0; c < n_classes_; ++c) {
                all = static_cast<Count>(all + single_[c][i]);
                most = std::max(most, single_[c][i]);
            }
            errors_[i] = static_cast<Count>(all - most);
        }
        after_one_ = std::move(after_one);
    }

    void three_rules(std::vector<Cost>* after_first) {
        if (leaf_.n >= shared_scan_size) {
            state_.for_each_step(leaf_.n, [&](std::size_t i) {
                PairSpace space(leaf_.padded, n_classes_);
                if (leaf_.leads(i)) pairs_with(i, space, after_first);
            });
        } else {
            PairSpace space(leaf_.padded, n_classes_);
            for (std::size_t i = 0; i < leaf_.n; ++i)
                if (leaf_.leads(i)) pairs_with(i, space, after_first);
        }
    }

    void start_after_first(std::vector<Cost>& after_first) {
        after_first.assign(place_.node->size(), 0);
        for (std::size_t i = 0; i < leaf_.n; ++i) {
            Count left = 0, most = 0;
            for (std::size_t c = 0; c < n_classes_; ++c) {
                const auto w = static_cast<Count>(leaf_.class_weight[c] - single_[c][i]);
                left = static_cast<Count>(left + w);
                most = std::max(most, w);
            }
            after(after_first, i) =
                std::min(Cost{left - most} * unit, price_ + after_one_[i] * unit);
        }
    }

    Cost& after(std::vector<Cost>& after_first, std::size_t i) const {
        return after_first[static_cast<std::size_t>(leaf_.source[i])];
    }

    /// What one thread needs while it pairs a condition with the others.
    struct PairSpace {
        std::vector<Count> rows;     ///< five rows of `padded`
        std::vector<Count> weights;  ///< four numbers per class
        std::vector<const Count*> pointers;
        const Count** with_i;
        const Count** with_j;
        Count *i_weight, *j_weight, *ij_weight, *rest;
        OrderCosts<Count> order;
        Count* errors;
        std::size_t n_scans = 0, n_counted = 0;  ///< of third rules

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
            errors = rows.data() + 4 * padded;
        }
    };

    /// Lists that start with conditions i and j > i, in the cheaper order, and end with any l.
    void pairs_with(std::size_t i, PairSpace& space, std::vector<Cost>* after_first) {
        for (std::size_t c = 0; c < n_classes_; ++c) {
            space.with_i[c] = leaf_.shared(c, i);
            space.i_weight[c] = single_[c][i];
        }
        const OrderCosts<Count>& order = space.order;
        charge_scans(leaf_.n - i);
        const std::int64_t least = order_scan(
            {leaf_.padded, static_cast<std::int32_t>(n_classes_), single_.data(), space.with_i,
             space.i_weight, errors_.data(), after_one_.data(), errors_[i], after_one_[i], i},
            order);
        const bool bounded = state_.uses(Bound::pair);
        if (bounded && after_first == nullptr && least >= effort_limit(3)) {
            lower(3 * price_ + least * unit);
            return;
        }
        std::int64_t limit = effort_limit(3);
        constexpr std::int64_t none = std::numeric_limits<Count>::max();
        std::int64_t beyond = none;  // the least total of pairs that are not looked at
        for (std::size_t j = i + 1; j < leaf_.n; ++j) {
            if (!leaf_.leads(j)) continue;
            if (bounded && after_first == nullptr && order.total[j] >= limit) {
                beyond = std::min<std::int64_t>(beyond, order.total[j]);
                continue;
            }
            const std::int64_t first_two = std::min(order.i_first[j], order.j_first[j]);
            std::int64_t rest = bounded ? order.rest[j] : 0;
            // Once stopped, the bound from pairs alone still holds.
            if (first_two + rest < limit && !state_.stopped()) {
                rest = third_rule(i, j, rest, space);
                limit = effort_limit(3);
            }
            lower(3 * price_ + (first_two + rest) * unit);
            if (after_first != nullptr) {
                lower_to(after(*after_first, i),
                         2 * price_ + (order.i_first[j] - errors_[i] + rest) * unit);
                lower_to(after(*after_first, j),
                         2 * price_ + (order.j_first[j] - errors_[j] + rest) * unit);
            }
        }
        if (beyond < none) lower(3 * price_ + beyond * unit);
        charge_thirds(space);
    }

    void charge_scans(std::size_t entries) {
        state_.charge(Work::scanned, entries * sizeof(Count) / sizeof(std::int16_t));
    }
    void charge_thirds(PairSpace& space) {
        charge_scans(space.n_scans * leaf_.n_last);
        state_.charge(Work::row_word, space.n_counted * place_.node->rows.words);
        space.n_scans = space.n_counted = 0;
    }

    /// Least errors of a third rule and a default after i and j, or a lower bound on them that
    /// is beyond the limit.
    std::int64_t third_rule(std::size_t i, std::size_t j, std::int64_t known, PairSpace& space) {
        for (std::size_t c = 0; c < n_classes_; ++c) {
            space.with_j[c] = leaf_.shared(c, j);
            space.j_weight[c] = single_[c][j];
            space.ij_weight[c] = space.with_i[c][j];
            space.rest[c] = static_cast<Count>(leaf_.class_weight[c] - space.i_weight[c] -
                                               space.j_weight[c] + space.ij_weight[c]);
        }
        const std::int64_t first_two = std::min(space.order.i_first[j], space.order.j_first[j]);
        ++space.n_scans;
        std::int64_t least =
            triple_scan({padded_size(leaf_.n_last), static_cast<std::int32_t>(n_classes_),
                         single_.data(), space.with_i, space.with_j, space.i_weight, space.j_weight,
                         space.ij_weight, space.rest},
                        space.errors);
        if (!state_.uses(Bound::triple)) {
            std::fill(space.errors, space.errors + leaf_.padded, Count{0});
            least = 0;
        }
        std::int64_t limit = error_limit(3);
        if (first_two + least >= limit) return std::max(least, known);
        least = std::numeric_limits<std::int32_t>::max();
        for (std::size_t l = 0; l < leaf_.n_last; ++l) {
            if (first_two + space.errors[l] >= limit) {
                least = std::min<std::int64_t>(least, space.errors[l]);
            } else {
                ++space.n_counted;
                least = std::min(least, exact_third(i, j, l, space.order, space.rest));
                limit = error_limit(3);
            }
        }
        return least;
    }

    std::int64_t exact_third(std::size_t i, std::size_t j, std::size_t l,
                             const OrderCosts<Count>& order, const Count* rest) {
        std::int64_t decided = 0, inside = 0, outside = 0, all = 0;
        std::array<std::int64_t, 2> pair_counts{};
        std::vector<std::int64_t> many;
        std::int64_t* triple = pair_counts.data();
        if (n_classes_ > 2) {
            many.resize(n_classes_);
            triple = many.data();
        }
        count_triple(i, j, l, triple);
        for (std::size_t c = 0; c < n_classes_; ++c) {
            const std::int64_t taken =
                single_[c][l] - leaf_.shared(c, i)[l] - leaf_.shared(c, j)[l] + triple[c];
            decided += taken;
            all += rest[c];
            inside = std::max(inside, taken);
            outside = std::max(outside, rest[c] - taken);
        }
        constexpr std::int64_t impossible = std::numeric_limits<std::int32_t>::max();
        if (!decides_enough(decided)) return impossible;
        const std::int64_t errors = all - inside - outside;
        counted(3 * price_ + (std::min(order.i_first[j], order.j_first[j]) + errors) * unit);
        const bool i_before_j =
            decides_enough(weight(i)) && decides_enough(weight(j) - weight_both(i, j));
        const bool j_before_i =
            decides_enough(weight(j)) && decides_enough(weight(i) - weight_both(i, j));
        if (i_before_j)
            state_.offer(prefix_.cost + 3 * price_ + (order.i_first[j] + errors) * unit, prefix_,
                         {candidate(i), candidate(j), candidate(l)});
        if (j_before_i)
            state_.offer(prefix_.cost + 3 * price_ + (order.j_first[j] + errors) * unit, prefix_,
                         {candidate(j), candidate(i), candidate(l)});
        return i_before_j || j_before_i ? errors : impossible;
    }

    /// Class weights of the rows that satisfy all three conditions.
    void count_triple(std::size_t i, std::size_t j, std::size_t l, std::int64_t* triple) const {
        const Node& node = *place_.node;
        const auto column = [&](std::size_t k) {
            return node.column(static_cast<std::size_t>(leaf_.source[k]));
        };
        const Word* excluded = place_.rule == no_rule
                                   ? none_.data()
                                   : node.column(static_cast<std::size_t>(place_.rule));
        for (const Segment& s : node.rows.segments)
            triple[s.klass] += state_.kernels.count_and3_not(
                                   column(i) + s.first_word, column(j) + s.first_word,
                                   column(l) + s.first_word, excluded + s.first_word, s.n_words) *
                               s.weight;
    }

    Count pair_scan(const PairScan<Count>& scan, Count* errors) const {
        if constexpr (sizeof(Count) == 2)
            return state_.kernels.pair_scan16(scan, errors);
        else
            return state_.kernels.pair_scan32(scan, errors);
    }
    Count order_scan(const OrderScan<Count>& scan, const OrderCosts<Count>& out) const {
        if constexpr (sizeof(Count) == 2)
            return state_.kernels.order_scan16(scan, out);
        else
            return state_.kernels.order_scan32(scan, out);
    }
    Count triple_scan(const TripleScan<Count>& scan, Count* errors) const {
        if constexpr (sizeof(Count) == 2)
            return state_.kernels.triple_scan16(scan, errors);
        else
            return state_.kernels.triple_scan32(scan, errors);
    }

    State& state_;
    const LeafPlace& place_;
    LeafTable<Count>& leaf_;
    LeafTable<Count>& spare_;
    const Prefix& prefix_;
    const Cost slack_;
    const std::vector<Word>& none_;
    const Outlook* const outlook_;
    const Cost price_;
    const std::size_t n_classes_;
    std::int64_t weight_ = 0;
    std::vector<const Count*> single_;
    std::vector<Count> errors_;     ///< of each condition as first rule
    std::vector<Count> after_one_;  ///< least errors of one rule and a default after each
    Cost bound_ = 0;

    /// One while the leaf tries to prove that its lists are worse than the incumbent, not merely
    /// no better: that is little more work here, and spares much when ties are broken.
    std::atomic<Cost> strict_{1};
    std::atomic<int> ties_left_{1};
};

template <class Count>
Cost finish_with(State& state, const LeafPlace& place, const std::vector<std::int32_t>& chosen,
                 int rules, const Prefix& prefix, Cost slack, LeafSpace& space,
                 std::vector<Cost>* fewer, std::vector<Cost>* after_first, const Outlook* outlook) {
    auto [leaf, spare] = tables_of<Count>(space);
    // A single rule needs no pair counts, and no complement but for its support: nobody leads.
    const bool single = rules < 2 && state.options.min_support == 0;
    const std::vector<std::uint8_t> nobody(single ? place.node->size() : 0, 0);
    arrange(*place.node, chosen, space.arrangement,
            single               ? &nobody
            : outlook == nullptr ? nullptr
                                 : &outlook->leads);
    const std::size_t n = chosen.size();
    const std::size_t bytes = 2 * place.node->n_classes() * n * padded_size(n) * sizeof(Count);
    if (!state.claim(bytes, space.claimed) ||
        !fill(leaf, place, space.arrangement, state, space.counting))
        return 0;
    if (place.rule == no_rule) space.none.assign(place.node->rows.words, 0);
    Finisher<Count> finisher(state, place, leaf, spare, prefix, slack, space.none, outlook);
    return finisher.run(rules, fewer, after_first);
}

}  // namespace

Cost finish(State& state, const LeafPlace& place, const std::vector<std::int32_t>& chosen,
            int rules, const Prefix& prefix, Cost slack, LeafSpace& space, std::vector<Cost>* fewer,
            std::vector<Cost>* after_first, const Outlook* outlook) {
    state.n_nodes.fetch_add(1, std::memory_order_relaxed);
    const Node& node = *place.node;
    const std::int64_t covered =
        place.rule == no_rule ? 0 : gain(node, static_cast<std::size_t>(place.rule)).weight;
    const bool narrow = node.weight - covered <= narrow_limit;
    return narrow ? finish_with<std::int16_t>(state, place, chosen, rules, prefix, slack, space,
                                              fewer, after_first, outlook)
                  : finish_with<std::int32_t>(state, place, chosen, rules, prefix, slack, space,
                                              fewer, after_first, outlook);
}

}  // namespace samrule
