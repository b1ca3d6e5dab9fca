#include "samrule/table.hpp"

#include <bit>
#include <cstring>

namespace samrule {
namespace {

constexpr Word all_bytes_above_one = 0xFEFEFEFEFEFEFEFEULL;

/// The first bad cell in a block of rows; called only when there is one.
std::pair<std::size_t, std::size_t> find_bad_cell(const ByteMatrix& m) {
    for (std::size_t row = 0; row < m.n_rows; ++row)
        for (std::size_t j = 0; j < m.n_columns; ++j)
            if (m.data[static_cast<std::ptrdiff_t>(row) * m.row_stride +
                       static_cast<std::ptrdiff_t>(j) * m.column_stride] > 1)
                return {row, j};
    return {m.n_rows, m.n_columns};
}

/// Eight rows of eight 0/1 bytes: shifting row r left by r and adding up puts the eight rows of
/// column j into byte j.
template <class Load>
Word gather_8x8(const std::uint8_t* first, std::ptrdiff_t row_stride, std::size_t n_rows,
                Word& seen, Load load) {
    Word gathered = 0;
    for (std::size_t r = 0; r < n_rows; ++r) {
        const Word row = load(first + static_cast<std::ptrdiff_t>(r) * row_stride);
        seen |= row;
        gathered |= row << r;
    }
    return gathered;
}

/// Rows are contiguous: gather eight columns at a time.
Word pack_row_major(const ByteMatrix& m, std::vector<Word>& bits) {
    const std::size_t words = words_for(m.n_rows);
    auto* bytes = reinterpret_cast<std::uint8_t*>(bits.data());
    Word seen = 0;
    const auto load_all = [](const std::uint8_t* from) {
        Word row;
        std::memcpy(&row, from, sizeof(row));
        return row;
    };
    for (std::size_t row = 0; row < m.n_rows; row += 8) {
        const std::size_t n_rows = std::min<std::size_t>(8, m.n_rows - row);
        const auto* first = m.data + static_cast<std::ptrdiff_t>(row) * m.row_stride;
        for (std::size_t j = 0; j < m.n_columns; j += 8) {
            const std::size_t n_bytes = std::min<std::size_t>(8, m.n_columns - j);
            const auto load_some = [n_bytes](const std::uint8_t* from) {
                Word some = 0;
                for (std::size_t k = 0; k < n_bytes; ++k) some |= Word{from[k]} << (8 * k);
                return some;
            };
            Word gathered = n_bytes == 8
                                ? gather_8x8(first + j, m.row_stride, n_rows, seen, load_all)
                                : gather_8x8(first + j, m.row_stride, n_rows, seen, load_some);
            for (std::size_t k = 0; k < n_bytes; ++k, gathered >>= 8)
                bytes[(j + k) * words * 8 + row / 8] = static_cast<std::uint8_t>(gathered);
        }
    }
    return seen;
}

/// Columns are contiguous: multiplying eight 0/1 bytes by this constant collects them, first
/// byte lowest, in the top byte.
Word pack_column_major(const ByteMatrix& m, std::vector<Word>& bits) {
    constexpr Word collect = 0x0102040810204080ULL;
    const std::size_t words = words_for(m.n_rows);
    auto* bytes = reinterpret_cast<std::uint8_t*>(bits.data());
    Word seen = 0;
    for (std::size_t j = 0; j < m.n_columns; ++j) {
        const auto* column = m.data + static_cast<std::ptrdiff_t>(j) * m.column_stride;
        for (std::size_t row = 0; row < m.n_rows; row += 8) {
            Word eight = 0;
            std::memcpy(&eight, column + row, std::min<std::size_t>(8, m.n_rows - row));
            seen |= eight;
            bytes[j * words * 8 + row / 8] = static_cast<std::uint8_t>((eight * collect) >> 56);
        }
    }
    return seen;
}

Word pack_strided(const ByteMatrix& m, std::vector<Word>& bits) {
    const std::size_t words = words_for(m.n_rows);
    Word seen = 0;
    for (std::size_t j = 0; j < m.n_columns; ++j)
        for (std::size_t row = 0; row < m.n_rows; ++row) {
            const Word value = m.data[static_cast<std::ptrdiff_t>(row) * m.row_stride +
                                      static_cast<std::ptrdiff_t>(j) * m.column_stride];
            seen |= value;
            bits[j * words + row / 64] |= (value & 1) << (row % 64);
        }
    return seen;
}

}  // namespace

std::optional<std::pair<std::size_t, std::size_t>> pack(const ByteMatrix& m,
                                                        std::vector<Word>& bits) {
    static_assert(std::endian::native == std::endian::little, "bytes are laid into words");
    bits.assign(words_for(m.n_rows) * m.n_columns, 0);
    const Word seen = m.column_stride == 1 ? pack_row_major(m, bits)
                      : m.row_stride == 1  ? pack_column_major(m, bits)
                                           : pack_strided(m, bits);
    if ((seen & all_bytes_above_one) != 0) return find_bad_cell(m);
    return std::nullopt;
}

void clear_past_end(Table& table) {
    const std::size_t words = table.words();
    if (words == 0) return;
    const Word inside = low_bits(table.n_rows - (words - 1) * bits_per_word);
    for (std::size_t j = 0; j < table.n_columns; ++j) table.bits[(j + 1) * words - 1] &= inside;
}

std::vector<std::vector<std::int64_t>> count_decided(const Table& table,
                                                     std::span<const Terms> rules) {
    const std::size_t words = table.words();
    std::vector<Word> undecided(words, ~Word{0});
    if (words > 0) undecided.back() = low_bits(table.n_rows - (words - 1) * 64);
    std::vector<std::vector<std::int64_t>> counts;
    const auto add_counts = [&](const std::vector<Word>& rows) {
        auto& count = counts.emplace_back(static_cast<std::size_t>(table.n_classes), 0);
        for (std::size_t k = 0; k < words; ++k)
            for (Word w = rows[k]; w != 0; w &= w - 1) {
                const std::size_t row = k * 64 + static_cast<std::size_t>(std::countr_zero(w));
                count[static_cast<std::size_t>(table.labels[row])] += table.weight(row);
            }
    };
    std::vector<Word> matched(words);
    for (const Terms& terms : rules) {
        matched = undecided;
        for (const std::int32_t term : terms) {
            const Word* column = table.column(static_cast<std::size_t>(term));
            for (std::size_t k = 0; k < words; ++k) matched[k] &= column[k];
        }
        for (std::size_t k = 0; k < words; ++k) undecided[k] &= ~matched[k];
        add_counts(matched);
    }
    add_counts(undecided);
    return counts;
}

void add_pair_counts(std::span<const Word> sets, std::size_t words, std::span<const Word> within,
                     std::int64_t scale, const Kernels& kernels, std::span<std::int64_t> counts) {
    const std::size_t n = words == 0 ? 0 : sets.size() / words;
    std::vector<Word> inside(words);
    for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t w = 0; w < words; ++w) inside[w] = sets[i * words + w] & within[w];
        for (std::size_t j = i; j < n; ++j) {
            const std::int64_t both =
                scale * kernels.count_and(inside.data(), sets.data() + j * words, words);
            counts[i * n + j] += both;
            if (j > i) counts[j * n + i] += both;
        }
    }
}

void add_shared_counts(std::span<const Word> sets, std::span<const Word> others, std::size_t words,
                       std::int64_t scale, const Kernels& kernels, std::span<std::int64_t> counts) {
    const std::size_t n = words == 0 ? 0 : sets.size() / words;
    const std::size_t m = words == 0 ? 0 : others.size() / words;
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j < m; ++j)
            counts[i * m + j] += scale * kernels.count_and(sets.data() + i * words,
                                                           others.data() + j * words, words);
}

}  // namespace samrule
