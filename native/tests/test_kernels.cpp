// Counting and compacting, by every kernel set this machine can run, against loops that look at one
// bit at a time. The scans have files of their own.
#include "kernel_sets.hpp"

using samrule::Segment;
using samrule::Word;

namespace {

bool bit(const Word* words, std::size_t k) { return (words[k / 64] >> (k % 64) & 1) != 0; }

/// Random words: dense, sparse, empty, full, or a mixture of them.
std::vector<Word> random_words(Random& random, std::size_t n) {
    std::vector<Word> words(n);
    const std::size_t kind = random.below(6);
    for (Word& w : words) {
        const std::size_t how = kind == 5 ? random.below(5) : kind;
        w = how == 0   ? random.word()
            : how == 1 ? random.word() & random.word() & random.word()
            : how == 2 ? random.word() | random.word() | random.word()
            : how == 3 ? 0
                       : ~Word{0};
    }
    return words;
}

// Counting and compacting

std::int64_t count_one_by_one(const std::vector<std::vector<Word>>& all_of, std::size_t n) {
    std::int64_t total = 0;
    for (std::size_t k = 0; k < 64 * n; ++k) {
        bool counted = true;
        for (const auto& words : all_of) counted = counted && bit(words.data(), k);
        total += counted;
    }
    return total;
}

std::vector<Word> compact_one_by_one(const std::vector<Word>& source,
                                     const std::vector<Word>& keep) {
    std::vector<Word> target;
    std::size_t filled = 0;
    for (std::size_t k = 0; k < 64 * keep.size(); ++k) {
        if (!bit(keep.data(), k)) continue;
        if (filled % 64 == 0) target.push_back(0);
        if (bit(source.data(), k)) target.back() |= Word{1} << (filled % 64);
        ++filled;
    }
    return target;
}

// Rows of pair tables

/// Segments one after the other, of random classes and weights, `n_slots` slots in all.
std::vector<Segment> random_segments(Random& random, std::size_t n_slots, std::int32_t n_classes,
                                     std::size_t n_segments, std::size_t& n_words) {
    std::vector<Segment> segments;
    n_words = 0;
    for (std::size_t s = 0; s < n_segments; ++s) {
        const std::size_t here = s + 1 == n_segments ? n_slots : random.below(n_slots + 1);
        n_slots -= here;
        segments.push_back({random.between(0, n_classes - 1), random.between(1, 5000),
                            static_cast<std::uint32_t>(n_words),
                            static_cast<std::uint32_t>(samrule::words_for(here)),
                            static_cast<std::uint32_t>(here)});
        n_words += segments.back().n_words;
    }
    return segments;
}

/// Columns with random bits in the slots of the segments and none elsewhere.
std::vector<Word> random_columns(Random& random, const std::vector<Segment>& segments,
                                 std::size_t n_words, std::size_t n_columns) {
    std::vector<Word> columns(n_columns * n_words, 0);
    for (std::size_t j = 0; j < n_columns; ++j)
        for (const Segment& s : segments) {
            const auto words = random_words(random, s.n_words);
            for (std::size_t w = 0; w < s.n_words; ++w)
                columns[j * n_words + s.first_word + w] =
                    words[w] & samrule::low_bits(s.n_slots - 64 * w);
        }
    return columns;
}

using RowOfCounts = std::vector<std::vector<std::int32_t>>;  // class after class

/// Not one number more than promised may be written, nor one before.
constexpr std::int32_t untouched = -7;

/// Counts with columns `first` to `n_columns`, bit by bit; what is around them is untouched.
RowOfCounts count_row_one_by_one(const Word* column, const std::vector<Word>& others,
                                 const std::vector<Segment>& segments, std::size_t n_words,
                                 std::size_t first, std::size_t n_columns, std::size_t n_classes) {
    RowOfCounts counts(n_classes, std::vector<std::int32_t>(n_columns + 1, untouched));
    for (auto& of_class : counts)
        for (std::size_t j = first; j < n_columns; ++j) of_class[j] = 0;
    for (const Segment& s : segments)
        for (std::size_t j = first; j < n_columns; ++j)
            for (std::size_t k = 0; k < s.n_slots; ++k)
                if (bit(column + s.first_word, k) &&
                    bit(others.data() + j * n_words + s.first_word, k))
                    counts[static_cast<std::size_t>(s.klass)][j] += s.weight;
    return counts;
}

struct Layout {
    std::int32_t n_classes;
    std::size_t n_words = 0;
    std::vector<Segment> segments;

    Layout(Random& random, std::size_t n_slots) : n_classes(random.between(1, 4)) {
        const auto n_segments = static_cast<std::size_t>(random.between(1, 5));
        segments = random_segments(random, n_slots, n_classes, n_segments, n_words);
    }
};

/// What a kernel writes into a row of counts.
template <class Count>
RowOfCounts written(std::size_t n_columns, std::size_t n_classes, const Count& count) {
    RowOfCounts counts(n_classes, std::vector<std::int32_t>(n_columns + 1, untouched));
    std::vector<std::int32_t*> rows;
    for (auto& of_class : counts) rows.push_back(of_class.data());
    count(rows.data());
    return counts;
}

void check_row_of_counts(Random& random, std::size_t n_slots, std::size_t n_columns) {
    const auto [n_classes, n_words, segments] = Layout(random, n_slots);
    const auto others = random_columns(random, segments, n_words, n_columns);
    const auto column = random_columns(random, segments, n_words, 1);
    const auto expected = count_row_one_by_one(column.data(), others, segments, n_words, 0,
                                               n_columns, static_cast<std::size_t>(n_classes));
    for_each_set([&](const Kernels& set) {
        CHECK_EQ(written(n_columns, expected.size(),
                         [&](std::int32_t* const* counts) {
                             set.count_row(column.data(), others.data(), n_words, n_columns,
                                           segments.data(), segments.size(), n_classes, counts);
                         }),
                 expected);
    });
}

/// The columns in groups; what fills up the last group is anything.
std::vector<Word> in_groups(Random& random, const std::vector<Word>& columns, std::size_t n_words,
                            std::size_t n_columns) {
    constexpr std::size_t size = samrule::group_size;
    std::vector<Word> groups((n_columns + size - 1) / size * size * n_words);
    for (Word& w : groups) w = random.word();
    for (std::size_t j = 0; j < n_columns; ++j)
        for (std::size_t w = 0; w < n_words; ++w)
            groups[(j / size * n_words + w) * size + j % size] = columns[j * n_words + w];
    return groups;
}

void check_grouped_row(Random& random, std::size_t n_slots, std::size_t n_columns) {
    const auto [n_classes, n_words, segments] = Layout(random, n_slots);
    const auto columns = random_columns(random, segments, n_words, n_columns);
    const auto groups = in_groups(random, columns, n_words, n_columns);
    const std::size_t i = random.below(n_columns);
    const auto expected = count_row_one_by_one(columns.data() + i * n_words, columns, segments,
                                               n_words, i - i % samrule::group_size, n_columns,
                                               static_cast<std::size_t>(n_classes));
    for_each_set([&](const Kernels& set) {
        CHECK_EQ(written(n_columns, expected.size(),
                         [&](std::int32_t* const* counts) {
                             set.count_grouped_row(groups.data(), n_words, i, n_columns,
                                                   segments.data(), segments.size(), n_classes,
                                                   counts);
                         }),
                 expected);
    });
}

}  // namespace

TEST(scalar_kernels_are_always_there_and_first) {
    CHECK_EQ(samrule::available_kernels().front()->name, "scalar");
    CHECK(samrule::find_kernels("") == samrule::available_kernels().back());
    CHECK(samrule::find_kernels("no such set") == nullptr);
    for (const Kernels* set : samrule::available_kernels())
        CHECK(samrule::find_kernels(set->name) == set);
}

TEST(counts_of_two_sets_are_right_for_every_length) {
    Random random(1);
    for (std::size_t n = 0; n <= longest; ++n) {
        const auto a = random_words(random, n), b = random_words(random, n);
        const std::int64_t two = count_one_by_one({a, b}, n);
        for_each_set(
            [&](const Kernels& set) { CHECK_EQ(set.count_and(a.data(), b.data(), n), two); });
    }
}

TEST(full_words_are_counted_too) {
    const std::vector<Word> full(longest, ~Word{0});
    for (std::size_t n = 0; n <= longest; ++n)
        for_each_set([&](const Kernels& set) {
            CHECK_EQ(set.count_and(full.data(), full.data(), n), static_cast<std::int64_t>(64 * n));
        });
}

TEST(counts_may_start_at_any_word) {
    Random random(2);
    const auto words = random_words(random, 100);
    for (std::size_t start = 0; start < 9; ++start)
        for (std::size_t n = 0; n + start <= words.size(); ++n)
            for_each_set([&](const Kernels& set) {
                const Word* from = words.data() + start;
                CHECK_EQ(set.count_and(from, from, n), scalar().count_and(from, from, n));
            });
}

TEST(compacting_is_right_for_every_length) {
    Random random(3);
    for (std::size_t n = 0; n <= longest; ++n) {
        const auto keep = random_words(random, n);
        const std::size_t stride = random.one_of<std::size_t>({1, samrule::group_size});
        // Not one word more than promised may be written.
        constexpr Word other = 0xABCDEF;
        std::vector<std::vector<Word>> columns(n % 10), expected;
        std::vector<const Word*> sources;
        for (auto& column : columns) {
            column = random_words(random, n);
            sources.push_back(column.data());
            const auto packed = compact_one_by_one(column, keep);
            expected.emplace_back((packed.size() + 1) * stride, other);
            for (std::size_t k = 0; k < packed.size(); ++k) expected.back()[k * stride] = packed[k];
        }
        for_each_set([&](const Kernels& set) {
            auto packed = expected;
            std::vector<Word*> targets;
            for (auto& target : packed) {
                target.assign(target.size(), other);
                targets.push_back(target.data());
            }
            set.compact(sources.data(), sources.size(), keep.data(), n, targets.data(), stride);
            CHECK(packed == expected);
        });
    }
}

TEST(rows_of_counts_are_right_for_every_number_of_slots) {
    Random random(4);
    for (std::size_t n_slots = 0; n_slots <= longest; ++n_slots)
        check_row_of_counts(random, n_slots, random.below(10));
}

TEST(rows_of_counts_are_right_for_every_number_of_columns) {
    Random random(5);
    for (std::size_t n_columns = 0; n_columns <= longest; ++n_columns)
        check_row_of_counts(random, random.below(200), n_columns);
}

TEST(grouped_rows_of_counts_are_right_for_every_number_of_slots) {
    Random random(14);
    // A byte can add up 31 words, so segments must be longer than that too.
    for (std::size_t n_slots = 0; n_slots <= 5 * longest; n_slots += 1 + n_slots / 200)
        check_grouped_row(random, n_slots, 1 + random.below(20));
}

TEST(grouped_rows_of_counts_are_right_for_every_number_of_columns) {
    Random random(15);
    for (std::size_t n_columns = 1; n_columns <= longest; ++n_columns)
        check_grouped_row(random, random.below(200), n_columns);
}
