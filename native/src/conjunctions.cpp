#include "conjunctions.hpp"

#include <algorithm>
#include <bit>
#include <numeric>

namespace samrule {
namespace {

std::size_t groups_for(std::size_t n_conditions) {
    return (n_conditions + group_size - 1) / group_size;
}

Two weight_of(const PackedRows& rows) {
    Two weight;
    for (const Segment& s : rows.segments)
        (s.klass == 1 ? weight.positive : weight.negative) += std::int64_t{s.n_slots} * s.weight;
    return weight;
}

/// What candidates are sorted by at a place, if the longest have n_terms terms: first the
/// conditions that a family shares, then a mark that comes after all conditions where there are
/// fewer, then the last condition. So shorter conjunctions come after longer ones with the same
/// first conditions.
std::size_t key_at(std::span<const std::int32_t> terms, std::size_t place, std::size_t n_terms,
                   std::size_t n_conditions) {
    const std::size_t n_shared = terms.size() - 1;
    const bool is_longest = terms.size() == n_terms;
    if (place < n_shared) return static_cast<std::size_t>(terms[place]);
    if (place == n_shared && !is_longest) return n_conditions;
    return place == n_shared + !is_longest ? static_cast<std::size_t>(terms.back()) : 0;
}

/// The candidates in the order of a language, sorted by counting from the last place to the first.
std::vector<std::int32_t> order_of(const TermLists& terms, std::size_t n_conditions) {
    std::size_t n_terms = 0;
    for (std::size_t i = 0; i < terms.size(); ++i) n_terms = std::max(n_terms, terms[i].size());
    std::vector<std::int32_t> order(terms.size()), sorted(terms.size());
    std::iota(order.begin(), order.end(), 0);
    std::vector<std::size_t> ends, keys(terms.size());
    for (std::size_t place = n_terms; place-- > 0;) {
        ends.assign(n_conditions + 2, 0);
        for (std::size_t i = 0; i < terms.size(); ++i) {
            keys[i] = key_at(terms[i], place, n_terms, n_conditions);
            ++ends[keys[i] + 1];
        }
        std::partial_sum(ends.begin(), ends.end(), ends.begin());
        for (const std::int32_t i : order) sorted[ends[keys[static_cast<std::size_t>(i)]]++] = i;
        order.swap(sorted);
    }
    return order;
}

void find_families(Language& language) {
    language.families.clear();
    language.last.clear();
    for (std::size_t i = 0; i < language.size(); ++i) {
        const auto terms = language.terms[i];
        language.last.push_back(terms.back());
        const auto shared =
            language.families.empty() ? terms : language.prefix(language.families.back());
        if (!std::equal(terms.begin(), terms.end() - 1, shared.begin(), shared.end()))
            language.families.push_back({i, i});
        language.families.back().last = i + 1;
    }
    std::int32_t least = static_cast<std::int32_t>(language.n_conditions);
    for (std::size_t i = 0; i < language.size(); ++i)
        least = std::min(least, language.terms[i].front());
    language.first_group = static_cast<std::size_t>(least) / group_size;
}

}  // namespace

Language Language::only(std::span<const std::int32_t> chosen) const {
    Language some;
    some.n_conditions = n_conditions;
    std::size_t n_terms = 0;
    for (const std::int32_t i : chosen) n_terms += terms[static_cast<std::size_t>(i)].size();
    some.candidate.reserve(chosen.size());
    some.terms.reserve(chosen.size(), n_terms);
    some.last.reserve(chosen.size());
    for (const std::int32_t i : chosen) {
        some.candidate.push_back(candidate[static_cast<std::size_t>(i)]);
        some.terms.push_back(terms[static_cast<std::size_t>(i)]);
    }
    find_families(some);
    return some;
}

Conjunctions conjunctions_of(const Instance& instance, std::size_t n_candidates) {
    Conjunctions made;
    ConditionRows& all = made.rows;
    all.rows = {instance.segments, instance.words, 0};
    for (const Segment& s : instance.segments) all.rows.n_slots += s.n_slots;
    all.weight = weight_of(all.rows);

    // Every kept conjunction is made of kept conditions: they come first among the candidates.
    std::vector<std::int32_t> single;
    std::vector<std::int64_t> cover;
    while (single.size() < instance.n_candidates() && instance.terms[single.size()].size() == 1) {
        const Word* bits = instance.candidate(single.size());
        std::int64_t slots = 0;
        for (std::size_t w = 0; w < instance.words; ++w) slots += std::popcount(bits[w]);
        cover.push_back(slots);
        single.push_back(static_cast<std::int32_t>(single.size()));
    }
    std::stable_sort(single.begin(), single.end(), [&](std::int32_t a, std::int32_t b) {
        return cover[static_cast<std::size_t>(a)] < cover[static_cast<std::size_t>(b)];
    });
    const std::size_t n = single.size();
    all.n_groups = groups_for(n);
    all.groups.assign(all.n_groups * group_size * instance.words, 0);
    std::vector<std::int32_t> number;  // of each column of the table
    for (std::size_t c = 0; c < n; ++c) {
        const auto i = static_cast<std::size_t>(single[c]);
        const auto column = static_cast<std::size_t>(instance.terms[i][0]);
        if (number.size() <= column) number.resize(column + 1, -1);
        number[column] = static_cast<std::int32_t>(c);
        Word* to =
            all.groups.data() + c / group_size * group_size * instance.words + c % group_size;
        for (std::size_t w = 0; w < instance.words; ++w)
            to[w * group_size] = instance.candidate(i)[w];
    }

    Language everything;
    everything.n_conditions = n;
    std::vector<std::int32_t> terms;
    for (std::size_t i = 0; i < n_candidates; ++i) {
        terms.clear();
        for (const std::int32_t column : instance.terms[i]) {
            terms.push_back(number[static_cast<std::size_t>(column)]);
            SAMRULE_ASSERT(terms.back() >= 0);
        }
        std::sort(terms.begin(), terms.end());
        everything.candidate.push_back(static_cast<std::int32_t>(i));
        everything.terms.push_back(terms);
    }
    made.language = everything.only(order_of(everything.terms, n));
    return made;
}

void ConditionRows::copy_condition(std::size_t c, std::vector<Word>& to) const {
    to.resize(rows.words);
    const Word* from = groups.data() + c / group_size * group_size * rows.words + c % group_size;
    for (std::size_t w = 0; w < rows.words; ++w) to[w] = from[w * group_size];
}

void ConditionRows::copy_conjunction(std::span<const std::int32_t> terms,
                                     std::vector<Word>& to) const {
    if (terms.empty()) {
        to.resize(rows.words);
        for (const Segment& s : rows.segments)
            for (std::size_t w = 0; w < s.n_words; ++w)
                to[s.first_word + w] = low_bits(s.n_slots - w * bits_per_word);
        return;
    }
    copy_condition(static_cast<std::size_t>(terms[0]), to);
    for (const std::int32_t term : terms.subspan(1)) {
        const auto c = static_cast<std::size_t>(term);
        const Word* from =
            groups.data() + c / group_size * group_size * rows.words + c % group_size;
        for (std::size_t w = 0; w < rows.words; ++w) to[w] &= from[w * group_size];
    }
}

void complement_of(const ConditionRows& rows, std::vector<Word>& set) {
    for (const Segment& s : rows.rows.segments)
        for (std::size_t w = 0; w < s.n_words; ++w)
            set[s.first_word + w] =
                ~set[s.first_word + w] & low_bits(s.n_slots - w * bits_per_word);
}

void keep_rows(const Kernels& kernels, const ConditionRows& from, const std::vector<Word>& keep,
               ConditionRows& to, std::size_t first_group) {
    to.n_groups = from.n_groups;
    to.rows.segments.clear();
    to.rows.words = to.rows.n_slots = 0;
    std::vector<const Segment*> sources;
    for (const Segment& s : from.rows.segments) {
        const Word* kept = keep.data() + s.first_word;
        const auto n_slots = static_cast<std::size_t>(kernels.count_and(kept, kept, s.n_words));
        if (n_slots == 0) continue;
        sources.push_back(&s);
        const std::size_t n_words = words_for(n_slots);
        to.rows.segments.push_back({s.klass, s.weight, static_cast<std::uint32_t>(to.rows.words),
                                    static_cast<std::uint32_t>(n_words),
                                    static_cast<std::uint32_t>(n_slots)});
        to.rows.words += n_words;
        to.rows.n_slots += n_slots;
    }
    to.weight = weight_of(to.rows);
    to.groups.resize(to.n_groups * group_size * to.rows.words);
    for (std::size_t k = 0; k < sources.size(); ++k) {
        const Segment& s = *sources[k];
        const auto at = [&](const ConditionRows& rows, std::size_t first_word) {
            return (first_group * rows.rows.words + first_word) * group_size;
        };
        kernels.compact_groups(from.groups.data() + at(from, s.first_word), from.rows.words,
                               from.n_groups - first_group, keep.data() + s.first_word, s.n_words,
                               to.groups.data() + at(to, to.rows.segments[k].first_word),
                               to.rows.words);
    }
}

const ConditionRows& CoveredRows::of(std::span<const std::int32_t> terms, std::size_t first_group) {
    if (terms.empty()) return all_;
    const auto group_of = [&](std::size_t t) {
        return t + 1 < terms.size() ? first_group_ : std::max(first_group_, first_group);
    };
    std::size_t same = 0;
    while (same < std::min(terms.size(), terms_.size()) && terms[same] == terms_[same] &&
           from_[same] <= group_of(same))
        ++same;
    if (within_.size() < terms.size()) within_.resize(terms.size());
    from_.resize(within_.size());
    for (std::size_t t = same; t < terms.size(); ++t) {
        const ConditionRows& outer = t == 0 ? all_ : within_[t - 1];
        outer.copy_condition(static_cast<std::size_t>(terms[t]), keep_);
        from_[t] = group_of(t);
        keep_rows(kernels_, outer, keep_, within_[t], from_[t]);
    }
    terms_.assign(terms.begin(), terms.end());
    return within_[terms.size() - 1];
}

void CandidateCounter::set_prefix(const ConditionRows& rows, std::span<const std::int32_t> prefix) {
    rows.copy_conjunction(prefix, set_);
    find_words(rows, set_);
}

void CandidateCounter::find_words(const ConditionRows& rows, const std::vector<Word>& set) {
    sparse_.word.resize(set.size());
    sparse_.place.resize(set.size());
    sparse_.runs.clear();
    std::uint32_t last = 0;
    for (const Segment& s : rows.rows.segments) {
        const std::uint32_t first = last;
        for (std::uint32_t w = s.first_word; w < s.first_word + s.n_words; ++w) {
            sparse_.word[last] = set[w];
            sparse_.place[last] = w;
            last += set[w] != 0;
        }
        if (last > first) sparse_.runs.push_back({s.klass, s.weight, first, last});
    }
}

void CandidateCounter::count_conditions(const ConditionRows& rows, Counts& counts) {
    rows.copy_conjunction({}, set_);
    count_conditions(rows, set_, counts);
}

void CandidateCounter::count_conditions(const ConditionRows& rows, const std::vector<Word>& set,
                                        Counts& counts, std::size_t first_group) {
    counts.resize(rows.n_groups * group_size);
    find_words(rows, set);
    std::int32_t* out[] = {counts.of_class[0].data(), counts.of_class[1].data()};
    kernels_.count_set(sparse_, rows.groups.data(), rows.rows.words, first_group, rows.n_groups,
                       out);
}

void CandidateCounter::count(const ConditionRows& rows, const Language& language, std::size_t first,
                             std::size_t last, Counts& counts) {
    counts.resize(language.size());
    of_conditions_.resize(rows.n_groups * group_size);
    std::int32_t* out[] = {of_conditions_.of_class[0].data(), of_conditions_.of_class[1].data()};
    const auto after = std::partition_point(language.families.begin(), language.families.end(),
                                            [&](const Family& f) { return f.last <= first; });
    for (auto family = after; family != language.families.end() && family->first < last; ++family) {
        const std::size_t from = std::max(family->first, first);
        set_prefix(rows, language.prefix(*family));
        const auto group_of = [&](std::size_t i) {
            return static_cast<std::size_t>(language.last_term(i)) / group_size;
        };
        kernels_.count_set(sparse_, rows.groups.data(), rows.rows.words, group_of(from),
                           group_of(family->last - 1) + 1, out);
        for (std::size_t i = from; i < family->last; ++i)
            for (std::size_t c = 0; c < 2; ++c)
                counts.of_class[c][i] = out[c][language.last_term(i)];
    }
}

void CandidateCounter::count_family(const ConditionRows& rows, const Language& language,
                                    const Family& family, const std::vector<std::uint8_t>& wanted,
                                    Counts& counts, const std::vector<Word>* set) {
    of_conditions_.resize(rows.n_groups * group_size);
    std::int32_t* out[] = {of_conditions_.of_class[0].data(), of_conditions_.of_class[1].data()};
    rows.copy_conjunction(language.prefix(family), set_);
    if (set != nullptr)
        for (std::size_t w = 0; w < set_.size(); ++w) set_[w] &= (*set)[w];
    find_words(rows, set_);
    const auto end = static_cast<std::size_t>(language.last_term(family.last - 1)) / group_size + 1;
    for (auto g = static_cast<std::size_t>(language.last_term(family.first)) / group_size;
         g < end;) {
        if (!wanted[g]) {
            ++g;
            continue;
        }
        std::size_t until = g;
        while (until < end && wanted[until]) ++until;
        kernels_.count_set(sparse_, rows.groups.data(), rows.rows.words, g, until, out);
        g = until;
    }
    for (std::size_t i = family.first; i < family.last; ++i)
        if (wanted[static_cast<std::size_t>(language.last_term(i)) / group_size])
            for (std::size_t c = 0; c < 2; ++c)
                counts.of_class[c][i] = out[c][language.last_term(i)];
}

}  // namespace samrule
