// Columns of values become bits: every type, every kernel set, missing values, all lengths.
#include <cmath>
#include <limits>

#include "harness.hpp"
#include "samrule/packing.hpp"

using harness::Random;
using samrule::CodeRange;
using samrule::Cuts;
using samrule::Kernels;
using samrule::Word;

namespace {

constexpr std::size_t longest = 1025;

template <class T>
T random_value(Random& random) {
    using limits = std::numeric_limits<T>;
    if (random.chance(0.1)) return limits::max();
    if (random.chance(0.1)) return limits::lowest();
    if constexpr (limits::has_infinity) {
        if (random.chance(0.1)) return limits::quiet_NaN();
        if (random.chance(0.1))
            return random.chance(0.5) ? limits::infinity() : -limits::infinity();
        if (random.chance(0.1)) return random.chance(0.5) ? T{0} : -T{0};
    }
    return static_cast<T>(random.below(100));
}

template <class T>
std::vector<T> random_values(Random& random, std::size_t n) {
    std::vector<T> values(n);
    for (T& value : values) value = random_value<T>(random);
    return values;
}

/// Cuts as people make them: numbers, infinities too, in any order and repeated.
template <class T>
std::vector<T> random_cuts(Random& random, std::size_t n) {
    std::vector<T> cuts = random_values<T>(random, n);
    for (T& cut : cuts)
        if (cut != cut) cut = T{1};
    return cuts;
}

template <class T>
std::uint8_t code_of(T value, const Cuts<T>& cuts) {
    if (value != value) return 0;
    int code = 1;
    for (const T cut : cuts.at_least) code += value < cut ? 0 : 1;
    for (const T cut : cuts.above) code += cut < value ? 1 : 0;
    return static_cast<std::uint8_t>(code);
}

bool is_inside(std::uint8_t code, CodeRange range) {
    return range.first <= code && code <= range.last;
}

std::vector<CodeRange> random_ranges(Random& random, std::size_t n) {
    std::vector<CodeRange> ranges(n);
    for (CodeRange& range : ranges)
        range = {random.one_of<std::uint8_t>({0, 1, 2, 3, 200, 255}),
                 random.one_of<std::uint8_t>({0, 1, 2, 4, 10, 254, 255})};
    return ranges;
}

std::vector<Word> packed_one_by_one(const std::vector<std::uint8_t>& codes,
                                    const std::vector<CodeRange>& ranges) {
    const std::size_t words = samrule::words_for(codes.size());
    std::vector<Word> bits(words * ranges.size(), 0);
    for (std::size_t r = 0; r < ranges.size(); ++r)
        for (std::size_t i = 0; i < codes.size(); ++i)
            if (is_inside(codes[i], ranges[r])) bits[r * words + i / 64] |= Word{1} << (i % 64);
    return bits;
}

/// Validity bits in memory of exactly the size they need, from some bit on.
struct Missing {
    std::vector<std::uint8_t> bytes;
    std::size_t first_bit;

    bool at(std::size_t i) const {
        const std::size_t bit = first_bit + i;
        return ((bytes[bit / 8] >> (bit % 8)) & 1) == 0;
    }
};

Missing random_missing(Random& random, std::size_t n) {
    Missing missing{{}, random.below(20)};
    missing.bytes.resize((missing.first_bit + n + 7) / 8);
    const double share = random.one_of({0.0, 0.01, 0.5, 1.0});
    for (std::uint8_t& byte : missing.bytes)
        for (int bit = 0; bit < 8; ++bit)
            byte = static_cast<std::uint8_t>(byte | (random.chance(share) ? 0 : 1 << bit));
    return missing;
}

template <class T>
void check_packing(Random& random, std::size_t n) {
    const std::vector<T> values = random_values<T>(random, n);
    const auto at_least = random_cuts<T>(random, random.below(12));
    const auto above = random_cuts<T>(random, random.below(4));
    const Cuts<T> cuts{at_least, above};
    const auto ranges = random_ranges(random, random.below(6));
    const Missing missing = random_missing(random, n);
    const bool may_miss = random.chance(0.5);
    std::vector<std::uint8_t> codes(n);
    for (std::size_t i = 0; i < n; ++i)
        codes[i] = may_miss && missing.at(i) ? std::uint8_t{0} : code_of(values[i], cuts);
    const std::vector<Word> expected = packed_one_by_one(codes, ranges);
    for (const Kernels* set : samrule::available_kernels())
        harness::explain(
            [&] {
                std::vector<Word> bits(expected.size(), 0xABCDEF);
                samrule::pack_values<T>(
                    values, {may_miss ? missing.bytes.data() : nullptr, missing.first_bit}, cuts,
                    ranges, *set, bits.data());
                CHECK_EQ(bits, expected);
                std::fill(bits.begin(), bits.end(), 0xABCDEF);
                samrule::pack_codes(codes, ranges, *set, bits.data());
                CHECK_EQ(bits, expected);
            },
            [&] { return "  " + std::to_string(n) + " values, " + std::string(set->name); });
}

template <class T>
void check_type(std::uint64_t seed) {
    Random random(seed);
    const auto step = static_cast<std::size_t>(1026 / harness::scaled(1026));
    for (std::size_t n = 0; n <= longest; n += step) check_packing<T>(random, n);
    // More than one tile.
    for (const std::size_t n : {4095, 4096, 4097, 8192, 10000}) check_packing<T>(random, n);
}

}  // namespace

TEST(whole_numbers_are_packed_as_if_one_by_one) {
    check_type<std::int8_t>(1);
    check_type<std::int16_t>(2);
    check_type<std::int32_t>(3);
    check_type<std::int64_t>(4);
}

TEST(unsigned_numbers_are_packed_as_if_one_by_one) {
    check_type<std::uint8_t>(5);
    check_type<std::uint16_t>(6);
    check_type<std::uint32_t>(7);
    check_type<std::uint64_t>(8);
}

TEST(real_numbers_are_packed_as_if_one_by_one) {
    check_type<float>(9);
    check_type<double>(10);
}

TEST(as_many_cuts_as_a_code_can_tell_apart) {
    std::vector<std::int32_t> cuts(samrule::most_cuts), values(samrule::most_cuts + 1);
    for (std::size_t k = 0; k < cuts.size(); ++k) cuts[k] = static_cast<std::int32_t>(k + 1);
    for (std::size_t k = 0; k < values.size(); ++k) values[k] = static_cast<std::int32_t>(k);
    const std::vector<CodeRange> last{{255, 255}};
    for (const Kernels* set : samrule::available_kernels()) {
        std::vector<Word> bits(samrule::words_for(values.size()));
        samrule::pack_values<std::int32_t>(values, {}, {cuts, {}}, last, *set, bits.data());
        CHECK_EQ(bits, (std::vector<Word>{0, 0, 0, Word{1} << (254 - 192)}));
    }
}
