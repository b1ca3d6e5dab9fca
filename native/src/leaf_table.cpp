#include "leaf_table.hpp"

#include <algorithm>
#include <span>

namespace samrule {
namespace {

/// Neighbouring conditions of a leaf that are neighbours in its node too: long runs, since both
/// are in the same order, and loops over runs are vectorized where a gather is not.
struct Run {
    std::size_t to, from, length;
};

std::vector<Run> runs_of(std::span<const std::int32_t> index) {
    std::vector<Run> runs;
    for (std::size_t k = 0; k < index.size(); ++k) {
        const auto from = static_cast<std::size_t>(index[k]);
        if (runs.empty() || runs.back().from + runs.back().length != from)
            runs.push_back({k, from, 0});
        ++runs.back().length;
    }
    return runs;
}

/// The rows and columns of the complements, from those of what they complement.
template <class Count>
void derive_complements(LeafTable<Count>& leaf, std::size_t c) {
    const std::size_t m = leaf.n_counted(), n_paired = leaf.n_paired;
    const Count* single = leaf.single(c);
    Count* rows = leaf.counts.data() + c * leaf.n_rows() * leaf.padded;
    for (std::size_t a = 0; a < leaf.n_leading; ++a) {
        Count* row = rows + a * leaf.padded;
        for (std::size_t b = 0; b < n_paired; ++b)
            row[m + b] = static_cast<Count>(single[a] - row[b]);
    }
    for (std::size_t a = 0; a < n_paired; ++a) {
        const Count* row = rows + a * leaf.padded;
        Count* other = rows + (leaf.n_leading + a) * leaf.padded;
        for (std::size_t b = 0; b < leaf.n; ++b) other[b] = static_cast<Count>(single[b] - row[b]);
    }
}

}  // namespace

template <class Count>
bool fill(LeafTable<Count>& leaf, const LeafPlace& place, const Arrangement& arrangement,
          State& state, Workspace& space) {
    const Node& node = *place.node;
    const std::size_t n = arrangement.size(), m = arrangement.n_counted();
    const std::size_t n_leading = arrangement.n_leading, n_classes = node.n_classes();
    leaf.n = n;
    leaf.padded = padded_size(n);
    // As last rule a condition and its complement make the same list, but for their support.
    leaf.n_paired = arrangement.n_paired;
    leaf.n_last = state.options.min_support > 0 ? n : m;
    leaf.n_leading = n_leading;
    leaf.source = arrangement.index;
    make_room(leaf.counts, n_classes * leaf.n_rows() * leaf.padded);
    leaf.singles.resize(n_classes * leaf.padded);
    leaf.class_weight.resize(n_classes);

    const bool whole = place.rule == no_rule;
    const auto rule = static_cast<std::size_t>(place.rule);
    const bool by_difference = !whole && covers_fewer(state, node, node.column(rule));
    if (!whole && !count_side(state, node, node.column(rule), by_difference, arrangement, space))
        return false;
    state.charge(Work::entry, n_classes * leaf.n_rows() * leaf.padded);
    const std::vector<Run> runs = runs_of(std::span(leaf.source).first(m));
    for (std::size_t c = 0; c < n_classes; ++c) {
        leaf.class_weight[c] =
            static_cast<Count>(node.class_weight[c] - (whole ? 0 : node.weight_of(c, rule)));
        Count* single = leaf.singles.data() + c * leaf.padded;
        for (std::size_t a = 0; a < n; ++a) {
            const auto k = static_cast<std::size_t>(leaf.source[a]);
            single[a] =
                static_cast<Count>(node.weight_of(c, k) - (whole ? 0 : node.shared(c, rule)[k]));
        }
        std::fill(single + n, single + leaf.padded, Count{0});
        for (std::size_t a = 0; a < n_leading; ++a) {
            Count* row = leaf.counts.data() + (c * leaf.n_rows() + a) * leaf.padded;
            const std::int32_t* all = node.shared(c, static_cast<std::size_t>(leaf.source[a]));
            const std::int32_t* side =
                whole ? nullptr : space.counted.data() + (c * n_leading + a) * m;
            if (whole || by_difference)
                for (const Run& run : runs) {
                    Count* to = row + run.to;
                    const std::int32_t* from = all + run.from;
                    const std::int32_t* minus = whole ? nullptr : side + run.to;
                    if (whole)
                        for (std::size_t b = 0; b < run.length; ++b)
                            to[b] = static_cast<Count>(from[b]);
                    else
                        for (std::size_t b = 0; b < run.length; ++b)
                            to[b] = static_cast<Count>(from[b] - minus[b]);
                }
            else
                for (std::size_t b = 0; b < m; ++b) row[b] = static_cast<Count>(side[b]);
            std::fill(row + n, row + leaf.padded, Count{0});
        }
        for (std::size_t a = n_leading; a < leaf.n_rows(); ++a) {
            Count* row = leaf.counts.data() + (c * leaf.n_rows() + a) * leaf.padded;
            std::fill(row + n, row + leaf.padded, Count{0});
        }
        derive_complements(leaf, c);
    }
    return true;
}

template <class Count>
void copy_kept(const LeafTable<Count>& leaf, const std::vector<std::uint8_t>& keep,
               LeafTable<Count>& kept) {
    SAMRULE_ASSERT(leaf.n_leading == leaf.n_counted() && keep.size() >= leaf.n);
    // In the same arrangement: pairs of which both are kept, the others, the complements.
    const std::size_t first_complement = leaf.n - leaf.n_paired;
    std::vector<std::int32_t> index, complements;
    for (std::size_t k = 0; k < leaf.n_paired; ++k)
        if (keep[k] && keep[first_complement + k]) {
            index.push_back(static_cast<std::int32_t>(k));
            complements.push_back(static_cast<std::int32_t>(first_complement + k));
        }
    for (std::size_t k = 0; k < leaf.n; ++k) {
        const bool paired = k < leaf.n_paired       ? keep[first_complement + k] != 0
                            : k >= first_complement ? keep[k - first_complement] != 0
                                                    : false;
        if (keep[k] && !paired) index.push_back(static_cast<std::int32_t>(k));
    }
    index.insert(index.end(), complements.begin(), complements.end());

    const std::size_t n = index.size(), n_classes = leaf.n_classes();
    kept.n = n;
    kept.padded = padded_size(n);
    kept.n_paired = complements.size();
    kept.n_leading = n - kept.n_paired;
    kept.n_last = leaf.n_last == leaf.n && leaf.n_paired > 0 ? n : n - kept.n_paired;
    kept.class_weight = leaf.class_weight;
    kept.source.resize(n);
    kept.counts.assign(n_classes * n * kept.padded, 0);
    kept.singles.assign(n_classes * kept.padded, 0);
    const std::vector<Run> runs = runs_of(index);
    for (std::size_t a = 0; a < n; ++a)
        kept.source[a] = leaf.source[static_cast<std::size_t>(index[a])];
    for (std::size_t c = 0; c < n_classes; ++c)
        for (std::size_t a = 0; a < n; ++a) {
            const Count* from = leaf.shared(c, static_cast<std::size_t>(index[a]));
            Count* to = kept.counts.data() + (c * n + a) * kept.padded;
            for (const Run& run : runs) std::copy_n(from + run.from, run.length, to + run.to);
            kept.singles[c * kept.padded + a] = to[a];
        }
}

template bool fill(LeafTable<std::int16_t>&, const LeafPlace&, const Arrangement&, State&,
                   Workspace&);
template bool fill(LeafTable<std::int32_t>&, const LeafPlace&, const Arrangement&, State&,
                   Workspace&);
template void copy_kept(const LeafTable<std::int16_t>&, const std::vector<std::uint8_t>&,
                        LeafTable<std::int16_t>&);
template void copy_kept(const LeafTable<std::int32_t>&, const std::vector<std::uint8_t>&,
                        LeafTable<std::int32_t>&);

}  // namespace samrule
