#include "packed_rows.hpp"

#include <algorithm>
#include <array>

namespace samrule {

void choose_rows(const State& state, const PackedRows& from, const Word* column, bool covered,
                 std::vector<Word>& keep, PackedRows& to) {
    keep.resize(from.words);
    to.segments = from.segments;
    to.words = 0;
    to.n_slots = 0;
    for (std::size_t s = 0; s < from.segments.size(); ++s) {
        const Segment& old = from.segments[s];
        for (std::size_t w = 0; w < old.n_words; ++w) {
            const Word inside = low_bits(old.n_slots - w * bits_per_word);
            const Word bits = column[old.first_word + w];
            keep[old.first_word + w] = covered ? bits : ~bits & inside;
        }
        const Word* kept = keep.data() + old.first_word;
        const auto n_slots =
            static_cast<std::size_t>(state.kernels.count_and(kept, kept, old.n_words));
        Segment& packed = to.segments[s];
        packed.n_slots = static_cast<std::uint32_t>(n_slots);
        packed.n_words = static_cast<std::uint32_t>(words_for(n_slots));
        packed.first_word = static_cast<std::uint32_t>(to.words);
        to.words += packed.n_words;
        to.n_slots += n_slots;
    }
}

void pack_columns(const State& state, const PackedRows& from, const std::vector<Word>& bits,
                  std::span<const std::int32_t> chosen, const std::vector<Word>& keep,
                  const PackedRows& to, Layout layout, std::vector<Word>& packed) {
    const std::size_t stride = layout == Layout::groups ? group_size : 1;
    make_room(packed, (chosen.size() + stride - 1) / stride * stride * to.words);
    constexpr std::size_t at_once = 4;
    std::array<const Word*, at_once> sources;
    std::array<Word*, at_once> targets;
    for (std::size_t first = 0; first < chosen.size(); first += at_once) {
        const std::size_t n = std::min(at_once, chosen.size() - first);
        for (std::size_t s = 0; s < from.segments.size(); ++s) {
            const Segment& old = from.segments[s];
            for (std::size_t k = 0; k < n; ++k) {
                const auto j = static_cast<std::size_t>(chosen[first + k]);
                sources[k] = bits.data() + j * from.words + old.first_word;
                // In groups of one column each, columns lie one after the other.
                const std::size_t column = first + k, group = column / stride;
                targets[k] = packed.data() + column % stride +
                             (group * to.words + to.segments[s].first_word) * stride;
            }
            state.kernels.compact(sources.data(), n, keep.data() + old.first_word, old.n_words,
                                  targets.data(), stride);
        }
    }
}

void drop_empty_segments(PackedRows& rows) {
    std::erase_if(rows.segments, [](const Segment& s) { return s.n_slots == 0; });
}

}  // namespace samrule
