#include "few_errors.hpp"

#include <algorithm>
#include <array>
#include <memory>

#include "orders.hpp"

namespace samrule {
namespace {

using Errors = std::array<std::int64_t, 2>;  ///< by class

/// A rule that is inserted, and what it does there.
struct Move {
    std::int64_t corrected, spoiled;
    std::int32_t rule;
    std::size_t place;
};

/// A rule of a list, and the step in which it was inserted.
struct Inserted {
    std::int32_t rule;
    std::size_t klass;  ///< that it predicts
    std::size_t step;
};

/// Where a rule that predicts a class can be inserted, and the rows that it may change there: those
/// that no rule before it decides, and that are predicted the other class.
struct Place {
    std::size_t klass;
    std::vector<Inserted> before, after;  ///< the list, cut there
    std::uint32_t others_after;           ///< steps of the rules after it that predict otherwise
    std::vector<Word> rows;
    std::vector<std::int32_t> corrected;  ///< by each candidate; `few` where it is below the share
};
constexpr std::int32_t few = -1;

// Let F be a wanted list with k rules, which errs on at most E, and L the list of some j of them in
// the same order, with the same predictions and the same default. A row that L gets wrong and F
// gets right is decided in F by a rule that is not in L: else the same rule would decide it in L.
// So the k - j others correct at least e(L) - E of the rows that L gets wrong, and one of them
// covers at least a (k - j)th of that, its share: rows of the class that it predicts, which L gets
// wrong behind the place of the rule. It is at least one row, or L errs on no more than F and costs
// no more. So F is made of the empty list by inserting, each time, the rule that covers the most of
// such rows; those left cover no more of the rows that were wrong then, which also makes the way to
// F the only one.
//
// Neighbours that predict the same may change places: a list here stands for all those. A rule that
// predicts otherwise may come between any of them and the others.
//
// What a conjunction covers falls when it gets more conditions: conditions that cover less than the
// share are in no such rule.
//
// After a rule that corrects x of class c and spoils y of the other class d, errors are e_c - x and
// e_d + y. If s and t of the rules left predict c and d, they correct at most s h_c and t h_d + y
// (nothing if t = 0), where h is the most that a rule covered before this one was there. For some
// s and t that must leave at most E.
class FewErrors {
  public:
    FewErrors(State& state, const ConjunctionProblem& problem, int rules, Wanted& wanted)
        : state_(state),
          problem_(problem),
          rules_(static_cast<std::size_t>(rules)),
          wanted_(wanted) {
        find_needless();
        find_next_prefixes();
    }

    void operator()() {
        for (std::size_t otherwise = 0; otherwise < 2; ++otherwise) {
            Space root(*this, otherwise);
            Level& first = root.levels[0];
            first.wrong[1 - otherwise] =
                1 - otherwise == 1 ? problem_.rows.weight.positive : problem_.rows.weight.negative;
            first.wrong_rows = root.all;
            keep_class(1 - otherwise, first.wrong_rows);
            find_moves(root, 0);
            state_.for_each_step(first.moves.size(), [&](std::size_t k) {
                if (is_done()) return;
                Borrowed<std::unique_ptr<Space>> space(spaces_[otherwise]);
                if (*space == nullptr) {
                    *space = std::make_unique<Space>(*this, otherwise);
                    (*space)->levels[0] = first;
                }
                follow(**space, 0, first.moves[k]);
            });
        }
    }

  private:
    /// A list on the way to wanted ones, and what may be inserted next.
    struct Level {
        std::vector<Inserted> list;
        std::vector<std::vector<Word>> covered;  ///< by the rule of each step
        Errors wrong{};
        std::vector<Word> wrong_rows;
        std::vector<Place> places;
        std::size_t n_places = 0;  ///< in use
        std::vector<Move> moves;
        Errors most{};  ///< that a rule which predicts the class can correct
        Move chosen{};
    };

    /// One thread's space.
    struct Space {
        Space(const FewErrors& search, std::size_t default_class)
            : otherwise(default_class), levels(search.rules_ + 1), counter(search.state_.kernels) {
            search.problem_.rows.copy_conjunction({}, all);
            candidates.resize(search.problem_.language.size());
        }
        std::size_t otherwise;  ///< the class that the default predicts
        std::vector<Level> levels;
        CandidateCounter counter;
        std::array<Counts, 2> conditions;  ///< on the wrong rows of each class
        Counts candidates;
        std::vector<std::uint8_t> open, open_groups;
        std::vector<Word> all, left;
    };

    /// Candidates that are not needed to predict a class: one with fewer conditions covers all
    /// their rows, and none more of the other class. In their place it gets no row wrong that they
    /// get right, and it comes first among equal lists.
    void find_needless() {
        const std::size_t n = problem_.language.size();
        for (auto& flags : is_needless_) flags.assign(n, 0);
        if (!state_.uses(Bound::twins)) return;
        std::vector<std::int32_t> fewer;
        std::vector<Word> rows;
        for (std::size_t i = 0; i < n; ++i) {
            const auto terms = problem_.language.terms[i];
            state_.charge(Work::row_word, terms.size() * problem_.rows.rows.words);
            for (std::size_t t = 0; t < terms.size() && terms.size() > 1; ++t) {
                fewer.assign(terms.begin(), terms.end());
                fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(t));
                problem_.rows.copy_conjunction(fewer, rows);
                const Errors weight = weight_of(rows);
                for (std::size_t klass = 0; klass < 2; ++klass)
                    is_needless_[klass][i] |=
                        weight[1 - klass] == problem_.counts.of_class[1 - klass][i];
            }
        }
    }

    Errors weight_of(const std::vector<Word>& rows) const {
        Errors weight{};
        for (const Segment& s : problem_.rows.rows.segments)
            weight[static_cast<std::size_t>(s.klass)] +=
                s.weight * state_.kernels.count_and(rows.data() + s.first_word,
                                                    rows.data() + s.first_word, s.n_words);
        return weight;
    }

    /// Of some rows those of a class.
    void keep_class(std::size_t klass, std::vector<Word>& rows) const {
        for (const Segment& s : problem_.rows.rows.segments)
            if (static_cast<std::size_t>(s.klass) != klass)
                std::fill_n(rows.begin() + s.first_word, s.n_words, Word{0});
    }

    /// For each family the next one whose conjunctions begin with another condition.
    void find_next_prefixes() {
        const auto& families = problem_.language.families;
        const auto first_of = [&](std::size_t f) {
            const auto shared = problem_.language.prefix(families[f]);
            return shared.empty() ? -1 : shared[0];
        };
        next_prefix_.resize(families.size());
        for (std::size_t f = families.size(); f-- > 0;) {
            const bool is_same = f + 1 < families.size() && first_of(f) == first_of(f + 1);
            next_prefix_[f] = is_same ? next_prefix_[f + 1] : f + 1;
        }
    }

    bool is_done() const { return state_.stopped() || wanted_.is_answered(); }
    /// What a wanted list may err on; negative if there is none.
    std::int64_t most_errors() const {
        const Cost left = wanted_.limit() - static_cast<Cost>(rules_) * state_.rule_cost;
        return left >= 0 ? left / unit : -1;
    }
    std::int64_t n_left(std::size_t at) const { return static_cast<std::int64_t>(rules_ - at); }
    static std::int64_t all_wrong(const Level& level) { return level.wrong[0] + level.wrong[1]; }

    /// Inserts a rule, and goes on.
    void follow(Space& space, std::size_t at, const Move& move) {
        Level& level = space.levels[at];
        Level& next = space.levels[at + 1];
        const Place& place = level.places[move.place];
        level.chosen = move;
        next.list = place.before;
        next.list.push_back({move.rule, place.klass, at});
        next.list.insert(next.list.end(), place.after.begin(), place.after.end());
        next.wrong = after(level.wrong, place.klass, move);
        if (n_left(at + 1) == 0) return offer(next);
        next.covered = level.covered;
        next.covered.emplace_back();
        problem_.rows.copy_conjunction(problem_.language.terms[static_cast<std::size_t>(move.rule)],
                                       next.covered.back());
        // What was wrong there is right, and what was right is wrong.
        next.wrong_rows = level.wrong_rows;
        for (std::size_t w = 0; w < next.wrong_rows.size(); ++w)
            next.wrong_rows[w] ^= next.covered.back()[w] & place.rows[w];
        find_moves(space, at + 1);
        for (const Move& one : next.moves) {
            if (is_done()) return;
            follow(space, at + 1, one);
        }
    }

    static Errors after(Errors wrong, std::size_t klass, const Move& move) {
        wrong[klass] -= move.corrected;
        wrong[1 - klass] += move.spoiled;
        return wrong;
    }

    void offer(const Level& level) {
        if (all_wrong(level) > most_errors()) return;
        std::vector<std::int32_t> rules;
        for (const Inserted& one : level.list)
            rules.push_back(problem_.language.candidate[static_cast<std::size_t>(one.rule)]);
        offer_orders_of_last(state_, rules.size(), rules, wanted_);
    }

    /// The rules that may come next, those that correct most first.
    void find_moves(Space& space, std::size_t at) {
        Level& level = space.levels[at];
        level.moves.clear();
        level.n_places = 0;
        if (most_errors() < 0) return;
        state_.n_nodes.fetch_add(1, std::memory_order_relaxed);
        const std::int64_t missing = std::max<std::int64_t>(1, all_wrong(level) - most_errors());
        const std::int64_t share = (missing + n_left(at) - 1) / n_left(at);
        const Errors most{most_of_conditions(space, level, 0), most_of_conditions(space, level, 1)};
        if (!may_correct(level.wrong, most, n_left(at), {}, {})) return;
        find_places(space, level);
        level.most = {share - 1, share - 1};
        for (std::size_t klass = 0; klass < 2; ++klass) {
            const bool is_possible =
                most[klass] >= share &&
                may_correct(level.wrong, most, n_left(at), {klass == 0, klass == 1}, {});
            if (is_possible) find_open_conditions(space, klass, share);
            for (std::size_t p = 0; p < level.n_places && !is_done(); ++p) {
                Place& place = level.places[p];
                if (place.klass != klass) continue;
                if (n_left(at) > 1) place.corrected.assign(problem_.language.size(), few);
                if (is_possible && weight_of(place.rows)[klass] >= share)
                    find_moves_to(space, at, p, share);
            }
        }
        std::erase_if(level.moves, [&](const Move& move) {
            return !leaves_enough(level, move, n_left(at) - 1);
        });
        std::sort(level.moves.begin(), level.moves.end(), [](const Move& a, const Move& b) {
            if (a.corrected != b.corrected) return a.corrected > b.corrected;
            return a.rule != b.rule ? a.rule < b.rule : a.place < b.place;
        });
    }

    /// The most that any condition covers of the wrong rows of a class.
    std::int64_t most_of_conditions(Space& space, const Level& level, std::size_t klass) {
        if (level.wrong[klass] == 0) return 0;
        space.left = level.wrong_rows;
        keep_class(klass, space.left);
        state_.charge(Work::pair_word,
                      problem_.language.n_conditions * problem_.rows.rows.words / 2);
        space.counter.count_conditions(problem_.rows, space.left, space.conditions[klass],
                                       problem_.language.first_group);
        const auto& corrected = space.conditions[klass].of_class[klass];
        return *std::max_element(corrected.begin() + first_condition(),
                                 corrected.begin() + n_conditions());
    }
    std::ptrdiff_t first_condition() const {
        return static_cast<std::ptrdiff_t>(problem_.language.first_group * group_size);
    }
    std::ptrdiff_t n_conditions() const {
        return static_cast<std::ptrdiff_t>(problem_.language.n_conditions);
    }

    /// Whether so many rules, at least `least` of them for each class, may leave few enough errors
    /// if each corrects at most `most` of its class, and all of one class `more` together.
    bool may_correct(const Errors& wrong, const Errors& most, std::int64_t rules,
                     const Errors& least, const Errors& more) const {
        if (!state_.uses(Bound::pair)) return true;
        for (std::int64_t first = least[0]; first <= rules - least[1]; ++first) {
            const Errors n{first, rules - first};
            std::int64_t rest = 0;
            for (std::size_t c = 0; c < 2; ++c) {
                const std::int64_t corrected = n[c] * most[c] + (n[c] > 0 ? more[c] : 0);
                rest += std::max<std::int64_t>(0, wrong[c] - corrected);
            }
            if (rest <= most_errors()) return true;
        }
        return false;
    }

    /// Whether a list may be wanted after this move and so many more.
    bool leaves_enough(const Level& level, const Move& move, std::int64_t left) const {
        const std::size_t klass = level.places[move.place].klass;
        Errors more{};
        more[1 - klass] = move.spoiled;
        const Errors most{std::min(level.most[0], move.corrected),
                          std::min(level.most[1], move.corrected)};
        return may_correct(after(level.wrong, klass, move), most, left, {}, more);
    }

    /// Among neighbours that predict the other class, before some of them, and before the default
    /// if it does. Elsewhere the rule would be a neighbour of those that predict the same.
    void find_places(Space& space, Level& level) const {
        const std::vector<Inserted>& list = level.list;
        for (std::size_t first = 0, last = 0; first < list.size(); first = last) {
            while (last < list.size() && list[last].klass == list[first].klass) ++last;
            const std::uint32_t n_sets = 1U << (last - first);
            for (std::uint32_t set = 1; set < n_sets; ++set)
                add_place(space, level, 1 - list[first].klass, first, last, set);
        }
        add_place(space, level, 1 - space.otherwise, list.size(), list.size(), 0);
    }

    /// Before those of the neighbours from `first` to `last` that are in a set.
    void add_place(Space& space, Level& level, std::size_t klass, std::size_t first,
                   std::size_t last, std::uint32_t set) const {
        if (level.places.size() == level.n_places) level.places.emplace_back();
        Place& place = level.places[level.n_places++];
        place.klass = klass;
        place.before.clear();
        place.after.clear();
        place.others_after = 0;
        for (std::size_t k = 0; k < level.list.size(); ++k) {
            const Inserted& one = level.list[k];
            const bool is_after = k >= last || (k >= first && (set >> (k - first) & 1) != 0);
            (is_after ? place.after : place.before).push_back(one);
            if (is_after && one.klass != klass) place.others_after |= 1U << one.step;
        }
        space.left = space.all;
        for (const Inserted& one : place.before) take(level.covered[one.step], space.left, nullptr);
        place.rows.assign(space.left.size(), 0);
        for (const Inserted& one : place.after)
            take(level.covered[one.step], space.left,
                 one.klass != klass ? place.rows.data() : nullptr);
        if (space.otherwise != klass)
            for (std::size_t w = 0; w < space.left.size(); ++w) place.rows[w] |= space.left[w];
    }

    /// Takes the rows of a rule from those left, and adds them to others, if any.
    static void take(const std::vector<Word>& covered, std::vector<Word>& left, Word* to) {
        for (std::size_t w = 0; w < left.size(); ++w) {
            if (to != nullptr) to[w] |= left[w] & covered[w];
            left[w] &= ~covered[w];
        }
    }

    void find_moves_to(Space& space, std::size_t at, std::size_t p, std::int64_t share) {
        const auto& families = problem_.language.families;
        for (std::size_t f = 0; f < families.size();) {
            const auto shared = problem_.language.prefix(families[f]);
            if (!shared.empty() && !space.open[static_cast<std::size_t>(shared[0])]) {
                f = next_prefix_[f];
                continue;
            }
            if (is_open(families[f], space)) find_moves_of(families[f], space, at, p, share);
            ++f;
        }
    }

    void find_moves_of(const Family& family, Space& space, std::size_t at, std::size_t p,
                       std::int64_t share) {
        Level& level = space.levels[at];
        Place& place = level.places[p];
        state_.charge(Work::pair_word, (family.last - family.first) * problem_.rows.rows.words);
        space.counter.count_family(problem_.rows, problem_.language, family, space.open_groups,
                                   space.candidates, &place.rows);
        const std::vector<std::int32_t>& corrected = space.candidates.of_class[place.klass];
        const std::vector<std::int32_t>& spoiled = space.candidates.of_class[1 - place.klass];
        for (std::size_t i = family.first; i < family.last; ++i) {
            const auto last = static_cast<std::size_t>(problem_.language.last_term(i));
            if (!space.open[last] || corrected[i] < share || is_needless_[place.klass][i]) continue;
            if (n_left(at) > 1) place.corrected[i] = corrected[i];
            level.most[place.klass] = std::max<std::int64_t>(level.most[place.klass], corrected[i]);
            const Move move{corrected[i], spoiled[i], static_cast<std::int32_t>(i), p};
            if (comes_after_all(space, at, move)) level.moves.push_back(move);
        }
    }

    /// Of the conditions those that cover enough of the wrong rows of a class.
    void find_open_conditions(Space& space, std::size_t klass, std::int64_t share) const {
        space.open.assign(problem_.rows.n_groups * group_size, 0);
        space.open_groups.assign(problem_.rows.n_groups, 0);
        for (auto c = static_cast<std::size_t>(first_condition());
             c < problem_.language.n_conditions; ++c)
            if (space.conditions[klass].of_class[klass][c] >= share)
                space.open[c] = space.open_groups[c / group_size] = 1;
    }

    bool is_open(const Family& family, const Space& space) const {
        const auto shared = problem_.language.prefix(family);
        return std::all_of(shared.begin(), shared.end(), [&](std::int32_t c) {
            return space.open[static_cast<std::size_t>(c)] != 0;
        });
    }

    /// Whether a rule is none of the list, and its turn did not come before any of the list.
    bool comes_after_all(const Space& space, std::size_t at, const Move& move) const {
        const Place& place = space.levels[at].places[move.place];
        for (std::size_t k = 0; k < at; ++k) {
            const Level& level = space.levels[k];
            if (level.chosen.rule == move.rule) return false;
            if (!state_.uses(Bound::order)) continue;
            const std::uint32_t known = (1U << k) - 1;
            const std::int32_t corrected =
                corrected_by(level, place.klass, place.others_after & known, move.rule);
            if (corrected > level.chosen.corrected) return false;
            if (corrected == level.chosen.corrected && move.rule < level.chosen.rule) return false;
        }
        return true;
    }

    /// What a rule corrects at the place before these others.
    static std::int32_t corrected_by(const Level& level, std::size_t klass,
                                     std::uint32_t others_after, std::int32_t rule) {
        for (std::size_t p = 0; p < level.n_places; ++p)
            if (level.places[p].klass == klass && level.places[p].others_after == others_after)
                return level.places[p].corrected[static_cast<std::size_t>(rule)];
        return few;
    }

    State& state_;
    const ConjunctionProblem problem_;
    const std::size_t rules_;
    Wanted& wanted_;
    std::array<std::vector<std::uint8_t>, 2> is_needless_;  ///< by class, then candidate
    std::vector<std::size_t> next_prefix_;
    std::array<Pool<std::unique_ptr<Space>>, 2> spaces_;
};

}  // namespace

bool errs_on_little(const State& state, const ConjunctionProblem& problem, int rules,
                    const Wanted& wanted) {
    // Measured: docs/records/solver.md.
    constexpr int many_rules = 7;
    constexpr std::int64_t little = 64;
    if (!state.uses(Bound::insertion) || rules >= many_rules) return false;
    const std::size_t n_places = std::size_t{2} << rules;  // of all lists on the way, at most
    const std::size_t bytes = n_places * problem.language.size() * sizeof(std::int32_t);
    const auto threads = static_cast<std::size_t>(state.options.threads);
    const Cost errors = std::max<Cost>(0, wanted.limit() - rules * state.rule_cost);
    const Two& weight = problem.rows.weight;
    return little * (errors / unit) <= std::min(weight.positive, weight.negative) &&
           state.has_room((threads + 1) * bytes);
}

void find_with_few_errors(State& state, const ConjunctionProblem& problem, int rules,
                          Wanted& wanted) {
    if (problem.language.size() > 0) FewErrors(state, problem, rules, wanted)();
}

}  // namespace samrule
