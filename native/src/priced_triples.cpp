#include "priced_triples.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "cover_tree.hpp"
#include "pair_table.hpp"
#include "priced_candidates.hpp"

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
// Clusters: let A and B be the rows that some member of a cluster covers. Rules a and b of the two
// leave at least the rows outside A and B, and l and a default cost no less on more rows. So the
// least h on the rows outside A and B, a scan like that for a and b, bounds all their lists.
// Thirds: the same for each l alone. What costs too much after the cheapest pair of two clusters
// costs too much after all pairs of their parts: the parts of a cluster look at the rest alone.
//
// Short of memory, what each two candidates share is not kept: it is counted for the few candidates
// of one cluster at a time, as rules a. A rule b is then bounded as part of the least cluster
// around it that was counted, which covers what b does: the bound for clusters, so it holds.

/// Candidates counted together: neighbours share most of their conditions.
constexpr std::size_t block = 32;

/// So many pairs of rules are looked at one by one.
constexpr std::ptrdiff_t few = 2;

/// Some rows, what they weigh, and the weights they share with each candidate.
template <class Count>
struct Cover {
    Weights weight{};
    std::array<const Count*, 2> shared{};
    const Word* rows = nullptr;
};

/// Candidates are known by their places in the tree.
template <class Count>
class Triples final : public PricedTriples {
  public:
    Triples(State& state, const ConjunctionProblem& problem)
        : state_(state),
          problem_(problem),
          scans_(state, problem.rows.weight.all()),
          all_(weights_of(problem.rows.weight)),
          n_(problem.language.size()),
          stride_(padded(n_)),
          words_(problem.rows.rows.words) {}
    ~Triples() override { state_.release(claimed_); }
    Triples(const Triples&) = delete;
    Triples& operator=(const Triples&) = delete;

    /// Bytes for rows of so many words: what each two candidates share, and some clusters.
    static std::size_t bytes(std::size_t n, std::size_t words) {
        return bytes_of_pairs(n) + bytes_without_pairs(n, words);
    }

    /// Counts everything, or all but what each two candidates share if there is no room for that;
    /// false if the search is stopped.
    bool count() {
        const std::size_t rows = padded(n_) * words_ * sizeof(Word);
        const std::size_t members = static_cast<std::size_t>(state_.options.threads) *
                                    most_members * bytes_of_cluster(n_, 0);
        has_pairs_ = state_.has_room(bytes(n_, words_));
        const std::size_t least = bytes_without_pairs(n_, words_) + members;
        if (!has_pairs_ && !state_.has_room(least)) return state_.claim(least, claimed_);
        if (!state_.claim(rows + (has_pairs_ ? bytes_of_pairs(n_) : members), claimed_))
            return false;
        make_tree();
        if (state_.stopped()) return false;
        covers_.resize(tree_->nodes().size());
        if (has_pairs_) count_pairs();
        if (state_.stopped() || !choose_clusters()) return false;
        count_clusters();
        return !state_.stopped();
    }

    void find(Wanted& wanted, Cost least_worth) override {
        wanted_ = &wanted;
        least_worth_ = least_worth;
        std::vector<std::uint32_t> thirds;
        for (std::size_t k = 0; k < n_; k += third_lanes)
            if (is_worth_it(k, std::min(n_, k + third_lanes)))
                thirds.push_back(static_cast<std::uint32_t>(k / third_lanes));
        const std::vector<std::size_t> firsts = first_clusters();
        state_.for_each_step(firsts.size(), [&](std::size_t k) {
            if (state_.stopped()) return;
            Space space;
            look_at(firsts[k], thirds, space);
        });
    }

  private:
    /// Clusters to begin with have no more, so that all pairs of their members can be listed.
    static constexpr std::size_t most_members = 64;

    static std::size_t bytes_of_pairs(std::size_t n) { return 2 * padded(n) * n * sizeof(Count); }
    static std::size_t bytes_without_pairs(std::size_t n, std::size_t words) {
        return padded(n) * words * sizeof(Word) + n / 8 * bytes_of_cluster(n, words);
    }
    static std::size_t bytes_of_cluster(std::size_t n, std::size_t words) {
        return 2 * padded(n) * sizeof(Count) + words * sizeof(Word);
    }

    /// Two rules that may come first, the first of them first in the tree, and what they cost.
    struct Pair {
        std::uint32_t a, b;
        float cost;
    };

    /// Blocks of third rules that are of use.
    using Thirds = std::vector<std::uint32_t>;

    /// One thread's space for one cluster.
    struct Space {
        /// What members of the cluster share with each candidate, if that is not known of all.
        std::size_t first_member = 0;
        std::vector<Cover<Count>> members;
        std::array<std::vector<Count>, 2> shared;
        std::vector<Pair> pairs;
        std::vector<float> costs;
        std::vector<Word> left;                          ///< the rows that two rules leave
        std::array<std::vector<std::int32_t>, 2> taken;  ///< what third rules take of them
        std::vector<std::int32_t> nothing;
    };

    std::size_t index(std::size_t k) const { return static_cast<std::size_t>(tree_->member(k)); }
    const Word* rows(std::size_t k) const { return rows_.data() + k * words_; }
    Cover<Count> cover(std::size_t k) const {
        return {singles_->of(k),
                {shared_[0].get() + k * stride_, shared_[1].get() + k * stride_},
                rows(k)};
    }
    bool is_worth_it(std::size_t first, std::size_t last) const {
        return std::any_of(worths_.begin() + static_cast<std::ptrdiff_t>(first),
                           worths_.begin() + static_cast<std::ptrdiff_t>(last),
                           [&](Cost worth) { return worth >= least_worth_; });
    }

    /// From here on the rules of a list cost too much.
    float limit() const { return scans_.limit(wanted_->limit() + 1 - 3 * state_.rule_cost); }

    /// Makes the tree, and puts the rows of candidates in its order.
    void make_tree() {
        rows_.resize(stride_ * words_);
        std::vector<Word> copy;
        for (std::size_t i = 0; i < n_ && !state_.stopped(); ++i) {
            state_.charge(Work::packed_word, words_);
            problem_.rows.copy_conjunction(problem_.language.terms[i], copy);
            std::copy(copy.begin(), copy.end(),
                      rows_.begin() + static_cast<std::ptrdiff_t>(i * words_));
        }
        const auto distance = [&](std::int32_t a, std::int32_t b) -> std::int64_t {
            if (state_.stopped()) return 0;
            state_.charge(Work::row_word, words_);
            const auto i = static_cast<std::size_t>(a), l = static_cast<std::size_t>(b);
            const Weights both = shared_weight(rows(i), rows(l));
            const Counts& counts = problem_.counts;
            const Weights either{counts.negative(i) + counts.negative(l) - 2 * both[0],
                                 counts.positive(i) + counts.positive(l) - 2 * both[1]};
            return sum(either);
        };
        tree_ = std::make_unique<CoverTree>(n_, distance);
        put_in_order();
        singles_.emplace(state_.pricing, problem_.counts, tree_->order());
        for (std::size_t k = 0; k < n_; ++k)
            worths_.push_back(
                state_.pricing
                    .group(2, [&](std::size_t c) { return std::int64_t{singles_->weight[c][k]}; })
                    .worth);
        const auto& nodes = tree_->nodes();
        least_.resize(nodes.size());
        for (std::size_t k = nodes.size(); k-- > 0;)
            least_[k] = nodes[k].left == 0
                            ? sum(singles_->of(nodes[k].first))
                            : std::min(least_[nodes[k].left], least_[nodes[k].right]);
    }

    /// From the order of the language to that of the tree, in place.
    void put_in_order() {
        std::vector<bool> is_done(n_);
        std::vector<Word> kept(words_);
        const auto at = [&](std::size_t k) {
            return rows_.begin() + static_cast<std::ptrdiff_t>(k * words_);
        };
        for (std::size_t start = 0; start < n_; ++start) {
            if (is_done[start]) continue;
            std::copy_n(at(start), words_, kept.begin());
            std::size_t k = start;
            for (; index(k) != start; k = index(k)) {
                std::copy_n(at(index(k)), words_, at(k));
                is_done[k] = true;
            }
            std::copy_n(kept.begin(), words_, at(k));
            is_done[k] = true;
        }
    }

    /// What each two candidates share.
    void count_pairs() {
        for (auto& shared : shared_) shared = std::make_unique<Count[]>(n_ * stride_);
        state_.team.for_each((n_ + block - 1) / block, [&](std::size_t b) {
            CoveredRows covered(state_.kernels, problem_.rows, problem_.language);
            CandidateCounter counter(state_.kernels);
            Counts counts;
            for (std::size_t i = b * block; i < std::min(n_, (b + 1) * block); ++i) {
                if (state_.stopped()) return;
                const ConditionRows& inside = covered.of(problem_.language.terms[i]);
                state_.charge(Work::family_word, (n_ - i) * inside.rows.words);
                state_.charge(Work::entry, n_ - i);
                counter.count(inside, problem_.language, i, counts);
                keep_shared(i, counts);
            }
        });
        const auto& nodes = tree_->nodes();
        for (std::size_t k = 0; k < nodes.size(); ++k)
            if (nodes[k].left == 0) covers_[k] = cover(nodes[k].first);
    }

    void keep_shared(std::size_t i, const Counts& counts) {
        const std::size_t k = tree_->place(static_cast<std::int32_t>(i));
        for (std::size_t c = 0; c < 2; ++c)
            for (std::size_t l = i; l < n_; ++l) {
                const std::size_t m = tree_->place(static_cast<std::int32_t>(l));
                Count* const to = shared_[c].get();
                to[k * stride_ + m] = to[m * stride_ + k] =
                    static_cast<Count>(counts.of_class[c][l]);
            }
    }

    /// Chooses the clusters that are counted: as many as there is room for, large ones first.
    bool choose_clusters() {
        const auto& nodes = tree_->nodes();
        for (std::size_t k = 0; k < nodes.size(); ++k)
            if (nodes[k].left != 0) clusters_.push_back(k);
        std::stable_sort(clusters_.begin(), clusters_.end(), [&](std::size_t a, std::size_t b) {
            return nodes[a].size() > nodes[b].size();
        });
        const std::size_t one = bytes_of_cluster(n_, words_);
        std::size_t n = clusters_.size();
        while (n > 0 && !state_.has_room(n * one)) n -= n / 16 + 1;
        clusters_.resize(n);
        return state_.claim(claimed_ + n * one, claimed_);
    }

    void count_clusters() {
        cluster_rows_.resize(clusters_.size() * words_);
        for (auto& shared : cluster_shared_) shared.resize(clusters_.size() * stride_);
        state_.team.for_each(clusters_.size(), [&](std::size_t at) {
            if (state_.stopped()) return;
            const auto& node = tree_->nodes()[clusters_[at]];
            Word* const covered = cluster_rows_.data() + at * words_;
            for (std::size_t k = node.first; k < node.last; ++k)
                for (std::size_t w = 0; w < words_; ++w) covered[w] |= rows(k)[w];
            Count* to[] = {cluster_shared_[0].data() + at * stride_,
                           cluster_shared_[1].data() + at * stride_};
            count_cover(covered, to);
            covers_[clusters_[at]] = {shared_weight(covered, covered), {to[0], to[1]}, covered};
        });
    }

    /// Counts what some rows share with each candidate.
    void count_cover(const Word* rows, Count* const* to) {
        ConditionRows inside;
        keep_rows(state_.kernels, problem_.rows, std::vector<Word>(rows, rows + words_), inside);
        state_.charge(Work::packed_word, problem_.language.n_conditions * words_);
        state_.charge(Work::family_word, n_ * inside.rows.words);
        Counts counts;
        CandidateCounter(state_.kernels).count(inside, problem_.language, 0, counts);
        for (std::size_t c = 0; c < 2; ++c)
            for (std::size_t k = 0; k < n_; ++k)
                to[c][k] = static_cast<Count>(counts.of_class[c][index(k)]);
    }

    /// Clusters to begin with. Every candidate is in one.
    std::vector<std::size_t> first_clusters() const {
        std::vector<std::size_t> firsts, open{0};
        while (!open.empty()) {
            const std::size_t k = open.back();
            const auto& node = tree_->nodes()[k];
            open.pop_back();
            if (node.size() <= most_members) {
                firsts.push_back(k);
            } else {
                open.push_back(node.right);
                open.push_back(node.left);
            }
        }
        return firsts;
    }

    /// All lists whose first two rules, in either order, are a member of this cluster and one that
    /// comes after it in the tree.
    void look_at(std::size_t cluster, const Thirds& thirds, Space& space) {
        const auto& node = tree_->nodes()[cluster];
        space.costs.resize(stride_);
        if (!has_pairs_) count_members(node, space);
        for (std::size_t a = node.first; a < node.last && !state_.stopped(); ++a)
            if (worths_[a] >= least_worth_) gather_pairs(a, space);
        const Side all{0, &covers_[0]};
        visit(part(all, cluster, space), all, space.pairs.data(),
              space.pairs.data() + space.pairs.size(), thirds, space);
    }

    void count_members(const CoverTree::Node& node, Space& space) {
        space.first_member = node.first;
        for (auto& shared : space.shared) shared.resize(node.size() * stride_, 0);
        for (std::size_t a = node.first; a < node.last && !state_.stopped(); ++a) {
            const std::size_t at = (a - node.first) * stride_;
            Count* to[] = {space.shared[0].data() + at, space.shared[1].data() + at};
            count_cover(rows(a), to);
            space.members.push_back({singles_->of(a), {to[0], to[1]}, rows(a)});
        }
    }

    /// What was counted of a candidate alone; null if nothing was.
    const Cover<Count>* member(std::size_t k, const Space& space) const {
        const bool is_member =
            k >= space.first_member && k - space.first_member < space.members.size();
        return is_member ? &space.members[k - space.first_member] : nullptr;
    }

    /// The pairs of a candidate and one that comes after it in the tree.
    void gather_pairs(std::size_t a, Space& space) {
        const Cover<Count> alone = has_pairs_ ? cover(a) : *member(a, space);
        const Weights weight = alone.weight;
        const std::size_t from = (a + 1) / scan_lanes * scan_lanes;
        const std::int32_t* single[] = {singles_->weight[0].data() + from,
                                        singles_->weight[1].data() + from};
        const Count* shared[] = {alone.shared[0] + from, alone.shared[1] + from};
        state_.charge(Work::entry, stride_ - from);
        scans_.couple(
            CouplePriceScan<Count>{stride_ - from, single, shared, singles_->cost.data() + from,
                                   weight.data(), nullptr, singles_->cost[a]},
            space.costs.data());
        const float too_much = limit();
        for (std::size_t b = a + 1; b < n_; ++b)
            if (const float cost = space.costs[b - from];
                cost < too_much && worths_[b] >= least_worth_)
                space.pairs.push_back(
                    {static_cast<std::uint32_t>(a), static_cast<std::uint32_t>(b), cost});
    }

    /// A cluster, and the least cover of it that was counted (none: no rows).
    struct Side {
        std::size_t cluster;
        const Cover<Count>* cover;
    };

    const CoverTree::Node& node(const Side& side) const { return tree_->nodes()[side.cluster]; }
    bool is_counted(std::size_t cluster) const { return covers_[cluster].rows != nullptr; }
    Side part(const Side& side, std::size_t half, const Space& space) const {
        if (is_counted(half)) return {half, &covers_[half]};
        const auto& node = tree_->nodes()[half];
        const Cover<Count>* alone = node.size() == 1 ? member(node.first, space) : nullptr;
        return {half, alone != nullptr ? alone : side.cover};
    }
    /// The least cover of a candidate on one side that was counted.
    Cover<Count> least_cover(std::size_t k, const Side& side, const Space& space) const {
        if (has_pairs_) return cover(k);
        const Cover<Count>* alone = member(k, space);
        return alone != nullptr ? *alone : *side.cover;
    }
    /// How much more its cover has than a member may.
    std::int64_t excess(const Side& side) const {
        return sum(side.cover->weight) - least_[side.cluster];
    }

    /// Pairs of a member of each side, followed by any of these rules.
    void visit(const Side& a, const Side& b, Pair* first, Pair* last, const Thirds& thirds,
               Space& space) {
        Thirds fewer;
        const Thirds* open = &thirds;
        if (state_.uses(Bound::pair) && last - first > few && a.cover->rows && b.cover->rows) {
            last = leave_out(*a.cover, *b.cover, first, last, thirds, fewer, space);
            if (!fewer.empty()) open = &fewer;
        }
        if (state_.stopped()) return;
        if (last - first <= few || (node(a).size() == 1 && node(b).size() == 1)) {
            for (; first != last && !state_.stopped(); ++first)
                look_closer(*first, a, b, *open, space);
            return;
        }
        const bool is_a = node(b).size() == 1 || (node(a).size() > 1 && excess(a) >= excess(b));
        const Side& split = is_a ? a : b;
        const std::size_t left = node(split).left, right = node(split).right;
        Pair* const middle = std::partition(first, last, [&](const Pair& pair) {
            return (is_a ? pair.a : pair.b) < tree_->nodes()[left].last;
        });
        const auto visit_part = [&](std::size_t half, Pair* from, Pair* to) {
            const Side some = part(split, half, space);
            visit(is_a ? some : a, is_a ? b : some, from, to, *open, space);
        };
        visit_part(left, first, middle);
        visit_part(right, middle, last);
    }

    /// Leaves out pairs of rules inside two covers after which any third rule costs too much.
    /// `fewer` are the third rules of use after those that are left; none if nothing is known.
    Pair* leave_out(const Cover<Count>& a, const Cover<Count>& b, Pair* first, Pair* last,
                    const Thirds& thirds, Thirds& fewer, Space& space) {
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
        const float least = scan(a, b, both, too_much - cheapest, thirds, fewer, space);
        if (dear != first) fewer.clear();
        return std::partition(dear, last,
                              [&](const Pair& pair) { return pair.cost + least < too_much; });
    }

    Weights shared_weight(const Word* a, const Word* b) const {
        return samrule::shared_weight(state_.kernels, problem_.rows.rows, a, b);
    }

    /// Lower bound on the cost of a rule and a default on the rows outside both covers; `fewer` are
    /// the third rules that may cost less than `room`, and space.costs their bounds.
    float scan(const Cover<Count>& a, const Cover<Count>& b, const Weights& both, float room,
               const Thirds& thirds, Thirds& fewer, Space& space) {
        const Weights a_only = a.weight - both, b_only = b.weight - both;
        const Weights rest = all_ - a.weight - b_only;
        const auto single = singles_->rows();
        state_.charge(Work::entry, thirds.size() * third_lanes);
        fewer.resize(thirds.size());
        space.costs.resize(std::max(space.costs.size(), thirds.size() * third_lanes));
        const OpenThirds found =
            scans_.third(ThirdPriceScan<Count>{thirds.size(), thirds.data(), single.data(),
                                               a.shared.data(), b.shared.data(), a_only.data(),
                                               b_only.data(), both.data(), rest.data(), room},
                         fewer.data(), space.costs.data());
        fewer.resize(found.n_blocks);
        return found.least;
    }

    /// Two rules, and each third after them.
    void look_closer(const Pair& pair, const Side& a, const Side& b, const Thirds& thirds,
                     Space& space) {
        const float room = limit() - pair.cost;
        const Cover<Count> of_a = least_cover(pair.a, a, space);
        const Cover<Count> of_b = least_cover(pair.b, b, space);
        const bool is_bounded = state_.uses(Bound::triple) && of_a.rows && of_b.rows;
        Thirds fewer;
        if (is_bounded)
            scan(of_a, of_b, shared_weight(of_a.rows, of_b.rows), room, thirds, fewer, space);
        const Thirds& open = is_bounded ? fewer : thirds;
        if (open.empty()) return;
        const Weights both = shared_weight(rows(pair.a), rows(pair.b));
        count_thirds(pair, open, space);
        const std::size_t n = open.size() * third_lanes;
        const Weights rest = all_ - singles_->of(pair.a) - singles_->of(pair.b) + both;
        const std::int32_t* taken[] = {space.taken[0].data(), space.taken[1].data()};
        const std::int32_t* nothing[] = {space.nothing.data(), space.nothing.data()};
        space.costs.resize(std::max(space.costs.size(), n));
        scans_.pair(PairScan<std::int32_t>{n, 2, taken, nothing, rest.data()}, space.costs.data());
        for (std::size_t k = 0; k < n; ++k) {
            const std::size_t l = open[k / third_lanes] * third_lanes + k % third_lanes;
            if (l < n_ && l != pair.a && l != pair.b && space.costs[k] < room)
                offer(pair, l, both, {taken[0][k], taken[1][k]});
        }
    }

    /// Counts what third rules take of the rows that two leave.
    void count_thirds(const Pair& pair, const Thirds& thirds, Space& space) {
        space.left.resize(words_);
        for (std::size_t w = 0; w < words_; ++w)
            space.left[w] = ~(rows(pair.a)[w] | rows(pair.b)[w]);
        const std::size_t n = thirds.size() * third_lanes;
        for (auto* numbers : {&space.taken[0], &space.taken[1], &space.nothing})
            numbers->resize(std::max(numbers->size(), n), 0);
        state_.charge(Work::row_word, n * words_);
        const auto& segments = problem_.rows.rows.segments;
        for (std::size_t k = 0; k < thirds.size(); ++k) {
            std::int32_t* of_class[] = {space.taken[0].data() + k * third_lanes,
                                        space.taken[1].data() + k * third_lanes};
            state_.kernels.count_row(space.left.data(), rows(thirds[k] * third_lanes), words_,
                                     third_lanes, segments.data(), segments.size(), 2, of_class);
        }
    }

    /// A list whose third rule takes such rows.
    void offer(const Pair& pair, std::size_t l, const Weights& both, const Weights& taken) {
        const Weights x = singles_->of(pair.a), y = singles_->of(pair.b);
        const Pricing& pricing = state_.pricing;
        const Cost others = cost_of(pricing, taken) +
                            cost_of(pricing, all_ - x - y + both - taken) + 3 * state_.rule_cost;
        const Cost a_first = others + cost_of(pricing, x) + cost_of(pricing, y - both);
        const Cost b_first = others + cost_of(pricing, y) + cost_of(pricing, x - both);
        const auto number = [&](std::size_t k) { return problem_.language.candidate[index(k)]; };
        const std::int32_t a = number(pair.a), b = number(pair.b), c = number(l);
        if (a_first <= wanted_->limit()) wanted_->offer({a_first, {a, b, c}});
        if (b_first <= wanted_->limit()) wanted_->offer({b_first, {b, a, c}});
    }

    State& state_;
    const ConjunctionProblem problem_;
    const PriceScans scans_;
    const Weights all_;
    const std::size_t n_, stride_, words_;
    std::vector<Word> rows_;  ///< of each candidate, and of none up to a full block
    std::unique_ptr<CoverTree> tree_;
    std::optional<Singles> singles_;
    std::vector<Cost> worths_;
    std::vector<std::int64_t> least_;                 ///< the least weight of a member, by cluster
    std::array<std::unique_ptr<Count[]>, 2> shared_;  ///< of each two candidates
    std::vector<std::size_t> clusters_;               ///< those that are counted
    std::vector<Word> cluster_rows_;
    std::array<std::vector<Count>, 2> cluster_shared_;
    std::vector<Cover<Count>> covers_;  ///< by cluster, empty if not counted
    bool has_pairs_ = true;    ///< else what a candidate shares is counted when it comes first
    std::size_t claimed_ = 0;  ///< bytes
    Wanted* wanted_ = nullptr;
    Cost least_worth_ = 0;
};

template <class Count>
std::unique_ptr<PricedTriples> counted(State& state, const ConjunctionProblem& problem) {
    auto triples = std::make_unique<Triples<Count>>(state, problem);
    if (!triples->count()) return nullptr;
    return triples;
}

}  // namespace

bool have_room_for_triples(const State& state, const ConditionRows& rows, std::size_t n) {
    return state.has_room(fits_16_bits(rows.weight)
                              ? Triples<std::uint16_t>::bytes(n, rows.rows.words)
                              : Triples<std::uint32_t>::bytes(n, rows.rows.words));
}

std::unique_ptr<PricedTriples> priced_triples(State& state, const ConjunctionProblem& problem) {
    return fits_16_bits(problem.rows.weight) ? counted<std::uint16_t>(state, problem)
                                             : counted<std::uint32_t>(state, problem);
}

}  // namespace samrule
