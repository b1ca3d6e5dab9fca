/// Some of the rows packed together, so that nothing is counted where no row is left.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "state.hpp"

namespace samrule {

/// Rows packed together, segment by segment.
struct PackedRows {
    std::vector<Segment> segments;
    std::size_t words = 0;
    std::size_t n_slots = 0;
};

/// Which packed slots to keep: those that `column` covers, or the others; and where they go.
void choose_rows(const State& state, const PackedRows& from, const Word* column, bool covered,
                 std::vector<Word>& keep, PackedRows& to);

/// How packed columns lie: one after the other, or in groups to be counted (see group_size).
enum class Layout { columns, groups };

/// Packs the kept slots of the chosen columns of `bits` together. What fills up the last group is
/// left as it is.
void pack_columns(const State& state, const PackedRows& from, const std::vector<Word>& bits,
                  std::span<const std::int32_t> chosen, const std::vector<Word>& keep,
                  const PackedRows& to, Layout layout, std::vector<Word>& packed);

/// Segments without slots cost a loop each for nothing.
void drop_empty_segments(PackedRows& rows);

}  // namespace samrule
