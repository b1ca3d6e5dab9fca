// Packing bytes into bits, and counting what a rule list decides.
#include <algorithm>

#include "harness.hpp"
#include "random_tables.hpp"
#include "samrule/table.hpp"

using harness::Random;
using samrule::ByteMatrix;
using samrule::Terms;
using samrule::Word;

namespace {

using Cell = std::pair<std::size_t, std::size_t>;

/// Bytes in memory of exactly the size that the strides need, and a view of them.
struct Bytes {
    std::vector<std::uint8_t> memory;
    ByteMatrix view;

    std::uint8_t& at(std::size_t row, std::size_t column) {
        return memory[static_cast<std::size_t>(
            view.data - memory.data() + static_cast<std::ptrdiff_t>(row) * view.row_stride +
            static_cast<std::ptrdiff_t>(column) * view.column_stride)];
    }
};

/// Rows `row_step` and columns `column_step` apart, either of them backwards if negative.
Bytes laid_out(std::size_t n_rows, std::size_t n_columns, std::ptrdiff_t row_step,
               std::ptrdiff_t column_step) {
    const auto rows_before = static_cast<std::ptrdiff_t>(n_rows > 0 ? n_rows - 1 : 0);
    const auto columns_before = static_cast<std::ptrdiff_t>(n_columns > 0 ? n_columns - 1 : 0);
    const std::ptrdiff_t size =
        rows_before * std::abs(row_step) + columns_before * std::abs(column_step) + 1;
    Bytes bytes;
    // What lies between the cells must not be looked at.
    bytes.memory.assign(static_cast<std::size_t>(size), 77);
    const std::ptrdiff_t first = (row_step < 0 ? -row_step * rows_before : 0) +
                                 (column_step < 0 ? -column_step * columns_before : 0);
    bytes.view = {bytes.memory.data() + first, n_rows, n_columns, row_step, column_step};
    return bytes;
}

/// Every layout that numpy can hand over.
std::vector<Bytes> all_layouts(std::size_t n_rows, std::size_t n_columns) {
    const auto rows = static_cast<std::ptrdiff_t>(n_rows);
    const auto columns = static_cast<std::ptrdiff_t>(n_columns);
    std::vector<Bytes> layouts;
    for (const std::ptrdiff_t sign : {1, -1}) {
        layouts.push_back(laid_out(n_rows, n_columns, sign * columns, 1));        // C order
        layouts.push_back(laid_out(n_rows, n_columns, sign * (columns + 3), 1));  // padded rows
        layouts.push_back(laid_out(n_rows, n_columns, 1, sign * rows));           // Fortran order
        layouts.push_back(laid_out(n_rows, n_columns, 1, sign * (rows + 5)));     // padded columns
        layouts.push_back(laid_out(n_rows, n_columns, sign * 2 * columns, 2));    // strided
        layouts.push_back(laid_out(n_rows, n_columns, sign * columns, -1));
        layouts.push_back(laid_out(n_rows, n_columns, -1, sign * rows));
        layouts.push_back(laid_out(n_rows, n_columns, 3, sign * 3 * rows));
    }
    return layouts;
}

void fill(Random& random, Bytes& bytes) {
    for (std::size_t row = 0; row < bytes.view.n_rows; ++row)
        for (std::size_t j = 0; j < bytes.view.n_columns; ++j)
            bytes.at(row, j) = static_cast<std::uint8_t>(random.below(2));
}

std::vector<Word> packed_one_by_one(Bytes& bytes) {
    const std::size_t words = samrule::words_for(bytes.view.n_rows);
    std::vector<Word> bits(words * bytes.view.n_columns, 0);
    for (std::size_t j = 0; j < bytes.view.n_columns; ++j)
        for (std::size_t row = 0; row < bytes.view.n_rows; ++row)
            if (bytes.at(row, j) == 1) bits[j * words + row / 64] |= Word{1} << (row % 64);
    return bits;
}

void check_packing(Random& random, std::size_t n_rows, std::size_t n_columns) {
    std::vector<Bytes> layouts = all_layouts(n_rows, n_columns);
    for (std::size_t k = 0; k < layouts.size(); ++k) {
        fill(random, layouts[k]);
        std::vector<Word> bits{1, 2, 3};
        harness::explain(
            [&] {
                CHECK(!samrule::pack(layouts[k].view, bits).has_value());
                CHECK(bits == packed_one_by_one(layouts[k]));
            },
            [&] {
                return "  " + std::to_string(n_rows) + " x " + std::to_string(n_columns) +
                       ", layout " + std::to_string(k);
            });
    }
}

const std::initializer_list<std::size_t> sizes_around_words = {
    0,  1,  2,  3,  7,  8,  9,  15, 16, 17,  23,  24,  25,  31,  32,  33,
    39, 40, 41, 55, 56, 57, 63, 64, 65, 127, 128, 129, 191, 192, 193, 1024};

}  // namespace

TEST(packing_agrees_with_one_bit_at_a_time_for_all_sizes_and_layouts) {
    Random random(1);
    for (const std::size_t n_rows : sizes_around_words)
        for (const std::size_t n_columns : {0, 1, 2, 7, 8, 9, 16, 63, 64, 65})
            check_packing(random, n_rows, n_columns);
}

TEST(packing_agrees_with_one_bit_at_a_time_for_every_number_of_rows) {
    Random random(2);
    for (std::size_t n_rows = 0; n_rows <= 200; ++n_rows) check_packing(random, n_rows, 5);
}

TEST(packing_takes_one_row_or_column_shown_many_times) {
    std::vector<std::uint8_t> memory{1, 0, 1};
    std::vector<Word> bits;
    CHECK(!samrule::pack({memory.data(), 70, 3, 0, 1}, bits).has_value());
    CHECK_EQ(bits, (std::vector<Word>{~Word{0}, 63, 0, 0, ~Word{0}, 63}));
    CHECK(!samrule::pack({memory.data(), 3, 2, 1, 0}, bits).has_value());
    CHECK_EQ(bits, (std::vector<Word>{5, 5}));
}

TEST(the_first_bad_cell_is_reported) {
    Random random(3);
    for (int trial = 0; trial < harness::scaled(300); ++trial) {
        const auto n_rows = static_cast<std::size_t>(random.between(1, 140));
        const auto n_columns = static_cast<std::size_t>(random.between(1, 20));
        for (Bytes& bytes : all_layouts(n_rows, n_columns)) {
            fill(random, bytes);
            Cell first{n_rows, n_columns};
            for (int n = random.between(1, 3); n > 0; --n) {
                const Cell bad{random.below(n_rows), random.below(n_columns)};
                bytes.at(bad.first, bad.second) =
                    random.one_of<std::uint8_t>({2, 3, 4, 8, 16, 32, 64, 127, 128, 254, 255});
                first = std::min(first, bad);
            }
            std::vector<Word> bits;
            CHECK_EQ(samrule::pack(bytes.view, bits), std::optional(first));
        }
    }
}

TEST(decided_rows_agree_with_asking_every_row) {
    Random random(4);
    for (int trial = 0; trial < harness::scaled(2000); ++trial) {
        const auto n_rows = static_cast<std::size_t>(random.between(1, 200));
        const auto n_columns = static_cast<std::size_t>(random.between(1, 6));
        const auto table =
            random_tables::nasty_table(random, n_rows, n_columns, random.between(2, 4),
                                       random.one_of<std::uint32_t>({0, 4, 100000}));
        std::vector<Terms> rules(random.below(5));
        for (Terms& terms : rules)
            for (std::int32_t j = 0; j < static_cast<std::int32_t>(n_columns); ++j)
                if (random.chance(0.3)) terms.push_back(j);
        std::vector<std::vector<std::int64_t>> expected(
            rules.size() + 1,
            std::vector<std::int64_t>(static_cast<std::size_t>(table.n_classes), 0));
        for (std::size_t row = 0; row < n_rows; ++row) {
            std::size_t r = 0;
            while (r < rules.size() && !random_tables::matches(table, row, rules[r])) ++r;
            expected[r][static_cast<std::size_t>(table.labels[row])] += table.weight(row);
        }
        CHECK_EQ(samrule::count_decided(table, rules), expected);
    }
}
