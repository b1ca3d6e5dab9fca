#include "node.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <span>

namespace samrule {
namespace {

/// Row i of a symmetric table of which `n_rows` rows are wanted, from the diagonal on or before.
void count_table_row(const State& state, const std::vector<Word>& groups, const PackedRows& rows,
                     std::size_t i, std::size_t n_rows, std::size_t n, std::size_t n_classes,
                     std::int32_t* table) {
    constexpr std::size_t few = 8;
    std::int32_t* of_few[few];
    std::vector<std::int32_t*> of_many(n_classes > few ? n_classes : 0);
    std::int32_t** counts = n_classes > few ? of_many.data() : of_few;
    for (std::size_t c = 0; c < n_classes; ++c) counts[c] = table + (c * n_rows + i) * n;
    state.kernels.count_grouped_row(groups.data(), rows.words, i, n, rows.segments.data(),
                                    rows.segments.size(), static_cast<std::int32_t>(n_classes),
                                    counts);
}

/// The node's columns in groups.
std::vector<Word> in_groups(const Node& node) {
    const std::size_t words = node.rows.words;
    std::vector<Word> groups((node.size() + group_size - 1) / group_size * group_size * words, 0);
    for (std::size_t j = 0; j < node.size(); ++j) {
        Word* to = groups.data() + j / group_size * group_size * words + j % group_size;
        for (std::size_t w = 0; w < words; ++w) to[w * group_size] = node.column(j)[w];
    }
    return groups;
}

/// Copies what is right of the diagonal to the left of it, tile by tile so that both sides stay
/// in the cache.
void mirror(std::int32_t* table, std::size_t n_rows, std::size_t n) {
    constexpr std::size_t tile = 32;
    for (std::size_t i0 = 0; i0 < n_rows; i0 += tile)
        for (std::size_t j0 = i0; j0 < n_rows; j0 += tile)
            for (std::size_t i = i0; i < std::min(n_rows, i0 + tile); ++i)
                for (std::size_t j = std::max(j0, i + 1); j < std::min(n_rows, j0 + tile); ++j)
                    table[j * n + i] = table[i * n + j];
}

/// Counts the first `n_rows` conditions with all, which lie in groups. False, with the table
/// unusable, if stopped meanwhile.
bool count_table(State& state, const std::vector<Word>& groups, const PackedRows& rows,
                 std::size_t n_rows, std::size_t n, std::size_t n_classes,
                 std::vector<std::int32_t>& table) {
    // Only large tables take long enough to be stopped or worth sharing among threads.
    constexpr std::size_t large = 400;
    make_room(table, n_classes * n_rows * n);
    const std::size_t n_pairs = n_rows * n - n_rows * n_rows / 2;
    state.charge(Work::pair_word, n_pairs * (rows.words + rows.segments.size()));
    const auto count = [&](std::size_t i) {
        count_table_row(state, groups, rows, i, n_rows, n, n_classes, table.data());
    };
    if (n_rows >= large) {
        state.team.for_each(n_rows, [&](std::size_t i) {
            if (!state.stopped()) count(i);
        });
        if (state.stopped()) return false;
    } else {
        for (std::size_t i = 0; i < n_rows; ++i) count(i);
    }
    for (std::size_t c = 0; c < n_classes; ++c) mirror(table.data() + c * n_rows * n, n_rows, n);
    return true;
}

/// Extends the counts of the counted conditions to their complements: a row that satisfies i
/// satisfies either j or its complement.
void derive_complements(const std::vector<std::int32_t>& counted, const Arrangement& arrangement,
                        std::span<const std::int64_t> class_weight,
                        std::vector<std::int32_t>& table) {
    const std::size_t n = arrangement.size(), m = arrangement.n_counted();
    const std::size_t n_paired = arrangement.n_paired;
    make_room(table, class_weight.size() * n * n);
    for (std::size_t c = 0; c < class_weight.size(); ++c) {
        const std::int32_t* from = counted.data() + c * m * m;
        std::int32_t* to = table.data() + c * n * n;
        const auto all = static_cast<std::int32_t>(class_weight[c]);
        for (std::size_t i = 0; i < m; ++i) {
            const std::int32_t* row = from + i * m;
            std::int32_t* out = to + i * n;
            const std::int32_t single = row[i];
            for (std::size_t j = 0; j < m; ++j) out[j] = row[j];
            for (std::size_t j = 0; j < n_paired; ++j) out[m + j] = single - row[j];
        }
        for (std::size_t i = 0; i < n_paired; ++i) {
            const std::int32_t* row = from + i * m;
            std::int32_t* out = to + (m + i) * n;
            const std::int32_t outside = all - row[i];
            for (std::size_t j = 0; j < m; ++j) out[j] = from[j * m + j] - row[j];
            for (std::size_t j = 0; j < n_paired; ++j)
                out[m + j] = outside - from[j * m + j] + row[j];
        }
    }
}

/// Rows of a node that are covered next, by a rule or by several together.
struct TakenRows {
    const Word* column;                       ///< the set of them
    std::vector<const std::int32_t*> shared;  ///< [c][j]: class-c weight of condition j in it
    std::vector<std::int64_t> class_weight;
};

/// Makes `child` what `covered` leaves of the node, but for where it comes from.
bool make_child_without(State& state, const Node& node, const TakenRows& covered, Workspace& space,
                        Node& child, Cost least_worth) {
    const std::size_t n_classes = node.n_classes();
    SAMRULE_ASSERT(&child != &node);
    child.is_restricted = node.is_restricted;
    child.most_left_out = nothing_left_out;
    child.beyond = nothing_beyond;
    child.is_root = false;
    child.known.clear();
    child.first_bound.clear();
    child.class_weight = node.class_weight;
    for (std::size_t c = 0; c < n_classes; ++c) child.class_weight[c] -= covered.class_weight[c];
    child.weight =
        std::accumulate(child.class_weight.begin(), child.class_weight.end(), INT64_C(0));

    std::vector<std::int32_t> still_alive;
    for (std::size_t j = 0; j < node.size(); ++j) {
        if (node.is_twin[j]) continue;
        const Gain g = state.pricing.group(
            n_classes, [&](std::size_t c) { return node.weight_of(c, j) - covered.shared[c][j]; });
        if (g.weight == 0 || g.weight == child.weight) continue;
        if (g.worth >= least_worth)
            still_alive.push_back(static_cast<std::int32_t>(j));
        else
            child.most_left_out = std::max(child.most_left_out, g.worth);
    }
    arrange(node, still_alive, space.arrangement);
    child.parent_index = space.arrangement.index;
    child.candidate.clear();
    for (const std::int32_t j : child.parent_index)
        child.candidate.push_back(node.candidate[static_cast<std::size_t>(j)]);
    const std::size_t n = child.size();
    if (!state.claim(n * node.rows.words * sizeof(Word) + n_classes * n * n * sizeof(std::int32_t),
                     child.claimed))
        return false;
    make_room(child.table, n_classes * n * n);

    const bool by_difference = covers_fewer(state, node, covered.column);
    if (!count_side(state, node, covered.column, by_difference, space.arrangement, space))
        return false;
    derive_complements(space.counted, space.arrangement,
                       by_difference ? covered.class_weight : child.class_weight, space.table);
    if (by_difference)
        for (std::size_t c = 0; c < n_classes; ++c)
            for (std::size_t a = 0; a < n; ++a) {
                const std::int32_t* whole =
                    node.shared(c, static_cast<std::size_t>(child.parent_index[a]));
                const std::int32_t* part = space.table.data() + (c * n + a) * n;
                std::int32_t* out = child.table.data() + (c * n + a) * n;
                for (std::size_t b = 0; b < n; ++b) out[b] = whole[child.parent_index[b]] - part[b];
            }
    else
        child.table.swap(space.table);
    copy_diagonals(child, n_classes);
    find_complements(state, child);
    state.charge(Work::entry, 2 * n_classes * n * n);
    state.charge(Work::packed_word, n * node.rows.words);
    choose_rows(state, node.rows, covered.column, false, space.keep, child.rows);
    pack_columns(state, node.rows, node.bits, child.parent_index, space.keep, child.rows,
                 Layout::columns, child.bits);
    drop_empty_segments(child.rows);
    if (state.uses(Bound::twins))
        find_twins(child, n_classes);
    else
        child.is_twin.assign(n, 0);
    return true;
}

}  // namespace

bool make_table(State& state, Node& node) {
    const std::size_t n = node.size();
    const std::size_t grouped = (n + group_size) * node.rows.words;
    if (!state.claim((node.bits.size() + grouped) * sizeof(Word) +
                         node.n_classes() * n * n * sizeof(std::int32_t),
                     node.claimed))
        return false;
    if (!count_table(state, in_groups(node), node.rows, n, n, node.n_classes(), node.table))
        return false;
    copy_diagonals(node, node.n_classes());
    find_complements(state, node);
    node.parent = nullptr;
    node.known.clear();
    node.first_bound.clear();
    node.drop_level = 0;
    node.beyond = nothing_beyond;
    node.uncovered.assign(state.instance.words, 0);
    if (state.uses(Bound::twins))
        find_twins(node, node.n_classes());
    else
        node.is_twin.assign(n, 0);
    return true;
}

Gain gain(const Pricing& pricing, const Node& node, std::size_t i) {
    return pricing.group(node.n_classes(), [&](std::size_t c) { return node.weight_of(c, i); });
}

Gain gain_after(const Pricing& pricing, const Node& node, std::size_t before, std::size_t i) {
    return pricing.group(node.n_classes(), [&](std::size_t c) {
        return node.weight_of(c, i) - node.shared(c, before)[i];
    });
}

Cost default_cost_after(const Pricing& pricing, const Node& node, std::size_t i) {
    return pricing
        .group(node.n_classes(),
               [&](std::size_t c) { return node.class_weight[c] - node.weight_of(c, i); })
        .cost;
}

bool make_root(State& state, Node& root) {
    const Instance& instance = state.instance;
    root.rows.segments = instance.segments;
    root.rows.words = instance.words;
    root.uncovered.assign(instance.words, 0);
    for (const Segment& s : instance.segments) {
        root.rows.n_slots += s.n_slots;
        for (std::size_t w = 0; w < s.n_words; ++w)
            root.uncovered[s.first_word + w] = low_bits(s.n_slots - w * bits_per_word);
    }
    root.class_weight = instance.class_weight;
    root.weight = std::accumulate(root.class_weight.begin(), root.class_weight.end(), INT64_C(0));
    root.candidate.resize(instance.n_candidates());
    std::iota(root.candidate.begin(), root.candidate.end(), 0);
    root.bits = instance.bits;
    root.is_root = true;
    std::vector<Word> uncovered = root.uncovered;
    if (!make_table(state, root)) return false;
    root.uncovered = std::move(uncovered);
    root.key = key_of(root.uncovered);
    return true;
}

Subproblem key_of(const std::vector<Word>& uncovered) {
    // Each lane waits for its own last product only.
    constexpr std::size_t n_lanes = 4;
    std::array<Word, n_lanes> a, b;
    for (std::size_t lane = 0; lane < n_lanes; ++lane) {
        a[lane] = 0x243F6A8885A308D3ULL + lane;
        b[lane] = 0x13198A2E03707344ULL + lane;
    }
    const auto mix = [&](std::size_t lane, Word w) {
        a[lane] = (a[lane] ^ w) * 0x9E3779B97F4A7C15ULL;
        a[lane] ^= a[lane] >> 32;
        b[lane] = (b[lane] + w) * 0xD6E8FEB86659FD93ULL;
        b[lane] ^= b[lane] >> 29;
    };
    std::size_t k = 0;
    for (; k + n_lanes <= uncovered.size(); k += n_lanes)
        for (std::size_t lane = 0; lane < n_lanes; ++lane) mix(lane, uncovered[k + lane]);
    for (; k < uncovered.size(); ++k) mix(0, uncovered[k]);
    for (std::size_t lane = 1; lane < n_lanes; ++lane) {
        a[0] = (a[0] ^ a[lane]) * 0x9E3779B97F4A7C15ULL;
        a[0] ^= a[0] >> 32;
        b[0] = (b[0] + b[lane]) * 0xD6E8FEB86659FD93ULL;
        b[0] ^= b[0] >> 29;
    }
    return {a[0] ^ (a[0] >> 17), b[0]};
}

Subproblem key_after(const State& state, const Node& node, std::size_t i,
                     std::vector<Word>& uncovered) {
    const Word* covered = state.instance.candidate(static_cast<std::size_t>(node.candidate[i]));
    uncovered.resize(node.uncovered.size());
    for (std::size_t k = 0; k < uncovered.size(); ++k)
        uncovered[k] = node.uncovered[k] & ~covered[k];
    return key_of(uncovered);
}

bool covers_fewer(const State& state, const Node& node, const Word* column) {
    const auto covered =
        static_cast<std::size_t>(state.kernels.count_and(column, column, node.rows.words));
    return 2 * covered <= node.rows.n_slots;
}

bool count_side(State& state, const Node& node, const Word* column, bool covered,
                const Arrangement& arrangement, Workspace& space) {
    SAMRULE_ASSERT(arrangement.n_leading <= arrangement.n_counted());
    choose_rows(state, node.rows, column, covered, space.keep, space.rows);
    const std::size_t m = arrangement.n_counted(), n = arrangement.size();
    if (!state.claim((m + group_size) * space.rows.words * sizeof(Word) +
                         node.n_classes() * (m * m + n * n) * sizeof(std::int32_t),
                     space.claimed))
        return false;
    state.charge(Work::packed_word, m * node.rows.words);
    pack_columns(state, node.rows, node.bits, std::span(arrangement.index).first(m), space.keep,
                 space.rows, Layout::groups, space.groups);
    drop_empty_segments(space.rows);
    return count_table(state, space.groups, space.rows, arrangement.n_leading, m, node.n_classes(),
                       space.counted);
}

bool make_child(State& state, const Node& node, std::size_t i, Workspace& space, Node& child,
                Cost least_worth) {
    SAMRULE_ASSERT(i < node.size());
    child.parent = &node;
    child.rule = static_cast<std::int32_t>(i);
    child.rule_worth = gain(state.pricing, node, i).worth;
    TakenRows covered{node.column(i), {}, {}};
    for (std::size_t c = 0; c < node.n_classes(); ++c) {
        covered.shared.push_back(node.shared(c, i));
        covered.class_weight.push_back(node.weight_of(c, i));
    }
    return make_child_without(state, node, covered, space, child, least_worth);
}

bool make_child(State& state, const Node& node, const std::vector<std::int32_t>& rules,
                Workspace& space, Node& child) {
    const std::size_t n_classes = node.n_classes(), words = node.rows.words, n = node.size();
    child.parent = nullptr;
    child.rule = no_rule;
    child.rule_worth = 0;
    std::vector<Word> column(words, 0);
    for (const std::int32_t rule : rules) {
        const Word* one = node.column(static_cast<std::size_t>(rule));
        for (std::size_t w = 0; w < words; ++w) column[w] |= one[w];
    }
    std::vector<std::int32_t> counts(n_classes * n);
    std::vector<std::int32_t*> of_class;
    for (std::size_t c = 0; c < n_classes; ++c) of_class.push_back(counts.data() + c * n);
    state.charge(Work::row_word, n * words);
    state.kernels.count_row(column.data(), node.bits.data(), words, n, node.rows.segments.data(),
                            node.rows.segments.size(), static_cast<std::int32_t>(n_classes),
                            of_class.data());
    TakenRows covered{column.data(), {of_class.begin(), of_class.end()}, {}};
    covered.class_weight.assign(n_classes, 0);
    for (const Segment& s : node.rows.segments) {
        const Word* from = column.data() + s.first_word;
        covered.class_weight[static_cast<std::size_t>(s.klass)] +=
            state.kernels.count_and(from, from, s.n_words) * s.weight;
    }
    return make_child_without(state, node, covered, space, child, 0);
}

}  // namespace samrule
