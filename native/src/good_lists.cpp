#include "samrule/good_lists.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <map>
#include <mutex>
#include <new>
#include <numeric>
#include <unordered_map>

#include "cost.hpp"
#include "node.hpp"
#include "samrule/instance.hpp"
#include "state.hpp"
#include "watch.hpp"

namespace samrule {
namespace {

/// What a list predicts for all rows, as 128 bits: lists of one kind have the same. Two different
/// kinds among 10^7 would share them with a probability below 10^-24, if hashes are as random ones.
struct Kind {
    Word a, b;
    bool operator==(const Kind&) const = default;
};
struct KindHash {
    std::size_t operator()(const Kind& kind) const { return static_cast<std::size_t>(kind.a); }
};

struct Found {
    Cost cost;
    std::vector<std::int32_t> rules;  ///< candidates

    bool operator<(const Found& other) const {
        if (cost != other.cost) return cost < other.cost;
        if (rules.size() != other.rules.size()) return rules.size() < other.rules.size();
        return rules < other.rules;
    }
};

/// Tells what lists predict.
class Predictions {
  public:
    Predictions(const Instance& instance, const Pricing& pricing, bool shares)
        : instance_(instance), pricing_(pricing), shares_(shares) {
        all_.assign(instance.words, 0);
        for (const Segment& s : instance.segments)
            for (std::size_t w = 0; w < s.n_words; ++w)
                all_[s.first_word + w] = low_bits(s.n_slots - w * bits_per_word);
    }

    Kind of(const std::vector<std::int32_t>& rules) const {
        std::map<std::vector<std::int64_t>, std::vector<Word>> rows_of;
        std::vector<Word> left = all_, decided(all_.size());
        const auto predict = [&](const Word* covered) {
            for (std::size_t w = 0; w < left.size(); ++w) {
                decided[w] = covered == nullptr ? left[w] : left[w] & covered[w];
                left[w] &= ~decided[w];
            }
            const auto weights = class_weights(decided);
            if (std::reduce(weights.begin(), weights.end()) == 0) return;
            std::vector<Word>& rows = rows_of[predicted(weights)];
            rows.resize(left.size(), 0);
            for (std::size_t w = 0; w < left.size(); ++w) rows[w] |= decided[w];
        };
        for (const std::int32_t rule : rules)
            predict(instance_.candidate(static_cast<std::size_t>(rule)));
        predict(nullptr);
        Kind kind{0x243F6A8885A308D3ULL, 0x13198A2E03707344ULL};
        for (const auto& [prediction, rows] : rows_of) {
            for (const std::int64_t number : prediction) mix(kind, static_cast<Word>(number));
            for (const Word word : rows) mix(kind, word);
        }
        return kind;
    }

  private:
    static void mix(Kind& kind, Word word) {
        kind.a = (kind.a ^ word) * 0x9E3779B97F4A7C15ULL;
        kind.a ^= kind.a >> 32;
        kind.b = (kind.b + word) * 0xD6E8FEB86659FD93ULL;
        kind.b ^= kind.b >> 29;
    }

    std::vector<std::int64_t> class_weights(const std::vector<Word>& rows) const {
        std::vector<std::int64_t> weights(static_cast<std::size_t>(instance_.n_classes), 0);
        for (const Segment& s : instance_.segments) {
            std::int64_t count = 0;
            for (std::size_t w = 0; w < s.n_words; ++w)
                count += std::popcount(rows[s.first_word + w]);
            weights[static_cast<std::size_t>(s.klass)] += count * s.weight;
        }
        return weights;
    }

    /// The class, or the class weights without what they have in common.
    std::vector<std::int64_t> predicted(const std::vector<std::int64_t>& weights) const {
        if (!shares_) return {static_cast<std::int64_t>(pricing_.cheapest_class(weights))};
        std::int64_t common = 0;
        for (const std::int64_t weight : weights) common = std::gcd(common, weight);
        std::vector<std::int64_t> shares;
        for (const std::int64_t weight : weights) shares.push_back(weight / common);
        return shares;
    }

    const Instance& instance_;
    const Pricing& pricing_;
    const bool shares_;
    std::vector<Word> all_;
};

/// Tells which lists keep to the limits on columns.
class Allowed {
  public:
    Allowed(const Instance& instance, const ColumnLimits& limits) : limits_(limits) {
        if (limits.column_of.empty()) return;
        for (const Terms& terms : instance.terms) {
            std::vector<std::int32_t>& columns = columns_.emplace_back();
            for (const std::int32_t term : terms)
                columns.push_back(limits.column_of[static_cast<std::size_t>(term)]);
            std::sort(columns.begin(), columns.end());
            columns.erase(std::unique(columns.begin(), columns.end()), columns.end());
        }
    }

    bool operator()(const std::vector<std::int32_t>& rules) const {
        if (columns_.empty()) return true;
        std::vector<std::int32_t> used;  // A column as often as rules ask about it.
        for (const std::int32_t rule : rules) {
            const auto& own = columns_[static_cast<std::size_t>(rule)];
            used.insert(used.end(), own.begin(), own.end());
        }
        for (const auto& [column, most] : limits_.most_rules)
            if (std::count(used.begin(), used.end(), column) > most) return false;
        std::sort(used.begin(), used.end());
        used.erase(std::unique(used.begin(), used.end()), used.end());
        if (static_cast<std::int64_t>(used.size()) > limits_.most_columns) return false;
        return std::all_of(limits_.apart.begin(), limits_.apart.end(), [&](const auto& some) {
            const auto is_used = [&](std::int32_t column) {
                return std::binary_search(used.begin(), used.end(), column);
            };
            return std::count_if(some.begin(), some.end(), is_used) <= 1;
        });
    }

  private:
    const ColumnLimits& limits_;
    std::vector<std::vector<std::int32_t>> columns_;  ///< of each candidate
};

/// The best lists found so far, one of each kind.
class Collection {
  public:
    Collection(const Predictions& predictions, Cost most_cost, std::size_t most_lists)
        : predictions_(predictions), most_cost_(most_cost), most_lists_(most_lists) {}

    /// What a list may cost to be kept. It falls when there are too many.
    Cost most_cost() const { return most_cost_.load(std::memory_order_relaxed); }

    void offer(Found list) {
        if (list.cost > most_cost()) return;
        const Kind kind = predictions_.of(list.rules);
        const std::lock_guard lock(mutex_);
        const auto [place, is_new] = best_.try_emplace(kind, list);
        if (!is_new && list < place->second) place->second = std::move(list);
        if (best_.size() >= 2 * most_lists_) keep_best();
    }

    /// All that are kept, best first.
    std::vector<Found> sorted() {
        if (best_.size() > most_lists_) keep_best();
        std::vector<Found> found;
        for (auto& [kind, list] : best_) found.push_back(list);
        std::sort(found.begin(), found.end());
        return found;
    }

    /// Lists were thrown away, so those that cost as much as the last one kept may be missing.
    bool is_cut() const { return is_cut_; }

  private:
    void keep_best() {
        std::vector<const Found*> order;
        for (const auto& [kind, list] : best_) order.push_back(&list);
        const auto last = order.begin() + static_cast<std::ptrdiff_t>(most_lists_ - 1);
        std::nth_element(order.begin(), last, order.end(),
                         [](const Found* a, const Found* b) { return *a < *b; });
        const Found worst = **last;
        std::erase_if(best_, [&](const auto& entry) { return worst < entry.second; });
        most_cost_.store(worst.cost);
        is_cut_ = true;
    }

    const Predictions& predictions_;
    std::atomic<Cost> most_cost_;
    const std::size_t most_lists_;
    std::mutex mutex_;
    std::unordered_map<Kind, Found, KindHash> best_;
    bool is_cut_ = false;
};

/// Goes through all lists rule by rule. What is left out costs too much, or predicts what a list
/// that is looked at does: rules that decide nothing or all that is left, and of conditions that
/// agree on the rows that are left all but the first. Bounds speak of all lists, those that are not
/// allowed too; if not all are, conditions that agree count as different, for their columns may.
class Enumeration {
  public:
    Enumeration(State& state, const Allowed& allowed, Collection& collection)
        : state_(state), allowed_(allowed), collection_(collection) {}

    /// All lists; least[j] is a lower bound on the cost of those with at most j rules.
    void run(std::vector<Cost> least) {
        const int rules = state_.options.max_rules;
        Node root;
        collection_.offer({state_.pricing.group(state_.instance.class_weight).cost, {}});
        if (rules == 0 || !make_root(root, rules, least)) return;
        root.known = std::move(least);
        go_on(root, rules, {});
    }

  private:
    /// The root with the candidates that a good list may have, by the drop bound: a rule of worth w
    /// can be left out, and the list then costs at most w - A more.
    bool make_root(Node& root, int rules, const std::vector<Cost>& least) {
        const Instance& instance = state_.instance;
        root.rows.segments = instance.segments;
        root.rows.words = instance.words;
        root.class_weight = instance.class_weight;
        root.weight =
            std::accumulate(root.class_weight.begin(), root.class_weight.end(), INT64_C(0));
        const auto fewer = static_cast<std::size_t>(rules - 1);
        const Cost least_worth =
            fewer < least.size() ? least[fewer] + state_.rule_cost - collection_.most_cost() : 0;
        for (std::size_t i = 0; i < instance.n_candidates(); ++i) {
            if (worth_of(i) < least_worth) continue;
            root.candidate.push_back(static_cast<std::int32_t>(i));
        }
        const std::size_t bytes = root.candidate.size() * instance.words * sizeof(Word);
        if (!state_.claim(bytes, root.claimed)) return false;
        root.bits.reserve(root.candidate.size() * instance.words);
        for (const std::int32_t i : root.candidate) {
            const Word* column = instance.candidate(static_cast<std::size_t>(i));
            root.bits.insert(root.bits.end(), column, column + instance.words);
        }
        return make_table(state_, root);
    }

    Cost worth_of(std::size_t candidate) const {
        const Instance& instance = state_.instance;
        std::vector<std::int64_t> weights(instance.class_weight.size(), 0);
        const Word* column = instance.candidate(candidate);
        for (const Segment& s : instance.segments) {
            const Word* words = column + s.first_word;
            weights[static_cast<std::size_t>(s.klass)] +=
                state_.kernels.count_and(words, words, s.n_words) * s.weight;
        }
        return state_.pricing.group(weights).worth;
    }

    bool may_be_rule(const Gain& gain, std::int64_t all) const {
        return gain.weight > 0 && gain.weight < all && gain.weight >= state_.options.min_support;
    }

    /// Lists that start with `prefix` and have one to `rules` more. Returns a lower bound on the
    /// cost of finishing here with at most so many.
    Cost go_on(Node& node, int rules, const Prefix& prefix) {
        state_.n_nodes.fetch_add(1, std::memory_order_relaxed);
        const Cost two = look_at_pairs(node, std::min(rules, 2), prefix, rules <= 2);
        if (rules <= 2) return two;
        node.learn(2, two);
        choose_next(node, rules, prefix);
        return node.known_for(rules);
    }

    /// Looks at lists of one and, if `rules` is 2, two more rules, and offers the good ones if
    /// `offering`. Returns the least cost of finishing here with at most so many rules.
    Cost look_at_pairs(const Node& node, int rules, const Prefix& prefix, bool offering) {
        const Pricing& pricing = state_.pricing;
        Cost least = pricing.group(node.class_weight).cost;
        for (std::size_t i = 0; i < node.size(); ++i) {
            const Gain first = gain(pricing, node, i);
            if (node.is_twin[i] || !may_be_rule(first, node.weight)) continue;
            const Cost price = first.cost + state_.rule_cost;
            const Cost alone = price + default_cost_after(pricing, node, i);
            least = std::min(least, alone);
            if (offering) offer(node, prefix, alone, {i});
            for (std::size_t j = 0; rules == 2 && j < node.size(); ++j) {
                const Gain second = gain_after(pricing, node, i, j);
                if (node.is_twin[j] || !may_be_rule(second, node.weight - first.weight)) continue;
                const Cost both =
                    price + state_.rule_cost + second.cost + default_cost_after_two(node, i, j);
                least = std::min(least, both);
                if (offering) offer(node, prefix, both, {i, j});
            }
        }
        return least;
    }

    Cost default_cost_after_two(const Node& node, std::size_t i, std::size_t j) const {
        return state_.pricing
            .group(node.n_classes(),
                   [&](std::size_t c) {
                       return node.class_weight[c] - node.weight_of(c, i) - node.weight_of(c, j) +
                              node.shared(c, i)[j];
                   })
            .cost;
    }

    void offer(const Node& node, const Prefix& prefix, Cost rest,
               std::initializer_list<std::size_t> more) {
        if (prefix.cost + rest > collection_.most_cost()) return;
        Found found{prefix.cost + rest, prefix.rules};
        for (const std::size_t i : more) found.rules.push_back(node.candidate[i]);
        if (allowed_(found.rules)) collection_.offer(std::move(found));
    }

    /// Lists with at least three more rules to come, first rule by first rule.
    void choose_next(Node& node, int rules, const Prefix& prefix) {
        // What follows each rule costs at least so much; 0 until it is known.
        std::vector<std::atomic<Cost>> after(node.size());
        state_.team.for_each(node.size(), [&](std::size_t i) {
            const Gain first = gain(state_.pricing, node, i);
            if (state_.stopped() || node.is_twin[i] || !may_be_rule(first, node.weight)) return;
            const Cost price = first.cost + state_.rule_cost;
            Prefix longer{prefix.rules, prefix.cost + price};
            longer.rules.push_back(node.candidate[i]);
            if (!allowed_(longer.rules)) return;
            const Cost most_cost = collection_.most_cost(), left = most_cost - longer.cost;
            const Cost least_worth =
                node.known_for(rules - 1) + state_.rule_cost - (most_cost - prefix.cost);
            if (first.worth < least_worth || after_siblings(node, i, after) > left) return;
            Borrowed<Node> child(nodes_);
            Borrowed<Workspace> space(workspaces_);
            key_after(state_, node, i, child->uncovered);
            if (!make_child(state_, node, i, *space, *child, std::max<Cost>(least_worth, 0)))
                return;
            // A list that goes on here is one of the node with a rule before it.
            for (int s = 0; s < rules; ++s) child->learn(s, node.known_for(s + 1) - price);
            offer(node, longer, state_.pricing.group(child->class_weight).cost, {});
            const Cost rest = go_on(*child, rules - 1, longer);
            // Lists with conditions that were left out cost more than is wanted.
            if (!state_.stopped()) after[i].store(std::min(rest, left + 1));
        });
    }

    /// Sibling bound: rules i and k cover nearly the same rows, so what follows i costs at least
    /// what follows k, less the most that the rows cost which i covers and k does not.
    Cost after_siblings(const Node& node, std::size_t i,
                        const std::vector<std::atomic<Cost>>& after) const {
        if (state_.options.min_support > 0) return 0;
        Cost least = 0;
        for (std::size_t k = 0; k < after.size(); ++k) {
            const Cost known = after[k].load(std::memory_order_relaxed);
            if (known <= least) continue;
            Cost most = 0;
            for (std::size_t c = 0; c < node.n_classes(); ++c)
                most += (node.weight_of(c, i) - node.shared(c, i)[k]) * state_.pricing.step(c);
            least = std::max(least, known - most);
        }
        return least;
    }

    State& state_;
    const Allowed& allowed_;
    Collection& collection_;
    Pool<Node> nodes_;
    Pool<Workspace> workspaces_;
};

/// One search for good lists.
class GoodListsRun {
  public:
    GoodListsRun(const Table& table, const GoodListsOptions& options)
        : table_(table),
          options_(options),
          pricing_(options.search, table.n_classes, total_weight(table)) {}

    GoodLists operator()() {
        run_watched([this] { search_within_memory(); }, stop_, options_.search.time_limit,
                    [this](double elapsed) {
                        return options_.search.poll && options_.search.poll({0, 0, elapsed, 0});
                    });
        return std::move(result_);
    }

  private:
    static std::int64_t total_weight(const Table& table) {
        std::int64_t total = 0;
        for (std::size_t row = 0; row < table.n_rows; ++row) total += table.weight(row);
        return total;
    }

    void search_within_memory() {
        try {
            search();
        } catch (const std::bad_alloc&) {
            result_ = {};
            result_.status = Status::memory_limit;
        }
    }

    void search() {
        constexpr std::size_t bytes_of_list = 256;
        Instance instance;
        // Rows of all classes with equal conditions are kept: lists may differ there.
        const InstanceOptions wanted{options_.search.max_terms,
                                     false,
                                     options_.search.memory_limit / 4,
                                     &stop_,
                                     unlimited_work,
                                     pricing_.class_factors(),
                                     options_.columns.column_of};
        if (!build_instance(table_, wanted, instance)) {
            result_.status = stop_.reason();
            return;
        }
        Team team(options_.search.threads);
        Options wanted_search = options_.search;
        if (!options_.columns.column_of.empty())
            wanted_search.disabled_bounds |= static_cast<std::uint32_t>(Bound::twins);
        State state(instance, wanted_search, pricing_, team, stop_, 1 << 16);
        const Allowed allowed(instance, options_.columns);
        const Predictions predictions(instance, pricing_, options_.search.brier_share > 0);
        const std::size_t room =
            std::max<std::size_t>(1, options_.search.memory_limit / 4 / (2 * bytes_of_list));
        Collection collection(predictions, fixed_point(options_.most_cost),
                              std::min(options_.most_lists, room));
        std::vector<Cost> least;
        for (const double cost : options_.least_cost)
            // Sums beyond 2^53 were rounded on their way here.
            least.push_back(std::max<Cost>(0, fixed_point(cost) - 1024));
        Enumeration(state, allowed, collection).run(std::move(least));
        answer(instance, collection);
    }

    void answer(const Instance& instance, Collection& collection) {
        for (const Found& found : collection.sorted()) {
            GoodList list;
            for (const std::int32_t i : found.rules)
                list.rules.push_back(instance.terms[static_cast<std::size_t>(i)]);
            list.cost = in_weight(found.cost);
            result_.lists.push_back(std::move(list));
        }
        result_.status = stop_.reason();
        if (result_.status == Status::optimal) result_.status = instance.missing;
        if (result_.status != Status::optimal) return;
        // Of those that cost as much as the last some may be missing.
        result_.complete_up_to = collection.is_cut()
                                     ? std::nextafter(in_weight(collection.most_cost()), -1.0)
                                     : options_.most_cost;
    }

    Cost fixed_point(double weight) const {
        return static_cast<Cost>(std::floor(weight * static_cast<double>(unit * pricing_.scale())));
    }
    double in_weight(Cost cost) const {
        return static_cast<double>(cost) / static_cast<double>(unit * pricing_.scale());
    }

    const Table& table_;
    const GoodListsOptions& options_;
    StopSign stop_;
    const Pricing pricing_;
    GoodLists result_;
};

}  // namespace

GoodLists good_lists(const Table& table, const GoodListsOptions& options) {
    return GoodListsRun(table, options)();
}

}  // namespace samrule
