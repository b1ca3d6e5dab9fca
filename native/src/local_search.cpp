#include "local_search.hpp"

#include <algorithm>
#include <limits>

namespace samrule {
namespace {

/// penalty() is a cost in this many parts, so that some of them can be purity.
constexpr int parts = 16;

/// Words counted by one thread at a time.
constexpr std::size_t words_at_once = std::size_t{1} << 20;

}  // namespace

/// The rows that one rule of a list decides, or that are left to the default.
struct LocalSearch::DecidedRows {
    std::vector<Word> bits;
    std::vector<std::int64_t> class_weight;
    Gain gain;
    /// Class after class, the weight that each candidate has in them; empty until counted.
    std::vector<std::int32_t> counts;
};

struct LocalSearch::List {
    std::vector<std::int32_t> rules;
    std::vector<std::shared_ptr<DecidedRows>> rows;  ///< of each rule, the default's last
    Cost cost = 0;

    std::size_t size() const { return rules.size(); }
};

struct LocalSearch::Insertion {
    std::size_t place = 0;
    std::int32_t candidate = no_rule;
    Cost price = std::numeric_limits<Cost>::max();  ///< of the list with it
};

LocalSearch::LocalSearch(State& state) : state_(state), instance_(state.instance) {
    keep(list_of({}, {}));
}

const Prefix& LocalSearch::best(int rules) const {
    return best_[std::min(static_cast<std::size_t>(rules), best_.size() - 1)];
}

void LocalSearch::run(int max_rules, std::uint64_t work) {
    const auto n_rules = static_cast<std::size_t>(max_rules);
    work_left_ = static_cast<std::int64_t>(work);
    // Candidates are ordered by their number of terms.
    for (std::size_t n = 0; n < instance_.n_candidates() && !exhausted();) {
        const std::size_t n_terms = instance_.terms[n].size();
        while (n < instance_.n_candidates() && instance_.terms[n].size() == n_terms) ++n;
        // Single conditions are few: a longer list, cut down again, may be better than those
        // before.
        run_on(n, n_terms == 1 ? n_rules + 1 : n_rules);
    }
    std::vector<std::int32_t>().swap(totals_);
    state_.release_spare(claimed_);
}

void LocalSearch::run_on(std::size_t n_candidates, std::size_t max_rules) {
    // A list, one that is tried in its place and those made on the way, and the totals.
    const std::size_t sets = 3 * (max_rules + 1) + 1;
    const std::size_t bytes_each =
        instance_.words * sizeof(Word) +
        n_candidates * sizeof(std::int32_t) * instance_.class_weight.size();
    if (!state_.claim_spare(sets * bytes_each, claimed_)) return;
    n_candidates_ = n_candidates;
    const List everything = list_of({}, {});
    spend_pass();
    count(*everything.rows[0]);
    totals_ = everything.rows[0]->counts;
    climb(max_rules, parts);
    climb(max_rules, 0);
    climb_from_best(max_rules);
    descend(max_rules);
}

/// Lists of one more rule each time. Purity is asked for at first and less and less of it then.
void LocalSearch::climb(std::size_t max_rules, int purity) {
    List list = list_of({}, {});
    for (std::size_t n = 1; n <= max_rules && !exhausted(); ++n) {
        purity_ = purity;
        if (!fill_up(list, n)) break;
        while (replace_one(list)) {
        }
        List other = list;
        for (; purity_ > 0; purity_ /= 2)
            while (replace_one(other)) {
            }
        improve(other);
    }
    purity_ = 0;
}

/// From the best list of each number of rules to one of one more.
void LocalSearch::climb_from_best(std::size_t max_rules) {
    for (std::size_t n = 1; n <= max_rules && !exhausted(); ++n) {
        List list = list_of(best_[std::min(n, best_.size() - 1)].rules, {});
        improve(list);
        list = list_of(best_[std::min(n, best_.size()) - 1].rules, {});
        if (fill_up(list, n)) improve(list);
    }
}

/// From the best list of each number of rules to one of one less.
void LocalSearch::descend(std::size_t max_rules) {
    for (std::size_t n = std::min(max_rules, best_.size() - 1); n > 1 && !exhausted(); --n) {
        const List list = list_of(best_[n].rules, {});
        List shortest = list;
        for (std::size_t place = 0; place < list.size(); ++place) {
            List shorter = without(list, place);
            if (shortest.size() == list.size() || shorter.cost < shortest.cost) shortest = shorter;
        }
        improve(shortest);
    }
}

void LocalSearch::improve(List& list) {
    keep(list);
    while (!exhausted() && (replace_one(list) || replace_two(list))) {
    }
}

/// Inserts one rule after the other, each the best, even if the list gets dearer. False if that
/// cannot be done.
bool LocalSearch::fill_up(List& list, std::size_t n_rules) {
    while (list.size() < n_rules) {
        const Insertion insertion = best_insertion(list);
        if (insertion.candidate == no_rule) return false;
        list = with(list, insertion);
        keep(list);
    }
    return true;
}

/// Takes out a rule and puts in the best, wherever; true if the list is better then.
bool LocalSearch::replace_one(List& list) {
    for (std::size_t place = 0; place < list.size() && !exhausted(); ++place) {
        List shorter = without(list, place);
        const Insertion insertion = best_insertion(shorter);
        if (insertion.price >= price(list)) continue;
        list = with(shorter, insertion);
        keep(list);
        return true;
    }
    return false;
}

/// The same with two rules at once.
bool LocalSearch::replace_two(List& list) {
    for (std::size_t first = 0; first < list.size(); ++first) {
        const List shorter = without(list, first);
        for (std::size_t second = first; second < shorter.size(); ++second) {
            List other = without(shorter, second);
            if (!fill_up(other, list.size())) return false;
            if (price(other) >= price(list)) continue;
            list = std::move(other);
            return true;
        }
    }
    return false;
}

void LocalSearch::keep(const List& list) {
    // A list of rules that decide too little (possible when others were taken out) is no list.
    const std::int64_t least = std::max<std::int64_t>(state_.options.min_support, 1);
    for (std::size_t place = 0; place < list.size(); ++place)
        if (list.rows[place]->gain.weight < least) return;
    add({list.rules, list.cost});
}

void LocalSearch::add(const Prefix& list) {
    const std::size_t n = list.rules.size();
    while (best_.size() <= n) best_.push_back(best_.empty() ? list : best_.back());
    for (std::size_t r = n; r < best_.size(); ++r)
        if (list.cost < best_[r].cost) best_[r] = list;
}

/// The candidate and the place that make the best list of one rule more; none if there was no
/// time, or no candidate decides enough.
LocalSearch::Insertion LocalSearch::best_insertion(List& list) {
    Insertion best;
    if (!count(list)) return best;
    const std::size_t n = n_candidates_, n_classes = instance_.class_weight.size();
    const std::int64_t least = std::max<std::int64_t>(state_.options.min_support, 1);
    // Of each candidate inserted at the place at hand: what it takes, and what later rules pay.
    std::vector<std::int64_t> taken(n_classes * n, 0);
    std::vector<Cost> later(n, 0);
    std::vector<std::uint8_t> allowed(n, 1);
    Cost before = 0, least_penalty = std::numeric_limits<Cost>::max();
    for (const auto& rows : list.rows) before += penalty(rows->gain);
    for (std::size_t place = list.rows.size(); place-- > 0;) {
        const DecidedRows& rows = *list.rows[place];
        const bool is_rule = place < list.size();
        before -= penalty(rows.gain);
        for (std::size_t i = 0; i < n; ++i) {
            const Gain left = state_.pricing.group(n_classes, [&](std::size_t c) {
                return rows.class_weight[c] - rows.counts[c * n + i];
            });
            if (is_rule && left.weight < least) allowed[i] = 0;
            later[i] += penalty(left);
            for (std::size_t c = 0; c < n_classes; ++c) taken[c * n + i] += rows.counts[c * n + i];
            const Gain own =
                state_.pricing.group(n_classes, [&](std::size_t c) { return taken[c * n + i]; });
            if (!allowed[i] || own.weight < least) continue;
            const Cost all = before + later[i] + penalty(own);
            if (all >= least_penalty) continue;
            least_penalty = all;
            best.place = place;
            best.candidate = static_cast<std::int32_t>(i);
        }
    }
    if (best.candidate != no_rule)
        best.price = least_penalty / parts + static_cast<Cost>(list.size() + 1) * state_.rule_cost;
    return best;
}

/// Counts every candidate in all sets of rows. False if there was no time for it.
bool LocalSearch::count(List& list) {
    for (std::size_t place = 0; place < list.size(); ++place) {
        DecidedRows& rows = *list.rows[place];
        if (!rows.counts.empty()) continue;
        if (exhausted()) return false;
        spend_pass();
        count(rows);
    }
    // What is left to the default need not be counted: the sets make up all rows.
    std::vector<std::int32_t>& rest = list.rows.back()->counts;
    if (!rest.empty()) return true;
    rest = totals_;
    for (std::size_t place = 0; place < list.size(); ++place)
        for (std::size_t k = 0; k < rest.size(); ++k) rest[k] -= list.rows[place]->counts[k];
    return true;
}

void LocalSearch::spend_pass() {
    const std::size_t words = n_candidates_ * instance_.words;
    work_left_ -= static_cast<std::int64_t>(words);
    state_.charge(Work::row_word, words);
    state_.charge(Work::entry, n_candidates_);
}

void LocalSearch::count(DecidedRows& rows) const {
    const std::size_t n_classes = rows.class_weight.size(), words = instance_.words;
    rows.counts.resize(n_classes * n_candidates_);
    const std::size_t at_once =
        std::max<std::size_t>(words_at_once / std::max(words, std::size_t{1}), 4);
    const auto count_some = [&](std::size_t part) {
        const std::size_t first = part * at_once, last = std::min(first + at_once, n_candidates_);
        std::vector<std::int32_t*> of_class(n_classes);
        for (std::size_t c = 0; c < n_classes; ++c)
            of_class[c] = rows.counts.data() + c * n_candidates_ + first;
        state_.kernels.count_row(rows.bits.data(), instance_.candidate(first), words, last - first,
                                 instance_.segments.data(), instance_.segments.size(),
                                 static_cast<std::int32_t>(n_classes), of_class.data());
    };
    const std::size_t n_parts = (n_candidates_ + at_once - 1) / at_once;
    if (n_parts > 1)
        state_.team.for_each(n_parts, count_some);
    else
        count_some(0);
}

/// What the rows of one rule add to the price of a list: what they cost, or in part twice the
/// chance of drawing one right and one wrong row (the Gini impurity). Errors alone do not see what
/// a rule is good for that predicts what would be predicted without it.
Cost LocalSearch::penalty(const Gain& gain) const {
    const Cost cost = (parts - purity_) * gain.cost;
    if (purity_ == 0 || gain.cost == 0) return cost;
    const auto right = static_cast<double>(gain.worth), wrong = static_cast<double>(gain.cost);
    return cost + static_cast<Cost>(2 * purity_ * (right * wrong / (right + wrong)));
}

Cost LocalSearch::price(const List& list) const {
    Cost all = 0;
    for (const auto& rows : list.rows) all += penalty(rows->gain);
    return all / parts + static_cast<Cost>(list.size()) * state_.rule_cost;
}

/// The list with these rules. Sets of rows that `like` has too are taken from there, with their
/// counts.
LocalSearch::List LocalSearch::list_of(std::vector<std::int32_t> rules, const List& like) const {
    List list;
    list.rules = std::move(rules);
    std::vector<Word> left(instance_.words), taken(instance_.words);
    for (const Segment& s : instance_.segments)
        for (std::size_t w = 0; w < s.n_words; ++w)
            left[s.first_word + w] = low_bits(s.n_slots - w * bits_per_word);
    for (const std::int32_t rule : list.rules) {
        const Word* bits = instance_.candidate(static_cast<std::size_t>(rule));
        for (std::size_t w = 0; w < left.size(); ++w) {
            taken[w] = left[w] & bits[w];
            left[w] &= ~bits[w];
        }
        list.rows.push_back(decided(taken, like));
    }
    list.rows.push_back(decided(left, like));
    list.cost = static_cast<Cost>(list.size()) * state_.rule_cost;
    for (const auto& rows : list.rows) list.cost += rows->gain.cost;
    return list;
}

LocalSearch::List LocalSearch::without(const List& list, std::size_t place) const {
    std::vector<std::int32_t> rules = list.rules;
    rules.erase(rules.begin() + static_cast<std::ptrdiff_t>(place));
    return list_of(std::move(rules), list);
}

LocalSearch::List LocalSearch::with(const List& list, const Insertion& insertion) const {
    std::vector<std::int32_t> rules = list.rules;
    rules.insert(rules.begin() + static_cast<std::ptrdiff_t>(insertion.place), insertion.candidate);
    return list_of(std::move(rules), list);
}

std::shared_ptr<LocalSearch::DecidedRows> LocalSearch::decided(const std::vector<Word>& bits,
                                                               const List& like) const {
    for (const auto& rows : like.rows)
        if (rows->bits == bits) return rows;
    auto rows = std::make_shared<DecidedRows>();
    rows->bits = bits;
    rows->class_weight.assign(instance_.class_weight.size(), 0);
    for (const Segment& s : instance_.segments) {
        const Word* words = bits.data() + s.first_word;
        rows->class_weight[static_cast<std::size_t>(s.klass)] +=
            state_.kernels.count_and(words, words, s.n_words) * s.weight;
    }
    rows->gain = state_.pricing.group(rows->class_weight);
    return rows;
}

}  // namespace samrule
