#include "local_search.hpp"

#include <algorithm>
#include <limits>

namespace samrule {
namespace {

/// Operations that are done even if the search is stopped before: there should be some list.
constexpr double at_once = 2e6;

/// penalty() is a cost in this many parts, so that some of them can be purity.
constexpr int parts = 16;

/// The rows of `a` that are not in `b`; true if `b` holds no others.
bool difference(const std::vector<Word>& a, const std::vector<Word>& b, std::vector<Word>& only_a) {
    Word only_b = 0;
    only_a.resize(a.size());
    for (std::size_t w = 0; w < a.size(); ++w) {
        only_a[w] = a[w] & ~b[w];
        only_b |= b[w] & ~a[w];
    }
    return only_b == 0;
}

}  // namespace

/// The rows that one rule of a list decides, or that are left to the default.
struct LocalSearch::DecidedRows {
    std::vector<Word> bits;
    std::vector<std::int64_t> class_weight;
    Gain gain;
    /// Class after class, the weight that each candidate has in them; empty until counted.
    std::vector<std::int32_t> counts;
    /// Rows that were counted, and are more than these or fewer: the difference is counted sooner.
    std::shared_ptr<const DecidedRows> near;
};

struct LocalSearch::List {
    Rules rules;
    std::vector<std::shared_ptr<DecidedRows>> rows;  ///< of each rule, the default's last
    Cost cost = 0;

    std::size_t size() const { return rules.size(); }
};

struct LocalSearch::Insertion {
    std::size_t place = 0;
    std::int32_t candidate = no_rule;
    Cost price = std::numeric_limits<Cost>::max();  ///< of the list with it
};

/// What is known when lists of so many rules and terms were looked for.
struct LocalSearch::Stage {
    std::vector<Prefix> best;  ///< best[r]: of at most r rules
    double spent = 0;          ///< operations, of the stages it builds on too
};

/// A list that gets one rule more each time.
struct LocalSearch::Climb {
    List list;
    int purity;
    bool has_ended = false;  ///< no rule can be added
};

/// The stages of 1, 2, ... rules with the same candidates, one after the other.
struct LocalSearch::Series {
    Climb pure, plain;
    std::set<Rules> lengthened, shortened, varied;  ///< lists that need not be again
};

LocalSearch::LocalSearch(State& state) : state_(state), instance_(state.instance) {
    keep(list_of({}, {}));
}

const Prefix& LocalSearch::best(int rules) const {
    return best_[std::min(static_cast<std::size_t>(rules), best_.size() - 1)];
}

void LocalSearch::run(int max_rules, const Budget& budget) {
    max_rules_ = static_cast<std::size_t>(max_rules);
    // Of each number of rules, with the terms so far.
    std::vector<Stage> stages(max_rules_ + 1, {best_, 0});
    // Candidates are ordered by their number of terms.
    for (std::size_t n = 0; n < instance_.n_candidates();) {
        const std::size_t n_terms = instance_.terms[n].size();
        while (n < instance_.n_candidates() && instance_.terms[n].size() == n_terms) ++n;
        run_on(n, budget, stages);
    }
    best_ = std::move(stages.back().best);
    everything_.reset();
    counter_.reset();
    improved_.clear();
    state_.release_spare(claimed_);
}

void LocalSearch::run_on(std::size_t n_candidates, const Budget& budget,
                         std::vector<Stage>& stages) {
    n_candidates_ = n_candidates;
    everything_.reset();
    improved_.clear();
    Series series{{list_of({}, {}), parts}, {list_of({}, {}), 0}, {}, {}, {}};
    const std::size_t n_terms = instance_.terms[n_candidates - 1].size();
    double spent_here = 0;
    best_ = stages[0].best;
    for (std::size_t n_rules = 1; n_rules <= max_rules_; ++n_rules) {
        Stage& stage = stages[n_rules];
        for (const Prefix& list : stage.best) add(list);
        allowed_ = budget(n_rules, n_terms, n_candidates);
        spent_ = stage.spent + spent_here;
        // Single conditions are few: a longer list, cut down again, may be better.
        run_stage(series, n_terms == 1 ? n_rules + 1 : n_rules);
        spent_here = spent_ - stage.spent;
        stage = {best_, spent_};
    }
}

void LocalSearch::run_stage(Series& series, std::size_t n_rules) {
    // Two lists that climb, one that is tried, those made on the way, and everything.
    const std::size_t sets = 8 * (n_rules + 1) + 1;
    const std::size_t bytes_each =
        instance_.words * sizeof(Word) +
        n_candidates_ * sizeof(std::int32_t) * instance_.class_weight.size();
    if (!state_.claim_spare(sets * bytes_each, claimed_)) return;
    is_exhausted_ = false;
    if (everything_ == nullptr && !count_everything()) return;
    climb(series.pure, n_rules);
    climb(series.plain, n_rules);
    improve_best(series, n_rules);
    shorten_best(series, n_rules);
    vary_best(series, n_rules);
}

/// Purity is asked for at first, and less and less of it then.
void LocalSearch::climb(Climb& climb, std::size_t n_rules) {
    while (!climb.has_ended && climb.list.size() < n_rules && !is_exhausted_) {
        purity_ = climb.purity;
        if (!fill_up(climb.list, climb.list.size() + 1)) {
            climb.has_ended = !is_exhausted_;
            break;
        }
        while (replace_one(climb.list)) {
        }
        List other = climb.list;
        for (; purity_ > 0; purity_ /= 2)
            while (replace_one(other)) {
            }
        improve(other);
    }
    purity_ = 0;
}

/// The best list of each number of rules, and what it becomes with one rule more.
void LocalSearch::improve_best(Series& series, std::size_t n_rules) {
    for (std::size_t n = 1; n <= n_rules && !is_exhausted_; ++n) {
        const Rules same = best(static_cast<int>(n)).rules;
        if (!improved_.contains(same)) {
            List list = list_of(same, {});
            improve(list);
        }
        const Rules shorter = best(static_cast<int>(n) - 1).rules;
        if (series.lengthened.contains(shorter)) continue;
        List list = list_of(shorter, {});
        if (fill_up(list, n)) improve(list);
        if (!is_exhausted_) series.lengthened.insert(shorter);
    }
}

/// From the best list of each number of rules to one of one less.
void LocalSearch::shorten_best(Series& series, std::size_t n_rules) {
    for (std::size_t n = std::min(n_rules, best_.size() - 1); n > 1 && !is_exhausted_; --n) {
        const List list = list_of(best_[n].rules, {});
        if (list.size() < 2 || series.shortened.contains(list.rules)) continue;
        List shortest = without(list, 0);
        for (std::size_t place = 1; place < list.size(); ++place) {
            List shorter = without(list, place);
            if (shorter.cost < shortest.cost) shortest = std::move(shorter);
        }
        improve(shortest);
        if (!is_exhausted_) series.shortened.insert(list.rules);
    }
}

/// From the best list without two of its rules back to one as long by other ways: what single
/// steps do not reach. Half of the work is left to longer lists.
void LocalSearch::vary_best(Series& series, std::size_t n_rules) {
    allowed_ /= 2;
    for (bool is_new = true; is_new && !is_exhausted_;) {
        const Rules rules = best(static_cast<int>(n_rules)).rules;
        is_new = rules.size() > 2 && !series.varied.contains(rules);
        if (!is_new) return;
        const List list = list_of(rules, {});
        for (const int purity : {parts, parts / 4}) vary(list, 2, 0, list.size(), purity);
        if (!is_exhausted_) series.varied.insert(rules);
    }
}

/// Takes so many rules from place `first` on out of the list, fills it up and improves it.
void LocalSearch::vary(const List& list, std::size_t n_out, std::size_t first, std::size_t n_rules,
                       int purity) {
    if (is_exhausted_) return;
    if (n_out > 0) {
        for (std::size_t place = first; place < list.size(); ++place)
            vary(without(list, place), n_out - 1, place, n_rules, purity);
        return;
    }
    List other = list;
    purity_ = purity;
    const bool is_full = fill_up(other, n_rules);
    purity_ = 0;
    if (is_full) improve(other);
}

void LocalSearch::improve(List& list) {
    keep(list);
    while (!improved_.contains(list.rules) && (replace_one(list) || replace_two(list))) {
    }
    if (!is_exhausted_) improved_.insert(list.rules);
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
    for (std::size_t place = 0; place < list.size() && !is_exhausted_; ++place) {
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
    if (n <= static_cast<std::size_t>(state_.options.max_rules)) state_.note_found(list.cost);
    while (best_.size() <= n) best_.push_back(best_.empty() ? list : best_.back());
    for (std::size_t r = n; r < best_.size(); ++r)
        if (list.cost < best_[r].cost) best_[r] = list;
}

/// The candidate and the place that make the best list of one rule more; none if there was no
/// work left, or no candidate decides enough.
LocalSearch::Insertion LocalSearch::best_insertion(List& list) {
    Insertion best;
    if (!count(list) || !spend(work_of_insertion(list))) return best;
    if (!has_quick_scan())
        scan_any_loss(list, best);
    else if (purity_ == 0)
        scan_two_classes<std::int32_t>(
            list, [](std::int32_t a, std::int32_t b) { return std::min(a, b); }, best);
    else
        scan_two_classes<float>(
            list,
            [impure = static_cast<float>(2 * purity_), wrong = static_cast<float>(parts - purity_)](
                std::int32_t a, std::int32_t b) {
                const auto most = static_cast<float>(std::max(a, b));
                const auto least = static_cast<float>(std::min(a, b));
                return wrong * least + impure * (most * least / (most + least + 1e-20F));
            },
            best);
    if (best.candidate != no_rule) best.price = price_with(list, best);
    return best;
}

void LocalSearch::scan_any_loss(const List& list, Insertion& best) const {
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
}

/// The same for errors of two classes, in loops that compilers vectorize. Weights are below 2^30,
/// and errors below half of that, so sums of scores stay below 2^31.
template <class Score, class ScoreOf>
void LocalSearch::scan_two_classes(const List& list, const ScoreOf& score_of,
                                   Insertion& best) const {
    constexpr Score never = 1 << 29;
    const std::size_t n = n_candidates_;
    const auto least = static_cast<std::int32_t>(
        std::clamp<std::int64_t>(state_.options.min_support, 1, std::int64_t{1} << 30));
    std::vector<std::int32_t> taken_0(n, 0), taken_1(n, 0);
    std::vector<Score> later(n, 0), all(n);
    const auto score = [&](const DecidedRows& rows) {
        return score_of(static_cast<std::int32_t>(rows.class_weight[0]),
                        static_cast<std::int32_t>(rows.class_weight[1]));
    };
    Score before = 0, least_score = never;
    for (const auto& rows : list.rows) before += score(*rows);
    for (std::size_t place = list.rows.size(); place-- > 0;) {
        const DecidedRows& rows = *list.rows[place];
        before -= score(rows);
        const std::int32_t least_left = place < list.size() ? least : 0;
        const auto all_0 = static_cast<std::int32_t>(rows.class_weight[0]);
        const auto all_1 = static_cast<std::int32_t>(rows.class_weight[1]);
        const std::int32_t *counts_0 = rows.counts.data(), *counts_1 = counts_0 + n;
        for (std::size_t i = 0; i < n; ++i) {
            const std::int32_t left_0 = all_0 - counts_0[i], left_1 = all_1 - counts_1[i];
            const Score more = later[i] + score_of(left_0, left_1);
            later[i] = left_0 + left_1 < least_left ? never : more;
            taken_0[i] += counts_0[i];
            taken_1[i] += counts_1[i];
            const Score own = score_of(taken_0[i], taken_1[i]);
            all[i] = later[i] + (taken_0[i] + taken_1[i] < least ? never : own);
        }
        Score here = never;
        for (std::size_t i = 0; i < n; ++i) here = std::min(here, all[i]);
        if (here >= never || before + here >= least_score) continue;
        least_score = before + here;
        best.place = place;
        best.candidate =
            static_cast<std::int32_t>(std::find(all.begin(), all.end(), here) - all.begin());
    }
}

bool LocalSearch::has_quick_scan() const {
    return instance_.n_classes == 2 && state_.pricing.is_error();
}

/// What the list costs with one more rule.
Cost LocalSearch::price_with(const List& list, const Insertion& insertion) const {
    const std::size_t n_classes = instance_.class_weight.size();
    const auto i = static_cast<std::size_t>(insertion.candidate);
    std::vector<std::int64_t> taken(n_classes, 0), left(n_classes, 0);
    Cost all = 0;
    for (std::size_t place = 0; place < list.rows.size(); ++place) {
        const DecidedRows& rows = *list.rows[place];
        for (std::size_t c = 0; c < n_classes; ++c) {
            const std::int64_t own =
                place < insertion.place ? 0 : rows.counts[c * n_candidates_ + i];
            taken[c] += own;
            left[c] = rows.class_weight[c] - own;
        }
        all += penalty(state_.pricing.group(left));
    }
    all += penalty(state_.pricing.group(taken));
    return all / parts + static_cast<Cost>(list.size() + 1) * state_.rule_cost;
}

/// Making the list, and pricing every candidate at every place.
std::uint64_t LocalSearch::work_of_insertion(const List& list) const {
    constexpr std::size_t passes = 6;  // over the words of each set
    return operations(Work::entry, passes * instance_.words * list.rows.size()) +
           operations(has_quick_scan() ? Work::quick_insertion : Work::insertion,
                      n_candidates_ * list.rows.size());
}

bool LocalSearch::count_everything() {
    if (!spend(operations(Work::candidate, n_candidates_))) return false;
    counter_ = std::make_unique<SetCounter>(state_, n_candidates_);
    const std::shared_ptr<DecidedRows> all = list_of({}, {}).rows[0];
    if (!count(*all)) return false;
    everything_ = all;
    return true;
}

/// Counts every candidate in all sets of rows. False if there was no work left for it.
bool LocalSearch::count(List& list) {
    for (std::size_t place = 0; place < list.size(); ++place)
        if (!count(*list.rows[place])) return false;
    // What is left to the default need not be counted: the sets make up all rows.
    std::vector<std::int32_t>& rest = list.rows.back()->counts;
    if (!rest.empty()) return true;
    list.rows.back()->near.reset();
    rest = everything_->counts;
    for (std::size_t place = 0; place < list.size(); ++place)
        for (std::size_t k = 0; k < rest.size(); ++k) rest[k] -= list.rows[place]->counts[k];
    return true;
}

/// By themselves, or what is more or less than in rows that were counted.
bool LocalSearch::count(DecidedRows& rows) {
    if (!rows.counts.empty()) return true;
    std::uint64_t work = counter_->work(rows.bits);
    const DecidedRows* from = nullptr;
    int sign = 0;
    std::vector<Word> counted = rows.bits, other;
    const auto consider = [&](const DecidedRows* known) {
        if (known == nullptr || known->counts.empty()) return;
        for (const bool is_more : {true, false}) {
            if (!(is_more ? difference(rows.bits, known->bits, other)
                          : difference(known->bits, rows.bits, other)))
                continue;
            if (counter_->work(other) >= work) return;
            work = counter_->work(other);
            counted = other;
            from = known;
            sign = is_more ? 1 : -1;
            return;
        }
    };
    consider(rows.near.get());
    consider(everything_.get());
    if (!spend(work)) return false;
    counter_->count(counted, rows.counts);
    if (from != nullptr)
        for (std::size_t k = 0; k < rows.counts.size(); ++k)
            rows.counts[k] = from->counts[k] + sign * rows.counts[k];
    rows.near.reset();
    return true;
}

/// False if the stage may not spend so much.
bool LocalSearch::spend(std::uint64_t operations) {
    const auto all = spent_ + static_cast<double>(operations);
    is_exhausted_ |= all > allowed_ || (state_.stopped() && all > at_once);
    if (is_exhausted_) return false;
    spent_ = all;
    state_.stop_sign.charge(operations);
    return true;
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
LocalSearch::List LocalSearch::list_of(Rules rules, const List& like) const {
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
        list.rows.push_back(decided(taken, like, rule));
    }
    list.rows.push_back(decided(left, like, no_rule));
    list.cost = static_cast<Cost>(list.size()) * state_.rule_cost;
    for (const auto& rows : list.rows) list.cost += rows->gain.cost;
    return list;
}

LocalSearch::List LocalSearch::without(const List& list, std::size_t place) const {
    Rules rules = list.rules;
    rules.erase(rules.begin() + static_cast<std::ptrdiff_t>(place));
    return list_of(std::move(rules), list);
}

LocalSearch::List LocalSearch::with(const List& list, const Insertion& insertion) const {
    Rules rules = list.rules;
    rules.insert(rules.begin() + static_cast<std::ptrdiff_t>(insertion.place), insertion.candidate);
    return list_of(std::move(rules), list);
}

/// The rows that a rule decides, or the default; in a list like another, where the rule decides
/// about the same.
std::shared_ptr<LocalSearch::DecidedRows> LocalSearch::decided(const std::vector<Word>& bits,
                                                               const List& like,
                                                               std::int32_t rule) const {
    std::shared_ptr<DecidedRows> near;
    if (!like.rows.empty()) {
        const auto place = std::find(like.rules.begin(), like.rules.end(), rule);
        if (rule == no_rule || place != like.rules.end())
            near = like.rows[static_cast<std::size_t>(place - like.rules.begin())];
        if (near != nullptr && near->bits == bits) return near;
    }
    auto rows = std::make_shared<DecidedRows>();
    rows->bits = bits;
    if (near != nullptr) rows->near = near->counts.empty() ? near->near : near;
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
