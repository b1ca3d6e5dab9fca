#include "priced_rules.hpp"

#include <algorithm>
#include <array>
#include <memory>
#include <numeric>

#include "cover_tree.hpp"
#include "pair_table.hpp"
#include "scans.hpp"

namespace samrule {
namespace {

// A list of three rules a, b, l costs what a and b cost in their order, and what l and the default
// cost on the rows R that both leave. Call that h(p, q) = g(p, q) + g(R - (p, q)), where l takes
// weights p and q of the two classes and g is what a group costs: a minimum of linear functions,
// so concave and homogeneous.
//
// Two corners. With s = p / (p + q), g = (p + q) f(s) for a concave f; so g rises with p by
// f + (1 - s) f', which never rises with s, and with q by f - s f', which never falls with s. Where
// the share of class p in the rule is at least that in the rest, h therefore never rises with p and
// never falls with q, and more p or less q does not leave this side. On the other side it is the
// same with p and q swapped. So if p0 <= p <= p1 and q0 <= q <= q1, then
//   h(p, q) >= min(h(p1, q0), h(p0, q1)).
// (Rounding to whole units is far within the margin of the scans.)
//
// Triple bound: p and q lie in a box that inclusion-exclusion on the pair table gives.
// Size: a rule that covers no more than (p1, q1) costs at least min(h(p1, 0), h(0, q1)). Candidates
// are in the order of what they could gain at most, so a scan ends where none is large enough.
// Clusters: let A and B be the rows that some member of a cluster covers. Rules a and b of the two
// leave at least the rows outside A and B, and l and a default cost no less on more rows. So the
// least h on the rows outside A and B, a scan like that for a and b, bounds all their lists.

/// Candidates counted together: neighbours share most of their conditions.
constexpr std::size_t block = 32;

/// So many pairs of rules are looked at one by one.
constexpr std::ptrdiff_t few = 2;

using Weights = std::array<std::int32_t, 2>;

std::size_t padded(std::size_t n) { return (n + scan_lanes - 1) / scan_lanes * scan_lanes; }

Cost cost_of(const Pricing& pricing, const Weights& weights) {
    return pricing.group(2, [&](std::size_t c) { return std::int64_t{weights[c]}; }).cost;
}

Weights weights_of(const Two& two) {
    return {static_cast<std::int32_t>(two.negative), static_cast<std::int32_t>(two.positive)};
}

Weights operator-(const Weights& a, const Weights& b) { return {a[0] - b[0], a[1] - b[1]}; }
Weights operator+(const Weights& a, const Weights& b) { return {a[0] + b[0], a[1] + b[1]}; }

std::int64_t sum(const Weights& weights) { return std::int64_t{weights[0]} + weights[1]; }

/// The weights of candidates, and what each costs as first rule, as scans read them.
struct Singles {
    std::array<std::vector<std::int32_t>, 2> weight;
    std::vector<float> cost;

    Singles(const Pricing& pricing, const Counts& counts, std::span<const std::int32_t> order) {
        for (auto& weights : weight) weights.resize(padded(order.size()), 0);
        cost.resize(padded(order.size()), 0);
        for (std::size_t k = 0; k < order.size(); ++k) {
            for (std::size_t c = 0; c < 2; ++c)
                weight[c][k] = counts.of_class[c][static_cast<std::size_t>(order[k])];
            cost[k] = PriceScans::value(cost_of(pricing, of(k)));
        }
    }
    Weights of(std::size_t k) const { return {weight[0][k], weight[1][k]}; }
    std::array<const std::int32_t*, 2> rows() const { return {weight[0].data(), weight[1].data()}; }
};

class TwoPricedRules {
  public:
    TwoPricedRules(State& state, const ConjunctionProblem& problem, Wanted& wanted)
        : state_(state),
          problem_(problem),
          wanted_(wanted),
          scans_(state, problem.rows.weight.all()),
          all_(weights_of(problem.rows.weight)),
          singles_(state.pricing, problem.counts, in_order(problem.language.size())) {}

    void operator()() {
        const std::size_t n = problem_.language.size();
        state_.for_each_step((n + block - 1) / block, [&](std::size_t b) {
            CoveredRows covered(state_.kernels, problem_.rows);
            Space space{CandidateCounter(state_.kernels), {}, {}, std::vector<float>(padded(n))};
            for (auto& shared : space.shared) shared.resize(padded(n), 0);
            for (std::size_t i = b * block; i < std::min(n, (b + 1) * block); ++i) {
                if (state_.stopped()) return;
                look_at(i, covered.of(problem_.language.terms[i]), space);
            }
        });
    }

  private:
    struct Space {
        CandidateCounter counter;
        Counts counts;
        std::array<std::vector<std::uint32_t>, 2> shared;
        std::vector<float> costs;
    };

    static std::vector<std::int32_t> in_order(std::size_t n) {
        std::vector<std::int32_t> order(n);
        std::iota(order.begin(), order.end(), 0);
        return order;
    }

    /// Rule i and all candidates after it.
    void look_at(std::size_t i, const ConditionRows& inside, Space& space) {
        const std::size_t n = problem_.language.size();
        state_.charge(Work::family_word, (n - i) * inside.rows.words);
        space.counter.count(inside, problem_.language, i, space.counts);
        for (std::size_t c = 0; c < 2; ++c)
            std::copy(space.counts.of_class[c].begin() + static_cast<std::ptrdiff_t>(i),
                      space.counts.of_class[c].end(),
                      space.shared[c].begin() + static_cast<std::ptrdiff_t>(i));
        const std::size_t from = i / scan_lanes * scan_lanes;
        const Weights weight = singles_.of(i), rest = all_ - weight;
        const std::int32_t* single[] = {singles_.weight[0].data() + from,
                                        singles_.weight[1].data() + from};
        const std::uint32_t* shared[] = {space.shared[0].data() + from,
                                         space.shared[1].data() + from};
        state_.charge(Work::entry, padded(n) - from);
        scans_.couple(CouplePriceScan<std::uint32_t>{padded(n) - from, single, shared,
                                                     singles_.cost.data() + from, weight.data(),
                                                     rest.data(), singles_.cost[i]},
                      space.costs.data());
        for (std::size_t l = i + 1; l < n; ++l)
            if (space.costs[l - from] < scans_.limit(wanted_.limit() + 1 - 2 * state_.rule_cost))
                try_pair(i, l, space);
    }

    void try_pair(std::size_t i, std::size_t l, const Space& space) {
        const Weights shared{space.counts.of_class[0][l], space.counts.of_class[1][l]};
        const Weights a = singles_.of(i), b = singles_.of(l);
        const Pricing& pricing = state_.pricing;
        const Cost others = cost_of(pricing, all_ - a - b + shared) + 2 * state_.rule_cost;
        const std::int32_t x = problem_.language.candidate[i], y = problem_.language.candidate[l];
        wanted_.offer({others + cost_of(pricing, a) + cost_of(pricing, b - shared), {x, y}});
        wanted_.offer({others + cost_of(pricing, b) + cost_of(pricing, a - shared), {y, x}});
    }

    State& state_;
    const ConjunctionProblem problem_;
    Wanted& wanted_;
    const PriceScans scans_;
    const Weights all_;
    const Singles singles_;
};

/// What a candidate could gain at most, if all it covers were of one class.
Cost most_gain(const Pricing& pricing, const Weights& all, const Weights& covered) {
    Cost least = cost_of(pricing, all);
    for (std::size_t c = 0; c < 2; ++c) {
        Weights pure{};
        pure[c] = covered[c];
        least = std::min(least, cost_of(pricing, pure) + cost_of(pricing, all - pure));
    }
    return cost_of(pricing, all) - least;
}

/// The candidates, those that could gain most first.
std::vector<std::int32_t> by_size(const Pricing& pricing, const ConjunctionProblem& problem) {
    const Weights all = weights_of(problem.rows.weight);
    std::vector<std::pair<Cost, std::int32_t>> keyed;
    for (std::size_t i = 0; i < problem.language.size(); ++i)
        keyed.emplace_back(
            -most_gain(pricing, all, {problem.counts.negative(i), problem.counts.positive(i)}),
            static_cast<std::int32_t>(i));
    std::sort(keyed.begin(), keyed.end());
    std::vector<std::int32_t> order;
    for (const auto& [gain, i] : keyed) order.push_back(i);
    return order;
}

/// Some rows, what they weigh, and the weights they share with each candidate.
template <class Count>
struct Cover {
    Weights weight;
    std::array<const Count*, 2> shared;
    const Word* rows;
};

/// Candidates are known by their places in the order of size.
template <class Count>
class ThreePricedRules {
  public:
    ThreePricedRules(State& state, const ConjunctionProblem& problem, Wanted& wanted)
        : state_(state),
          problem_(problem),
          wanted_(wanted),
          scans_(state, problem.rows.weight.all()),
          all_(weights_of(problem.rows.weight)),
          n_(problem.language.size()),
          stride_(padded(n_)),
          words_(problem.rows.rows.words),
          order_(by_size(state.pricing, problem)),
          singles_(state.pricing, problem.counts, order_) {
        most_after_ = singles_.weight;
        for (auto& most : most_after_)
            for (std::size_t k = n_; k-- > 1;) most[k - 1] = std::max(most[k - 1], most[k]);
    }
    ~ThreePricedRules() { state_.release(claimed_); }
    ThreePricedRules(const ThreePricedRules&) = delete;
    ThreePricedRules& operator=(const ThreePricedRules&) = delete;

    void operator()() {
        if (n_ < 3 || !count_pairs()) return;
        make_tree();
        if (!count_clusters()) return;
        const std::vector<Side> sides = first_sides();
        state_.for_each_step(sides.size(), [&](std::size_t k) {
            if (state_.stopped()) return;
            Space space(stride_);
            look_at(sides[k], space);
        });
    }

  private:
    /// What the members of a cluster cover together, and the least that one of them does.
    struct Cluster {
        Cover<Count> cover{};
        std::int64_t least = 0;
    };

    /// A cluster of the tree, or one member of it.
    struct Side {
        std::size_t first, last, cluster;
        bool is_one() const { return last - first == 1; }
    };

    /// Two rules that may come first, and what they cost.
    struct Pair {
        std::int32_t a, b;
        float cost;
    };

    /// One thread's space for one cluster.
    struct Space {
        explicit Space(std::size_t stride) : costs(stride) {}
        std::vector<float> costs;
        std::vector<Pair> pairs;
        std::vector<std::uint32_t> places;  ///< words of two rules that are not empty,
        std::vector<Segment> segments;      ///< by segment,
        std::vector<Word> both, third;      ///< and those of a third rule there
    };

    std::size_t index(std::size_t k) const { return static_cast<std::size_t>(order_[k]); }
    const Count* row(std::size_t c, std::size_t k) const { return pairs_[c].get() + k * stride_; }
    const Word* rows(std::size_t k) const { return rows_.data() + k * words_; }
    Weights shared(std::size_t a, std::size_t b) const {
        return {static_cast<std::int32_t>(row(0, a)[b]), static_cast<std::int32_t>(row(1, a)[b])};
    }
    Cover<Count> cover(std::size_t k) const {
        return {singles_.of(k), {row(0, k), row(1, k)}, rows(k)};
    }

    /// From here on the rules of a list cost too much.
    float limit() const { return scans_.limit(wanted_.limit() + 1 - 3 * state_.rule_cost); }

    bool count_pairs() {
        const std::size_t entries = n_ * stride_;
        if (!state_.claim(2 * entries * sizeof(Count) + n_ * words_ * sizeof(Word), claimed_))
            return false;
        for (auto& pairs : pairs_) pairs = std::make_unique_for_overwrite<Count[]>(entries);
        rows_.resize(n_ * words_);
        std::vector<std::size_t> place(n_);
        for (std::size_t k = 0; k < n_; ++k) place[index(k)] = k;
        state_.team.for_each((n_ + block - 1) / block, [&](std::size_t b) {
            CoveredRows covered(state_.kernels, problem_.rows);
            CandidateCounter counter(state_.kernels);
            Counts counts;
            std::vector<Word> copy;
            for (std::size_t i = b * block; i < std::min(n_, (b + 1) * block); ++i) {
                if (state_.stopped()) return;
                const ConditionRows& inside = covered.of(problem_.language.terms[i]);
                state_.charge(Work::family_word, (n_ - i) * inside.rows.words);
                counter.count(inside, problem_.language, i, counts);
                for (std::size_t c = 0; c < 2; ++c) {
                    Count* to = pairs_[c].get();
                    for (std::size_t l = i; l < n_; ++l)
                        to[place[i] * stride_ + place[l]] = to[place[l] * stride_ + place[i]] =
                            static_cast<Count>(counts.of_class[c][l]);
                    std::fill(to + place[i] * stride_ + n_, to + (place[i] + 1) * stride_,
                              Count{0});
                }
                problem_.rows.copy_conjunction(problem_.language.terms[i], copy);
                std::copy(copy.begin(), copy.end(), rows_.begin() + at_word(place[i]));
            }
        });
        return !state_.stopped();
    }

    std::ptrdiff_t at_word(std::size_t k) const { return static_cast<std::ptrdiff_t>(k * words_); }

    /// With clusters as small as there is room for.
    void make_tree() {
        const auto distance = [&](std::int32_t a, std::int32_t b) {
            const auto i = static_cast<std::size_t>(a), l = static_cast<std::size_t>(b);
            return sum(singles_.of(i) + singles_.of(l) - shared(i, l) - shared(i, l));
        };
        std::size_t most = 2;
        do {
            tree_ = std::make_unique<CoverTree>(n_, most, distance);
            most *= 2;
        } while (most < n_ && !state_.has_room(cluster_bytes()));
    }

    /// What clusters need. Only of those that are split what they share with candidates is counted;
    /// members of the others are looked at one by one.
    std::size_t cluster_bytes() const {
        return tree_->n_split() * 2 * stride_ * sizeof(Count) +
               tree_->nodes().size() * (words_ * sizeof(Word) + sizeof(Cluster));
    }

    /// Collects the rows of clusters, and counts what they share with each candidate.
    bool count_clusters() {
        const auto& nodes = tree_->nodes();
        std::vector<std::size_t> split;
        for (std::size_t k = 0; k < nodes.size(); ++k)
            if (nodes[k].left != 0) split.push_back(k);
        if (!state_.claim(claimed_ + cluster_bytes(), claimed_)) return false;
        cluster_rows_.assign(nodes.size() * words_, 0);
        clusters_.resize(nodes.size());
        for (std::size_t k = nodes.size(); k-- > 0;) collect(k);
        for (auto& shared : cluster_shared_) shared.resize(split.size() * stride_);
        state_.team.for_each(split.size(), [&](std::size_t at) {
            if (state_.stopped()) return;
            Cover<Count>& cover = clusters_[split[at]].cover;
            Count* to[] = {cluster_shared_[0].data() + at * stride_,
                           cluster_shared_[1].data() + at * stride_};
            count_cover(cover.rows, to);
            cover.shared = {to[0], to[1]};
        });
        return !state_.stopped();
    }

    void collect(std::size_t k) {
        const auto& node = tree_->nodes()[k];
        Word* to = cluster_rows_.data() + k * words_;
        const auto add = [&](const Word* from) {
            for (std::size_t w = 0; w < words_; ++w) to[w] |= from[w];
        };
        Cluster& cluster = clusters_[k];
        if (node.left == 0) {
            cluster.least = problem_.rows.weight.all();
            for (std::size_t m = node.first; m < node.last; ++m) {
                const auto one = static_cast<std::size_t>(tree_->member(m));
                add(rows(one));
                cluster.least = std::min(cluster.least, sum(singles_.of(one)));
            }
        } else {
            add(cluster_rows_.data() + node.left * words_);
            add(cluster_rows_.data() + node.right * words_);
            cluster.least = std::min(clusters_[node.left].least, clusters_[node.right].least);
        }
        cluster.cover.rows = to;
        cluster.cover.weight = shared_weight(to, to);
    }

    /// Counts what some rows share with each candidate.
    void count_cover(const Word* rows, Count* const* to) {
        ConditionRows inside;
        keep_rows(state_.kernels, problem_.rows, std::vector<Word>(rows, rows + words_), inside);
        state_.charge(Work::packed_word, problem_.language.n_conditions * words_);
        state_.charge(Work::family_word, n_ * inside.rows.words);
        Counts counts;
        CandidateCounter(state_.kernels).count(inside, problem_.language, 0, counts);
        for (std::size_t c = 0; c < 2; ++c) {
            for (std::size_t k = 0; k < n_; ++k)
                to[c][k] = static_cast<Count>(counts.of_class[c][index(k)]);
            std::fill(to[c] + n_, to[c] + stride_, Count{0});
        }
    }

    /// Clusters to begin with, small enough to list all pairs of their members. Every candidate is
    /// in one.
    std::vector<Side> first_sides() const {
        constexpr std::size_t most = 64;
        std::vector<Side> sides;
        std::vector<std::size_t> open{0};
        while (!open.empty()) {
            const std::size_t k = open.back();
            const auto& node = tree_->nodes()[k];
            open.pop_back();
            if (node.size() <= most || node.left == 0) {
                sides.push_back(side(k));
            } else {
                open.push_back(node.right);
                open.push_back(node.left);
            }
        }
        return sides;
    }

    Side side(std::size_t cluster) const {
        const auto& node = tree_->nodes()[cluster];
        return {node.first, node.last, cluster};
    }

    /// All lists whose first two rules, in either order, are a member of this side and one that
    /// comes after it in the tree.
    void look_at(const Side& one, Space& space) {
        for (std::size_t m = one.first; m < one.last; ++m)
            gather_pairs(static_cast<std::size_t>(tree_->member(m)), m, space);
        visit(one, side(0), space.pairs.data(), space.pairs.data() + space.pairs.size(), space);
    }

    /// Whether what a side covers was counted.
    bool is_counted(const Side& side) const {
        return side.is_one() || tree_->nodes()[side.cluster].left != 0;
    }
    Cover<Count> cover(const Side& side) const {
        return side.is_one() ? cover(static_cast<std::size_t>(tree_->member(side.first)))
                             : clusters_[side.cluster].cover;
    }
    /// How much more a cluster covers than a member may.
    std::int64_t excess(const Side& side) const {
        const Cluster& cluster = clusters_[side.cluster];
        return side.is_one() ? -1 : sum(cluster.cover.weight) - cluster.least;
    }

    void gather_pairs(std::size_t a, std::size_t place, Space& space) {
        const Weights weight = singles_.of(a);
        const auto single = singles_.rows();
        const Count* with[] = {row(0, a), row(1, a)};
        state_.charge(Work::entry, n_);
        scans_.couple(CouplePriceScan<Count>{stride_, single.data(), with, singles_.cost.data(),
                                             weight.data(), nullptr, singles_.cost[a]},
                      space.costs.data());
        const float too_much = limit();
        for (std::size_t b = 0; b < n_; ++b)
            if (space.costs[b] < too_much && tree_->place(static_cast<std::int32_t>(b)) > place)
                space.pairs.push_back(
                    {static_cast<std::int32_t>(a), static_cast<std::int32_t>(b), space.costs[b]});
    }

    /// Pairs of a member of each side.
    void visit(const Side& a, const Side& b, Pair* first, Pair* last, Space& space) {
        if (is_counted(a) && is_counted(b))
            last = leave_out(cover(a), cover(b), first, last, space);
        if (last - first <= few || (a.is_one() && b.is_one())) {
            for (; first != last && !state_.stopped(); ++first) look_closer(*first, space);
            return;
        }
        if (state_.stopped()) return;
        const bool splits_a = !is_counted(a) || (is_counted(b) && excess(a) >= excess(b));
        const Side& split = splits_a ? a : b;
        const auto part = [&](const Side& half) {
            Pair* const end = std::partition(first, last, [&](const Pair& pair) {
                return tree_->place(splits_a ? pair.a : pair.b) < half.last;
            });
            visit(splits_a ? half : a, splits_a ? b : half, first, end, space);
            first = end;
        };
        const auto& node = tree_->nodes()[split.cluster];
        if (node.left != 0) {
            part(side(node.left));
            part(side(node.right));
        } else {
            for (std::size_t m = split.first; m < split.last; ++m) part({m, m + 1, split.cluster});
        }
    }

    /// Leaves out pairs of rules inside two covers after which any third rule costs too much.
    Pair* leave_out(const Cover<Count>& a, const Cover<Count>& b, Pair* first, Pair* last,
                    Space& space) {
        if (!state_.uses(Bound::pair) || last - first <= few) return last;
        const Weights both = shared_weight(a.rows, b.rows);
        // The bound is at most what the default costs alone.
        const float most =
            PriceScans::value(cost_of(state_.pricing, all_ - a.weight - b.weight + both));
        const float too_much = limit();
        Pair* const dear = std::partition(
            first, last, [&](const Pair& pair) { return pair.cost + most < too_much; });
        if (dear == last) return last;
        const float cheapest = std::min_element(dear, last, [](const Pair& x, const Pair& y) {
                                   return x.cost < y.cost;
                               })->cost;
        const float third = least_third(a, b, both, too_much - cheapest, space);
        return std::partition(dear, last,
                              [&](const Pair& pair) { return pair.cost + third < too_much; });
    }

    Weights shared_weight(const Word* a, const Word* b) const {
        Weights weight{};
        for (const Segment& s : problem_.rows.rows.segments)
            weight[static_cast<std::size_t>(s.klass)] += static_cast<std::int32_t>(
                state_.kernels.count_and(a + s.first_word, b + s.first_word, s.n_words) * s.weight);
        return weight;
    }

    /// Lower bound on the cost of a rule and a default on the rows outside both covers. It may be
    /// any number from `room` on if it is not less than that. space.costs has the bound for each of
    /// the first candidates, up to the returned place; later ones cost `room` at least.
    float least_third(const Cover<Count>& a, const Cover<Count>& b, const Weights& both, float room,
                      Space& space, std::size_t* scanned = nullptr) {
        const Weights a_only = a.weight - both, b_only = b.weight - both;
        const Weights rest = all_ - a.weight - b_only;
        const std::size_t n = large_enough(rest, room);
        if (scanned != nullptr) *scanned = n;
        if (n == 0) return room;
        state_.charge(Work::entry, n);
        const auto single = singles_.rows();
        const float least = scans_.third(
            ThirdPriceScan<Count>{padded(n), single.data(), a.shared.data(), b.shared.data(),
                                  a_only.data(), b_only.data(), both.data(), rest.data()},
            space.costs.data());
        return n < n_ ? std::min(least, room) : least;
    }

    /// How many of the candidates, from the first on, are large enough for a rule and a default to
    /// cost less than `room` on such rows.
    std::size_t large_enough(const Weights& rest, float room) const {
        const auto is_large = [&](std::size_t k) {
            for (std::size_t c = 0; c < 2; ++c) {
                Weights pure{};
                pure[c] = std::min(most_after_[c][k], rest[c]);
                const Cost cost =
                    cost_of(state_.pricing, pure) + cost_of(state_.pricing, rest - pure);
                if (PriceScans::value(cost) < room) return true;
            }
            return false;
        };
        if (!state_.uses(Bound::triple)) return n_;
        std::size_t first = 0, last = n_;
        while (first < last) {
            const std::size_t middle = first + (last - first) / 2;
            if (is_large(middle))
                first = middle + 1;
            else
                last = middle;
        }
        return first;
    }

    /// Two rules, and each third after them.
    void look_closer(const Pair& pair, Space& space) {
        const auto a = static_cast<std::size_t>(pair.a), b = static_cast<std::size_t>(pair.b);
        const Weights both = shared(a, b);
        const float room = limit() - pair.cost;
        std::size_t n = 0;
        const float least = least_third(cover(a), cover(b), both, room, space, &n);
        if (state_.uses(Bound::triple) && least >= room) return;
        const std::vector<float> costs(space.costs.begin(),
                                       space.costs.begin() + static_cast<std::ptrdiff_t>(n));
        meet(a, b, space);
        for (std::size_t l = 0; l < n; ++l)
            if ((costs[l] < room || !state_.uses(Bound::triple)) && l != a && l != b)
                try_list(a, b, l, both, space);
    }

    /// Collects the words of the rows that two rules share which are not empty.
    void meet(std::size_t a, std::size_t b, Space& space) const {
        space.places.clear();
        space.both.clear();
        space.segments.clear();
        for (const Segment& s : problem_.rows.rows.segments) {
            Segment some = s;
            some.first_word = static_cast<std::uint32_t>(space.both.size());
            for (std::uint32_t w = s.first_word; w < s.first_word + s.n_words; ++w)
                if (const Word word = rows(a)[w] & rows(b)[w]; word != 0) {
                    space.places.push_back(w);
                    space.both.push_back(word);
                }
            some.n_words = static_cast<std::uint32_t>(space.both.size()) - some.first_word;
            if (some.n_words > 0) space.segments.push_back(some);
        }
        space.third.resize(space.both.size());
    }

    Weights of_all_three(std::size_t l, Space& space) const {
        for (std::size_t w = 0; w < space.places.size(); ++w)
            space.third[w] = rows(l)[space.places[w]];
        Weights weight{};
        for (const Segment& s : space.segments)
            weight[static_cast<std::size_t>(s.klass)] += static_cast<std::int32_t>(
                state_.kernels.count_and(space.both.data() + s.first_word,
                                         space.third.data() + s.first_word, s.n_words) *
                s.weight);
        return weight;
    }

    void try_list(std::size_t a, std::size_t b, std::size_t l, const Weights& both, Space& space) {
        state_.charge(Work::row_word, space.places.size() + 1);
        const Weights taken = singles_.of(l) - shared(a, l) - shared(b, l) + of_all_three(l, space);
        const Weights x = singles_.of(a), y = singles_.of(b);
        const Pricing& pricing = state_.pricing;
        const Cost others = cost_of(pricing, taken) +
                            cost_of(pricing, all_ - x - y + both - taken) + 3 * state_.rule_cost;
        const Cost a_first = others + cost_of(pricing, x) + cost_of(pricing, y - both);
        const Cost b_first = others + cost_of(pricing, y) + cost_of(pricing, x - both);
        const auto number = [&](std::size_t k) { return problem_.language.candidate[index(k)]; };
        if (a_first <= wanted_.limit()) wanted_.offer({a_first, {number(a), number(b), number(l)}});
        if (b_first <= wanted_.limit()) wanted_.offer({b_first, {number(b), number(a), number(l)}});
    }

    State& state_;
    const ConjunctionProblem problem_;
    Wanted& wanted_;
    const PriceScans scans_;
    const Weights all_;
    const std::size_t n_, stride_, words_;
    const std::vector<std::int32_t> order_;
    const Singles singles_;
    std::array<std::vector<std::int32_t>, 2> most_after_;  ///< the most from a place on
    std::array<std::unique_ptr<Count[]>, 2> pairs_;
    std::vector<Word> rows_;
    std::unique_ptr<CoverTree> tree_;
    std::vector<Word> cluster_rows_;
    std::vector<Cluster> clusters_;
    std::array<std::vector<Count>, 2> cluster_shared_;
    std::size_t claimed_ = 0;  ///< bytes
};

}  // namespace

void find_two_priced_rules(State& state, const ConjunctionProblem& problem, Wanted& wanted) {
    TwoPricedRules(state, problem, wanted)();
}

void find_three_priced_rules(State& state, const ConjunctionProblem& problem, Wanted& wanted) {
    if (fits_16_bits(problem.rows.weight))
        ThreePricedRules<std::uint16_t>(state, problem, wanted)();
    else
        ThreePricedRules<std::uint32_t>(state, problem, wanted)();
}

}  // namespace samrule
