// The instance that the search sees costs what the table costs, list by list.
#include <algorithm>
#include <map>
#include <numeric>

#include "harness.hpp"
#include "random_tables.hpp"
#include "samrule/instance.hpp"

using harness::Random;
using samrule::Instance;
using samrule::InstanceOptions;
using samrule::Segment;
using samrule::Table;
using samrule::Terms;
using samrule::Word;

namespace {

/// Weight of each class among the slots set in `slots`.
std::vector<std::int64_t> class_weights(const Instance& instance, const std::vector<Word>& slots) {
    std::vector<std::int64_t> weights(static_cast<std::size_t>(instance.n_classes), 0);
    for (const Segment& s : instance.segments)
        for (std::size_t k = 0; k < s.n_slots; ++k)
            if (slots[s.first_word + k / 64] >> (k % 64) & 1)
                weights[static_cast<std::size_t>(s.klass)] += s.weight;
    return weights;
}

std::int64_t majority_errors(const std::vector<std::int64_t>& weights) {
    return std::accumulate(weights.begin(), weights.end(), std::int64_t{0}) -
           *std::max_element(weights.begin(), weights.end());
}

/// Errors on the instance of a list of candidates.
std::int64_t errors_of(const Instance& instance, const std::vector<std::size_t>& list) {
    std::vector<Word> undecided(instance.words, ~Word{0});
    std::int64_t errors = 0;
    for (const std::size_t i : list) {
        std::vector<Word> decided(instance.words);
        for (std::size_t k = 0; k < instance.words; ++k) {
            decided[k] = undecided[k] & instance.candidate(i)[k];
            undecided[k] &= ~decided[k];
        }
        errors += majority_errors(class_weights(instance, decided));
    }
    return errors + majority_errors(class_weights(instance, undecided));
}

/// Every list of at most `n_rules` candidates.
template <class Visit>
void for_each_list(std::size_t n_candidates, std::size_t n_rules, std::vector<std::size_t>& list,
                   const Visit& visit) {
    visit(list);
    if (n_rules == 0) return;
    for (std::size_t i = 0; i < n_candidates; ++i) {
        list.push_back(i);
        for_each_list(n_candidates, n_rules - 1, list, visit);
        list.pop_back();
    }
}

/// Rows with equal conditions as one, with what is left of their class weights.
struct Group {
    std::size_t row;
    std::vector<std::int64_t> weights;
};

std::vector<Group> expected_groups(const Table& table, bool subtract, std::int64_t& unavoidable) {
    std::map<std::vector<bool>, Group> by_conditions;
    for (std::size_t row = 0; row < table.n_rows; ++row) {
        std::vector<bool> conditions;
        for (std::size_t j = 0; j < table.n_columns; ++j)
            conditions.push_back(random_tables::holds(table, row, j));
        Group& group = by_conditions[conditions];
        group.row = row;
        group.weights.resize(static_cast<std::size_t>(table.n_classes));
        group.weights[static_cast<std::size_t>(table.labels[row])] += table.weight(row);
    }
    std::vector<Group> groups;
    unavoidable = 0;
    for (auto& [conditions, group] : by_conditions) {
        if (subtract) {
            const auto least = *std::min_element(group.weights.begin(), group.weights.end());
            for (std::int64_t& w : group.weights) w -= least;
            unavoidable += least * (table.n_classes - 1);
        }
        if (std::count(group.weights.begin(), group.weights.end(), 0) < table.n_classes)
            groups.push_back(group);
    }
    return groups;
}

/// Candidates as promised: the first conjunction of each set of groups but none and all.
struct ExpectedCandidates {
    std::vector<Terms> terms;
    std::vector<std::int32_t> complement;
};

ExpectedCandidates expected_candidates(const Table& table, const std::vector<Group>& groups,
                                       int max_terms) {
    ExpectedCandidates expected;
    std::map<std::vector<bool>, std::int32_t> seen;
    std::vector<std::vector<bool>> selections;
    for (const Terms& terms : random_tables::conjunctions(table.n_columns, max_terms)) {
        std::vector<bool> selected;
        for (const Group& group : groups)
            selected.push_back(random_tables::matches(table, group.row, terms));
        const auto n = std::count(selected.begin(), selected.end(), true);
        if (n == 0 || n == static_cast<std::ptrdiff_t>(groups.size())) continue;
        if (!seen.emplace(selected, static_cast<std::int32_t>(expected.terms.size())).second)
            continue;
        expected.terms.push_back(terms);
        selections.push_back(selected);
    }
    for (std::vector<bool> selected : selections) {
        selected.flip();
        const auto found = seen.find(selected);
        expected.complement.push_back(found == seen.end() ? -1 : found->second);
    }
    return expected;
}

/// Segments lie one after the other, and no bit is set beyond their slots.
void check_segments(const Instance& instance) {
    std::size_t next_word = 0;
    for (const Segment& s : instance.segments) {
        CHECK_EQ(s.first_word, next_word);
        CHECK(s.n_slots > 0);
        CHECK_EQ(s.n_words, samrule::words_for(s.n_slots));
        CHECK(s.klass >= 0 && s.klass < instance.n_classes);
        next_word += s.n_words;
        for (std::size_t i = 0; i < instance.n_candidates(); ++i) {
            const Word last = instance.candidate(i)[next_word - 1];
            CHECK_EQ(last & ~samrule::low_bits(s.n_slots - (s.n_words - 1) * 64), Word{0});
        }
    }
    CHECK_EQ(instance.words, next_word);
    CHECK_EQ(instance.bits.size(), next_word * instance.n_candidates());
}

void check_instance(const Table& table, const InstanceOptions& options, std::size_t n_rules) {
    Instance instance;
    CHECK(samrule::build_instance(table, options, instance));
    check_segments(instance);
    std::int64_t unavoidable = 0;
    const auto groups = expected_groups(table, options.subtract_unavoidable, unavoidable);
    CHECK_EQ(instance.unavoidable_errors, unavoidable);
    CHECK_EQ(instance.n_classes, table.n_classes);
    CHECK_EQ(instance.class_weight,
             class_weights(instance, std::vector<Word>(instance.words, ~Word{0})));
    const auto expected = expected_candidates(table, groups, options.max_terms);
    CHECK_EQ(instance.terms, expected.terms);
    CHECK_EQ(instance.complement, expected.complement);

    std::vector<std::size_t> list;
    for_each_list(instance.n_candidates(), n_rules, list, [&](const auto& candidates) {
        std::vector<Terms> rules;
        for (const std::size_t i : candidates) rules.push_back(instance.terms[i]);
        CHECK_EQ(errors_of(instance, candidates) + instance.unavoidable_errors,
                 random_tables::errors_of(table, rules));
    });
}

void check_random_instances(std::uint64_t seed, int n_tables, int max_columns, int max_terms,
                            std::size_t n_rules) {
    Random random(seed);
    for (int trial = 0; trial < harness::scaled(n_tables); ++trial) {
        const auto n_rows = static_cast<std::size_t>(random.between(1, 24));
        const auto n_columns = static_cast<std::size_t>(random.between(1, max_columns));
        const Table table =
            random_tables::nasty_table(random, n_rows, n_columns, random.between(2, 4),
                                       random.one_of<std::uint32_t>({0, 0, 4, 1000, 1U << 25}));
        for (const bool subtract : {true, false})
            harness::explain(
                [&] { check_instance(table, {max_terms, subtract, SIZE_MAX}, n_rules); },
                [&] { return random_tables::described(table); });
    }
}

/// The class weights that a rule selects in the table.
std::vector<std::int64_t> table_weights(const Table& table, const Terms& terms) {
    return samrule::count_decided(table, std::vector<Terms>{terms}).front();
}

std::vector<Word> slots_of(const Instance& instance, std::size_t i) {
    return {instance.candidate(i), instance.candidate(i) + instance.words};
}

}  // namespace

TEST(all_short_lists_cost_the_same_on_the_instance_and_the_table) {
    check_random_instances(1, 1000, 5, 1, 3);
}

TEST(all_short_lists_of_pairs_cost_the_same_on_the_instance_and_the_table) {
    check_random_instances(2, 400, 5, 2, 2);
}

TEST(all_short_lists_of_triples_cost_the_same_on_the_instance_and_the_table) {
    check_random_instances(3, 200, 5, 3, 2);
}

TEST(single_rules_of_wide_tables_cost_the_same_on_the_instance_and_the_table) {
    Random random(4);
    for (int trial = 0; trial < harness::scaled(60); ++trial) {
        const auto n_rows = static_cast<std::size_t>(random.between(1, 300));
        const auto n_columns = static_cast<std::size_t>(random.between(60, 200));
        const Table table =
            random_tables::nasty_table(random, n_rows, n_columns, random.between(2, 4),
                                       random.one_of<std::uint32_t>({0, 3, 100}));
        for (const bool subtract : {true, false}) check_instance(table, {1, subtract, SIZE_MAX}, 1);
    }
}

TEST(supports_are_those_of_the_table_unless_errors_are_subtracted) {
    Random random(5);
    for (int trial = 0; trial < harness::scaled(300); ++trial) {
        const Table table = random_tables::nasty_table(
            random, static_cast<std::size_t>(random.between(1, 150)), 5, random.between(2, 4),
            random.one_of<std::uint32_t>({0, 4, 1000}));
        Instance instance;
        CHECK(samrule::build_instance(table, {2, false, SIZE_MAX}, instance));
        for (std::size_t i = 0; i < instance.n_candidates(); ++i)
            CHECK_EQ(class_weights(instance, slots_of(instance, i)),
                     table_weights(table, instance.terms[i]));
    }
}

TEST(rows_of_few_weights_take_hardly_more_slots_than_without) {
    Random random(11);
    for (int trial = 0; trial < harness::scaled(20); ++trial) {
        const std::size_t n_columns = trial % 2 == 0 ? 5 : 30;
        Table table = random_tables::nasty_table(random, 600, n_columns, random.between(2, 3), 0);
        Instance plain, weighted;
        CHECK(samrule::build_instance(table, {1, true, SIZE_MAX}, plain));
        for (const std::int32_t label : table.labels)
            table.weights.push_back(label == 0 ? 43'691 : label == 1 ? 65'535 : 21'845);
        for (const bool subtract : {true, false}) {
            CHECK(samrule::build_instance(table, {1, subtract, SIZE_MAX}, weighted));
            check_segments(weighted);
            check_instance(table, {1, subtract, SIZE_MAX}, 1);
        }
        for (std::size_t i = 0; i < weighted.n_candidates(); ++i)
            CHECK_EQ(class_weights(weighted, slots_of(weighted, i)),
                     table_weights(table, weighted.terms[i]));
        // Each class has one weight, of at least eight bits; equal rows are not subtracted here.
        std::size_t n_slots = 0;
        for (const Segment& s : weighted.segments) n_slots += s.n_slots;
        CHECK(n_slots < 2 * table.n_rows);
    }
}

TEST(long_tables_keep_their_weights_whether_merged_or_not) {
    // Few columns: many equal rows, worth merging. Many columns: hardly any.
    for (const std::size_t n_columns : {3, 40, 70}) {
        Random random(6);
        // More classes than are split by class are merged, or kept row by row.
        const Table table =
            random_tables::plain_table(random, 70'001, n_columns, n_columns == 70 ? 300 : 3);
        Instance instance;
        CHECK(samrule::build_instance(table, {1, false, SIZE_MAX}, instance));
        check_segments(instance);
        CHECK_EQ(instance.n_candidates(), n_columns);
        for (std::size_t i = 0; i < n_columns; ++i) {
            CHECK_EQ(instance.terms[i], Terms{static_cast<std::int32_t>(i)});
            CHECK_EQ(class_weights(instance, slots_of(instance, i)),
                     table_weights(table, instance.terms[i]));
        }
        std::size_t n_slots = 0;
        for (const Segment& s : instance.segments) n_slots += s.n_slots;
        CHECK(n_columns == 3 ? n_slots < 1000 : n_slots > 10'000);
    }
}

TEST(conditions_over_many_classes_that_do_not_fit_end_the_building) {
    Random random(8);
    const Table table = random_tables::plain_table(random, 3000, 40, 2000);
    samrule::StopSign stop;
    Instance instance;
    CHECK(!samrule::build_instance(table, {1, true, 100'000, &stop}, instance));
    CHECK(stop.raised());
    CHECK(samrule::build_instance(table, {1, true, 1'000'000, nullptr}, instance));
}

TEST(rows_of_weight_zero_leave_nothing) {
    Random random(7);
    Table table = random_tables::plain_table(random, 20, 3, 2);
    table.weights.assign(20, 0);
    Instance instance;
    CHECK(samrule::build_instance(table, {2, true, SIZE_MAX}, instance));
    CHECK_EQ(instance.words, std::size_t{0});
    CHECK_EQ(instance.n_candidates(), std::size_t{0});
    CHECK_EQ(instance.class_weight, (std::vector<std::int64_t>{0, 0}));
}

TEST(a_table_without_columns_has_no_candidates) {
    Random random(8);
    const Table table = random_tables::plain_table(random, 20, 0, 2);
    Instance instance;
    CHECK(samrule::build_instance(table, {2, false, SIZE_MAX}, instance));
    CHECK_EQ(instance.n_candidates(), std::size_t{0});
    CHECK_EQ(instance.class_weight[0] + instance.class_weight[1], 20);
}

TEST(conjunctions_that_do_not_fit_leave_all_shorter_ones) {
    Random random(9);
    const Table table = random_tables::plain_table(random, 100, 8, 2);
    std::vector<Instance> whole(4);
    for (std::int32_t terms = 1; terms <= 3; ++terms)
        CHECK(samrule::build_instance(table, {terms, true, SIZE_MAX},
                                      whole[static_cast<std::size_t>(terms)]));
    const auto bytes = [&](std::size_t terms) { return whole[terms].bits.size() * sizeof(Word); };
    for (const std::size_t limit :
         {std::size_t{0}, bytes(1) - 1, bytes(1), bytes(2) - 1, bytes(2), bytes(3) - 1, bytes(3)}) {
        samrule::StopSign stop;
        Instance instance;
        const bool is_built = samrule::build_instance(table, {3, true, limit, &stop}, instance);
        CHECK_EQ(is_built, limit >= bytes(1));
        CHECK_EQ(stop.raised(), !is_built);
        if (!is_built) continue;
        CHECK_EQ(instance.max_terms, limit >= bytes(3) ? 3 : limit >= bytes(2) ? 2 : 1);
        CHECK(instance.missing ==
              (limit >= bytes(3) ? samrule::Status::optimal : samrule::Status::memory_limit));
        const Instance& expected = whole[static_cast<std::size_t>(instance.max_terms)];
        CHECK_EQ(instance.terms, expected.terms);
        CHECK_EQ(instance.bits, expected.bits);
        CHECK_EQ(instance.complement, expected.complement);
    }
}

TEST(longer_conjunctions_do_not_change_which_shorter_ones_a_work_limit_allows) {
    Random random(11);
    const Table table = random_tables::plain_table(random, 100, 8, 2);
    std::vector<std::int32_t> made;
    for (std::uint64_t limit = 1000; limit < 1'000'000; limit += limit / 4) {
        std::vector<std::int32_t> of_question;
        for (std::int32_t terms = 1; terms <= 4; ++terms) {
            samrule::StopSign stop;
            Instance instance;
            CHECK(samrule::build_instance(
                table, {.max_terms = terms, .stop = &stop, .work_limit = limit}, instance));
            CHECK(!stop.raised());
            CHECK(instance.missing == (instance.max_terms == terms ? samrule::Status::optimal
                                                                   : samrule::Status::work_limit));
            of_question.push_back(instance.max_terms);
        }
        for (std::size_t k = 0; k < 4; ++k)
            CHECK_EQ(of_question[k], std::min(of_question[3], static_cast<std::int32_t>(k) + 1));
        made.push_back(of_question[3]);
    }
    CHECK_EQ(made.front(), 1);
    CHECK_EQ(made.back(), 4);
}

TEST(a_stop_sign_ends_the_building) {
    Random random(10);
    const Table table = random_tables::plain_table(random, 100, 8, 2);
    samrule::StopSign stop;
    stop.raise(samrule::Status::interrupted);
    stop.raise(samrule::Status::time_limit);
    Instance instance;
    CHECK(!samrule::build_instance(table, {2, true, SIZE_MAX, &stop}, instance));
    CHECK(stop.reason() == samrule::Status::interrupted);  // the first counts
}
