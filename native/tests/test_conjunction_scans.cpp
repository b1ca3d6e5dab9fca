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

/// Nobody stands in a role in which it, or the other, is worth too little.
template <class Count>
void check_worth(const samrule::PartnerScan<Count>& s, const std::vector<Word>& partners) {
    using samrule::Role;
    for (std::size_t l = 0; l < s.n; ++l) {
        const int x = static_cast<int>(s.shared_p[l]), y = static_cast<int>(s.shared_q[l]);
        const bool i_adds = s.i_p - x >= s.i_worth_p - s.lead[l];
        const bool i_takes = s.i_q - y >= s.i_worth_q - s.lead[l];
        const bool l_adds = s.p[l] - x >= s.worth_p[l] - s.i_lead;
        const bool l_takes = s.q[l] - y >= s.worth_q[l] - s.i_lead;
        const bool l_corrects = y >= s.worth_q[l] - s.i_lead;
        const auto check = [&](Role role, bool is_worth_it) {
            const auto r = static_cast<std::size_t>(role);
            const Word word = partners[r * samrule::words_for(s.n) + l / 64];
            CHECK(is_worth_it || (word >> (l % 64) & 1) == 0);
        };
        check(Role::both_111, i_adds && l_adds);
        check(Role::b_a_011, i_adds);
        check(Role::b_c_011, i_adds && l_adds);
        check(Role::a_b_101, l_takes);
        check(Role::a_c_101, l_adds);
        check(Role::c_b_101, i_adds && l_corrects);
        check(Role::a_b_001, i_takes && l_takes);
        check(Role::c_a_001, l_corrects);
    }
}

template <class Count>
void check_partners(Random& random, const Kernels& scalar, const Kernels& other) {
    const std::size_t n = samrule::scan_lanes * static_cast<std::size_t>(random.between(1, 70));
    const auto p = random_ints(random, n, 900), q = random_ints(random, n, 900);
    const auto after = random_ints(random, n, 500), inside = random_ints(random, n, 500);
    const auto lead = random_ints(random, n, 200);
    const auto worth_p = random_ints(random, n, 400), worth_q = random_ints(random, n, 400);
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
                                           worth_p.data(),
                                           worth_q.data(),
                                           900,
                                           700,
                                           200,
                                           300,
                                           random.between(0, 50),
                                           random.between(0, 700),
                                           random.between(0, 500),
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
    check_worth(scan, partners(scalar));
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

namespace {

template <class Count>
void check_takers(Random& random, const Kernels& kernels) {
    const std::size_t n = samrule::scan_lanes * static_cast<std::size_t>(random.between(1, 20));
    const auto p = random_ints(random, n, 90), q = random_ints(random, n, 90);
    const auto lead = random_ints(random, n, 9);
    std::vector<Count> shared[4];
    for (auto& counts : shared)
        for (std::size_t l = 0; l < n; ++l)
            counts.push_back(static_cast<Count>(random.between(0, 50)));
    const samrule::TakerScan<Count> scan{n,
                                         p.data(),
                                         q.data(),
                                         lead.data(),
                                         shared[0].data(),
                                         shared[1].data(),
                                         shared[2].data(),
                                         shared[3].data(),
                                         random.chance(0.5),
                                         60,
                                         random.between(0, 40),
                                         random.between(0, 40),
                                         random.between(0, 99),
                                         70,
                                         50,
                                         random.between(0, 120)};
    auto set = random_words(random, samrule::words_for(n));
    const auto other = random_words(random, samrule::words_for(n));
    for (std::size_t l = n; l < set.size() * 64; ++l) set[l / 64] &= ~(Word{1} << (l % 64));
    std::vector<Word> open(samrule::words_for(n));
    std::size_t n_both = 0, n_expected = 0;
    if constexpr (sizeof(Count) == 2)
        n_both = kernels.taker_scan16(scan, set.data(), other.data(), open.data());
    else
        n_both = kernels.taker_scan32(scan, set.data(), other.data(), open.data());
    for (std::size_t l = 0; l < samrule::words_for(n) * 64; ++l) {
        const Word both = set[l / 64] & other[l / 64] & Word{1} << (l % 64);
        n_expected += both != 0;
        if (l >= n) continue;
        const auto at = [&](std::size_t k) { return static_cast<int>(shared[k][l]); };
        const int most_p =
            std::min({scan.shared_p, at(0), at(2), scan.left_p - p[l] + at(0) + at(2)});
        const int least_q = std::max(
            {0, at(1) + at(3) - q[l], at(1) + scan.shared_q - 70, at(3) + scan.shared_q - 50});
        const int gain = 60 + lead[l] - at(2) + at(3) + (scan.takes_both ? at(1) - at(0) : 0);
        CHECK_EQ(open[l / 64] >> (l % 64) & 1,
                 Word{both != 0 && gain + most_p - least_q >= scan.goal});
    }
    CHECK_EQ(n_both, n_expected);
}

template <class Count>
void check_transposed(Random& random, const Kernels& kernels) {
    const auto n_rows = static_cast<std::size_t>(random.between(0, 70));
    const auto n_columns = static_cast<std::size_t>(random.between(0, 70));
    const std::size_t stride = std::max(n_rows, n_columns) + random.below(20);
    std::vector<Count> from(n_rows * stride), to(n_columns * stride, 7);
    for (Count& value : from) value = static_cast<Count>(random.word());
    if constexpr (sizeof(Count) == 2)
        kernels.transpose16(from.data(), stride, n_rows, n_columns, to.data());
    else
        kernels.transpose32(from.data(), stride, n_rows, n_columns, to.data());
    for (std::size_t c = 0; c < n_columns; ++c)
        for (std::size_t r = 0; r < stride; ++r)
            CHECK_EQ(to[c * stride + r], r < n_rows ? from[r * stride + c] : Count{7});
}

}  // namespace

TEST(takers_and_transposed_tables_agree) {
    Random random(5);
    for (int trial = 0; trial < harness::scaled(300); ++trial)
        for (const Kernels* kernels : samrule::available_kernels()) {
            check_takers<std::uint16_t>(random, *kernels);
            check_takers<std::uint32_t>(random, *kernels);
            check_transposed<std::uint16_t>(random, *kernels);
            check_transposed<std::uint32_t>(random, *kernels);
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
