// The loops of the search for conjunctions: every kernel set does what the specification does.
#include <algorithm>
#include <vector>

#include "harness.hpp"
#include "samrule/kernels.hpp"

using harness::Random;
using samrule::Kernels;
using samrule::Word;

namespace {

std::vector<Word> random_words(Random& random, std::size_t n) {
    std::vector<Word> words(n);
    for (Word& word : words) word = random.chance(0.2) ? 0 : random.word();
    return words;
}

std::vector<std::int32_t> random_ints(Random& random, std::size_t n, int most) {
    std::vector<std::int32_t> values(n);
    for (std::int32_t& value : values) value = random.between(0, most);
    return values;
}

/// Every set but the specification, which is the first.
template <class Check>
void for_each_other_set(const Check& check) {
    const auto sets = samrule::available_kernels();
    for (std::size_t k = 1; k < sets.size(); ++k) check(*sets[0], *sets[k]);
}

template <class Count>
void check_partners(Random& random, const Kernels& scalar, const Kernels& other) {
    const std::size_t n = samrule::scan_lanes * static_cast<std::size_t>(random.between(1, 70));
    const auto p = random_ints(random, n, 900), q = random_ints(random, n, 900);
    const auto after = random_ints(random, n, 500), inside = random_ints(random, n, 500);
    const auto lead = random_ints(random, n, 200);
    std::vector<Count> shared_p(n), shared_q(n);
    std::vector<std::int32_t> w(n);
    for (std::size_t l = 0; l < n; ++l) {
        shared_p[l] = static_cast<Count>(random.between(0, p[l]));
        shared_q[l] = static_cast<Count>(random.between(0, q[l]));
        w[l] = p[l] - q[l];
    }
    const samrule::PartnerScan<Count> scan{n,
                                           p.data(),
                                           q.data(),
                                           shared_p.data(),
                                           shared_q.data(),
                                           after.data(),
                                           inside.data(),
                                           lead.data(),
                                           900,
                                           700,
                                           200,
                                           300,
                                           2000,
                                           random.between(-500, 1500)};
    const samrule::ExtremesScan<Count> row{n, w.data(), shared_p.data(), shared_q.data()};
    const auto partners = [&](const Kernels& kernels) {
        std::vector<Word> bits(samrule::n_roles * samrule::words_for(n));
        Word* roles[samrule::n_roles];
        for (std::size_t r = 0; r < samrule::n_roles; ++r)
            roles[r] = bits.data() + r * samrule::words_for(n);
        if constexpr (sizeof(Count) == 2)
            kernels.partner_scan16(scan, roles);
        else
            kernels.partner_scan32(scan, roles);
        return bits;
    };
    const auto extremes = [&](const Kernels& kernels) {
        samrule::Extremes seen;
        if constexpr (sizeof(Count) == 2)
            seen = kernels.extremes_scan16(row);
        else
            seen = kernels.extremes_scan32(row);
        return std::vector<std::int32_t>{seen.least_shared, seen.most_shared, seen.least_after,
                                         seen.most_after};
    };
    CHECK_EQ(partners(other), partners(scalar));
    CHECK_EQ(extremes(other), extremes(scalar));
    std::int32_t most_after = 0;
    for (std::size_t l = 0; l < n; ++l)
        most_after = std::max(most_after, w[l] - static_cast<std::int32_t>(shared_p[l]) +
                                              static_cast<std::int32_t>(shared_q[l]));
    CHECK_EQ(extremes(scalar)[3], most_after);
}

}  // namespace

TEST(partners_and_extremes_agree) {
    Random random(1);
    for (int trial = 0; trial < harness::scaled(300); ++trial)
        for_each_other_set([&](const Kernels& scalar, const Kernels& other) {
            check_partners<std::uint16_t>(random, scalar, other);
            check_partners<std::uint32_t>(random, scalar, other);
        });
}

TEST(couples_agree) {
    Random random(2);
    for (int trial = 0; trial < harness::scaled(300); ++trial) {
        const auto n = static_cast<std::size_t>(random.between(1, 300));
        const auto gain = random_ints(random, n + 64, 100), price = random_ints(random, n + 64, 90);
        const int need = random.between(-20, 120);
        for (const Kernels* kernels : samrule::available_kernels()) {
            std::vector<Word> open(samrule::words_for(n));
            kernels->couple_scan(gain.data(), price.data(), n, 40, 30, 110, need, open.data());
            for (std::size_t k = 0; k < n; ++k)
                CHECK_EQ(open[k / 64] >> (k % 64) & 1,
                         Word{std::min(gain[k] + 40, 110) - std::max(price[k], 30) >= need});
        }
    }
}

namespace {

template <class Count>
void check_triangles(Random& random, const Kernels& kernels) {
    const auto n = static_cast<std::size_t>(random.between(1, 300));
    const std::size_t n_rules = 400;
    auto rule = random_ints(random, n + 64, static_cast<int>(n_rules) - 1);
    const auto p = random_ints(random, n + 64, 90), q = random_ints(random, n + 64, 90);
    const auto pivot_p = random_ints(random, n + 64, 50), pivot_q = random_ints(random, n + 64, 50);
    std::vector<Count> near_p(n_rules), near_q(n_rules);
    for (Count& value : near_p) value = static_cast<Count>(random.between(0, 50));
    for (Count& value : near_q) value = static_cast<Count>(random.between(0, 50));
    const samrule::TriangleScan<Count> scan{n,
                                            rule.data(),
                                            p.data(),
                                            q.data(),
                                            pivot_p.data(),
                                            pivot_q.data(),
                                            near_p.data(),
                                            near_q.data(),
                                            random.chance(0.5),
                                            60,
                                            random.between(0, 40),
                                            random.between(0, 40),
                                            random.between(0, 99),
                                            70,
                                            50,
                                            random.between(0, 120)};
    const auto before = random_words(random, samrule::words_for(n));
    auto open = before;
    if constexpr (sizeof(Count) == 2)
        kernels.triangle_scan16(scan, open.data());
    else
        kernels.triangle_scan32(scan, open.data());
    for (std::size_t k = 0; k < n; ++k) {
        const auto at = static_cast<std::size_t>(rule[k]);
        const int x = static_cast<int>(near_p[at]), y = static_cast<int>(near_q[at]);
        const int most_p =
            std::min({scan.shared_p, pivot_p[k], x, scan.left_p - p[k] + pivot_p[k] + x});
        const int least_q = std::max(
            {0, pivot_q[k] + y - q[k], pivot_q[k] + scan.shared_q - 70, y + scan.shared_q - 50});
        const int gain = 60 - pivot_p[k] + pivot_q[k] + (scan.adds ? p[k] - q[k] - x + y : 0);
        CHECK_EQ(open[k / 64] >> (k % 64) & 1,
                 before[k / 64] >> (k % 64) & Word{gain + most_p - least_q >= scan.goal});
    }
}

}  // namespace

TEST(triangles_agree) {
    Random random(4);
    for (int trial = 0; trial < harness::scaled(300); ++trial)
        for (const Kernels* kernels : samrule::available_kernels()) {
            check_triangles<std::uint16_t>(random, *kernels);
            check_triangles<std::uint32_t>(random, *kernels);
        }
}

TEST(sets_are_counted_and_groups_compacted_bit_by_bit) {
    Random random(3);
    for (int trial = 0; trial < harness::scaled(300); ++trial) {
        const auto words = static_cast<std::size_t>(random.between(1, 70));
        const auto n_groups = static_cast<std::size_t>(random.between(1, 4));
        const auto columns = random_words(random, n_groups * samrule::group_size * words);
        const auto set = random_words(random, words);
        const auto split = static_cast<std::uint32_t>(random.below(words + 1));
        const auto bit = [&](std::size_t column, std::size_t at) {
            const std::size_t group = column / samrule::group_size;
            return columns[(group * words + at / 64) * samrule::group_size +
                           column % samrule::group_size] >>
                       (at % 64) &
                   1;
        };
        samrule::SparseWords sparse;
        for (std::uint32_t w = 0; w < words; ++w)
            if (set[w] != 0) {
                sparse.word.push_back(set[w]);
                sparse.place.push_back(w);
            }
        const auto n_first = static_cast<std::uint32_t>(
            std::lower_bound(sparse.place.begin(), sparse.place.end(), split) -
            sparse.place.begin());
        sparse.runs = {{0, 1, 0, n_first},
                       {1, 7, n_first, static_cast<std::uint32_t>(sparse.word.size())}};
        for (const Kernels* kernels : samrule::available_kernels()) {
            std::vector<std::int32_t> counts[2];
            for (auto& of_class : counts) of_class.assign(n_groups * samrule::group_size, -1);
            std::int32_t* out[] = {counts[0].data(), counts[1].data()};
            kernels->count_set(sparse, columns.data(), words, 0, n_groups, out);
            std::vector<Word> packed(n_groups * samrule::group_size * words);
            kernels->compact_groups(columns.data(), words, n_groups, set.data(), words,
                                    packed.data(), words);
            for (std::size_t j = 0; j < n_groups * samrule::group_size; ++j) {
                std::int32_t expected[] = {0, 0};
                std::size_t kept = 0;
                for (std::size_t at = 0; at < words * 64; ++at) {
                    if ((set[at / 64] >> (at % 64) & 1) == 0) continue;
                    const bool second = at / 64 >= split;
                    if (bit(j, at)) expected[second] += second ? 7 : 1;
                    const std::size_t place =
                        (j / samrule::group_size * words + kept / 64) * samrule::group_size +
                        j % samrule::group_size;
                    CHECK_EQ(packed[place] >> (kept % 64) & 1, bit(j, at));
                    ++kept;
                }
                CHECK_EQ(counts[0][j], expected[0]);
                CHECK_EQ(counts[1][j], expected[1]);
            }
        }
    }
}
