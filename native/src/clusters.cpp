#include "clusters.hpp"

#include <algorithm>
#include <limits>

namespace samrule {

std::vector<Cluster> Clusters::of(const Node& node, std::span<const NextRule> open, int rules,
                                  Cost wanted) const {
    SAMRULE_ASSERT(!node.is_restricted && node.uncovered.size() == state_.instance.words);
    // Where a few in a row found no company, others hardly will.
    constexpr int patience = 4;
    std::vector<std::int64_t> adds(open.size());  // weight that a rule would add to the cluster
    std::vector<std::int64_t> weight(open.size());
    for (std::size_t k = 0; k < open.size(); ++k)
        weight[k] = gain(state_.pricing, node, static_cast<std::size_t>(open[k].rule)).weight;
    std::vector<std::uint8_t> is_taken(open.size(), 0);
    std::vector<Cluster> clusters;
    std::vector<Word> less;
    // Company is what the cluster covers a quarter of already: others give away too much together.
    const auto take_least = [&](const std::vector<std::int64_t>& of, bool as_company) {
        std::size_t least = open.size();
        for (std::size_t k = 0; k < open.size(); ++k) {
            if (is_taken[k] || (as_company && 4 * of[k] > 3 * weight[k])) continue;
            if (least == open.size() || of[k] < of[least]) least = k;
        }
        if (least < open.size()) is_taken[least] = 1;
        return least;
    };
    for (int n_alone = 0; n_alone < patience;) {
        const std::size_t seed = take_least(weight, false);
        if (seed == open.size()) break;
        Cluster cluster{{}, node.uncovered, open[seed].price};
        const auto room_without = [&](const std::vector<Word>& rows, Cost price) {
            return price + known_cost(rows, rules) - wanted;
        };
        const auto add = [&](std::size_t k) {
            const std::int32_t rule = open[k].rule;
            cluster.rules.push_back(rule);
            cluster.price = std::min(cluster.price, open[k].price);
            for (std::size_t j = 0; j < open.size(); ++j) {
                std::int64_t both = 0;
                for (std::size_t c = 0; c < node.n_classes(); ++c)
                    both += node.shared(c, static_cast<std::size_t>(rule))[open[j].rule];
                const std::int64_t more = weight[j] - both;
                adds[j] = cluster.rules.size() == 1 ? more : std::min(adds[j], more);
            }
        };
        add(seed);
        take_away(node, open[seed].rule, cluster.uncovered);
        const Cost room = room_without(cluster.uncovered, cluster.price);
        while (room > 0) {
            state_.charge(Work::entry, 3 * open.size());
            const std::size_t next = take_least(adds, true);
            if (next == open.size()) break;
            less = cluster.uncovered;
            take_away(node, open[next].rule, less);
            if (2 * room_without(less, std::min(cluster.price, open[next].price)) < room) {
                is_taken[next] = 0;
                break;
            }
            add(next);
            cluster.uncovered.swap(less);
        }
        n_alone = cluster.rules.size() == 1 ? n_alone + 1 : 0;
        if (cluster.rules.size() > 1) clusters.push_back(std::move(cluster));
    }
    return clusters;
}

std::vector<Cluster> Clusters::halves(const Node& node, const Cluster& cluster,
                                      std::span<const NextRule> open) const {
    std::vector<Cluster> halves;
    const std::size_t n = cluster.rules.size();
    for (const auto& [first, last] : {std::pair{std::size_t{0}, n / 2}, std::pair{n / 2, n}}) {
        Cluster half{{}, node.uncovered, std::numeric_limits<Cost>::max()};
        for (std::size_t k = first; k < last; ++k) {
            half.rules.push_back(cluster.rules[k]);
            take_away(node, cluster.rules[k], half.uncovered);
            for (const NextRule& next : open)
                if (next.rule == cluster.rules[k]) half.price = std::min(half.price, next.price);
        }
        halves.push_back(std::move(half));
    }
    return halves;
}

/// Upper bound on the least cost of at most `rules` rules on these rows: of each list known the
/// rules that decide any of them, as many as may be.
Cost Clusters::known_cost(const std::vector<Word>& rows, int rules) const {
    const Instance& instance = state_.instance;
    Cost least = std::numeric_limits<Cost>::max();
    std::vector<std::int64_t> all(static_cast<std::size_t>(instance.n_classes), 0);
    const auto count = [&](const std::vector<Word>& left, const Word* column,
                           std::vector<std::int64_t>& class_weight) {
        std::fill(class_weight.begin(), class_weight.end(), 0);
        std::int64_t weight = 0;
        for (const Segment& s : instance.segments) {
            const std::int64_t w = state_.kernels.count_and(left.data() + s.first_word,
                                                            column + s.first_word, s.n_words) *
                                   s.weight;
            class_weight[static_cast<std::size_t>(s.klass)] += w;
            weight += w;
        }
        return weight;
    };
    count(rows, rows.data(), all);
    least = state_.pricing.group(all).cost;
    std::vector<std::int64_t> taken(all.size()), rest(all.size());
    std::vector<Word> left;
    for (const std::vector<std::int32_t>& list : lists_) {
        left = rows;
        rest = all;
        Cost cost = 0;
        int n_rules = 0;
        for (const std::int32_t rule : list) {
            if (n_rules == rules) break;
            const Word* column = instance.candidate(static_cast<std::size_t>(rule));
            if (count(left, column, taken) == 0) continue;
            ++n_rules;
            cost += state_.rule_cost + state_.pricing.group(taken).cost;
            for (std::size_t c = 0; c < rest.size(); ++c) rest[c] -= taken[c];
            for (std::size_t w = 0; w < left.size(); ++w) left[w] &= ~column[w];
        }
        state_.charge(Work::row_word, 2 * list.size() * instance.words);
        least = std::min(least, cost + state_.pricing.group(rest).cost);
    }
    return least;
}

void Clusters::take_away(const Node& node, std::int32_t rule, std::vector<Word>& rows) const {
    const Word* column = state_.instance.candidate(
        static_cast<std::size_t>(node.candidate[static_cast<std::size_t>(rule)]));
    for (std::size_t w = 0; w < rows.size(); ++w) rows[w] &= ~column[w];
}

}  // namespace samrule
