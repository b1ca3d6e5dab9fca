// Which known list errs least outside some rows, and on which rows, against looking row by row.
#include <algorithm>

#include "harness.hpp"
#include "known_ends.hpp"
#include "random_tables.hpp"
#include "samrule/instance.hpp"
#include "samrule/solver.hpp"

using harness::Random;
using samrule::Word;

namespace {

bool has(const std::vector<Word>& set, std::size_t slot) {
    return set[slot / 64] >> (slot % 64) & 1;
}

/// The slots that a list of rules, and the default after them, get wrong outside `u`.
std::vector<Word> wrong_slots(const samrule::ConjunctionProblem& problem,
                              const std::vector<std::int32_t>& rules, const std::vector<Word>& u,
                              std::int64_t& weight) {
    std::vector<std::vector<Word>> covers;
    std::vector<Word> all;
    for (const std::int32_t rule : rules) {
        covers.emplace_back();
        problem.rows.copy_conjunction(problem.language.terms[static_cast<std::size_t>(rule)],
                                      covers.back());
    }
    problem.rows.copy_conjunction({}, all);
    covers.push_back(all);
    std::vector<Word> decided = u, wrong(all.size(), 0);
    weight = 0;
    for (const std::vector<Word>& cover : covers) {
        std::int64_t of_class[2] = {0, 0};
        const auto each = [&](auto&& see) {
            for (const samrule::Segment& s : problem.rows.rows.segments)
                for (std::size_t slot = 64 * s.first_word; slot < 64 * (s.first_word + s.n_words);
                     ++slot)
                    if (has(all, slot) && has(cover, slot) && !has(decided, slot)) see(s, slot);
        };
        each([&](const samrule::Segment& s, std::size_t) { of_class[s.klass] += s.weight; });
        const int lesser = of_class[1] < of_class[0] ? 1 : 0;
        weight += of_class[lesser];
        each([&](const samrule::Segment& s, std::size_t slot) {
            if (s.klass == lesser) wrong[slot / 64] |= Word{1} << (slot % 64);
        });
        for (std::size_t w = 0; w < decided.size(); ++w) decided[w] |= cover[w];
    }
    return wrong;
}

}  // namespace

TEST(the_least_of_the_known_ends_and_its_wrong_rows_are_as_counted_one_by_one) {
    Random random(41);
    for (int trial = 0; trial < harness::scaled(200); ++trial) {
        const auto n_rows = static_cast<std::size_t>(random.between(20, 300));
        const samrule::Table table = random_tables::plain_table(random, n_rows, 6, 2);
        samrule::Options options;
        options.kernels = samrule::find_kernels("");
        options.max_terms = 2;
        samrule::Instance instance;
        samrule::StopSign stop;
        CHECK(samrule::build_instance(table, {2, true, SIZE_MAX, &stop}, instance));
        samrule::Team team(1);
        const samrule::Pricing pricing(options, 2, 0);
        samrule::State state(instance, options, pricing, team, stop, 1 << 10);
        const auto all = samrule::conjunctions_of(instance, instance.n_candidates());
        if (all.language.size() < 2) continue;
        const samrule::Counts counts;
        const samrule::ConjunctionProblem problem{all.rows, all.language, counts};
        samrule::KnownEnds ends(state, problem);
        const auto some_rule = [&] {
            return static_cast<std::int32_t>(
                random.between(0, static_cast<int>(all.language.size()) - 1));
        };
        std::vector<std::vector<std::int32_t>> lists(1);  // the default alone
        for (int n = random.between(0, 4); n > 0; --n) {
            lists.push_back({some_rule(), some_rule(), some_rule()});
            std::vector<std::int32_t> candidates;
            for (const std::int32_t rule : lists.back())
                candidates.push_back(all.language.candidate[static_cast<std::size_t>(rule)]);
            ends.add(candidates);
        }
        std::vector<Word> u;
        all.rows.copy_conjunction(all.language.terms[static_cast<std::size_t>(some_rule())], u);
        std::int64_t least = INT64_MAX;
        for (const auto& rules : lists) {
            std::int64_t weight = 0;
            wrong_slots(problem, rules, u, weight);
            least = std::min(least, weight);
        }
        const samrule::KnownEnds::Least found = ends.least(u);
        CHECK_EQ(found.errors, least);
        const bool is_some_list = std::any_of(lists.begin(), lists.end(), [&](const auto& rules) {
            std::int64_t weight = 0;
            return wrong_slots(problem, rules, u, weight) == found.rows && weight == least;
        });
        CHECK(is_some_list);
        CHECK(ends.has_one_within(least, u));
        CHECK(!ends.has_one_within(least - 1, u));
    }
}
