#include "stand_ins.hpp"

#include <algorithm>
#include <numeric>

#include "priced_candidates.hpp"

namespace samrule {
namespace {

// Put candidate r in the place of rule i, and let each group of rows keep the linear function that
// says what it costs. Let x and y be what i and r cover alone, s(c) the most that a row of class c
// can cost, and a(c) what it costs where rule i decides it: 0 <= a(c) <= s(c). Rows of x now cost
// at most s(c) - a(c) more, rows of y at most a(c) more than where they were. So the list costs at
// most
//   sum of (s(c) - a(c)) x(c) + a(c) y(c)  <=  sum of s(c) max(x(c), y(c))
// more, and no more than that once each group has the function that is least for it. If r stands
// in the list already, one of the two decides nothing: the list is one of fewer rules.
// Each group's cost is rounded up, by less than one unit: `rounding` units for each rule put in.
constexpr Cost rounding = 8;

/// The rows of all candidates, one after the other.
class StandIns {
  public:
    StandIns(State& state, const ConjunctionProblem& problem, Cost radius)
        : state_(state), problem_(problem), radius_(radius), words_(problem.rows.rows.words) {}

    std::vector<std::int32_t> operator()() {
        copy_rows();
        std::vector<std::int32_t> order(problem_.language.size()), chosen;
        std::iota(order.begin(), order.end(), 0);
        // Large ones first: many that are smaller lie within them.
        std::stable_sort(order.begin(), order.end(), [&](std::int32_t a, std::int32_t b) {
            return sum(weights(a)) > sum(weights(b));
        });
        for (const std::int32_t i : order)
            if (state_.stopped() || !has_stand_in(i, chosen)) chosen.push_back(i);
        std::sort(chosen.begin(), chosen.end());
        return chosen;
    }

  private:
    void copy_rows() {
        const std::size_t n = problem_.language.size();
        state_.charge(Work::packed_word, n * words_);
        rows_.resize(n * words_);
        std::vector<Word> one;
        for (std::size_t i = 0; i < n && !state_.stopped(); ++i) {
            problem_.rows.copy_conjunction(problem_.language.terms[i], one);
            std::copy(one.begin(), one.end(),
                      rows_.begin() + static_cast<std::ptrdiff_t>(i * words_));
        }
    }

    const Word* rows(std::int32_t i) const {
        return rows_.data() + static_cast<std::size_t>(i) * words_;
    }
    Weights weights(std::int32_t i) const {
        const auto k = static_cast<std::size_t>(i);
        return {problem_.counts.negative(k), problem_.counts.positive(k)};
    }

    /// The most that a list costs more if `r` takes the place of `i` and both share such weights.
    Cost loss(const Weights& i, const Weights& r, const Weights& both) const {
        Cost most = 0;
        for (std::size_t c = 0; c < 2; ++c)
            most += state_.pricing.step(c) * (std::max(i[c], r[c]) - both[c]);
        return most;
    }

    bool has_stand_in(std::int32_t i, const std::vector<std::int32_t>& chosen) {
        const Weights weight = weights(i);
        std::size_t compared = 0;
        const bool found = std::any_of(chosen.rbegin(), chosen.rend(), [&](std::int32_t r) {
            const Weights other = weights(r);
            // Most are not alike by their weights alone.
            const Weights most{std::min(weight[0], other[0]), std::min(weight[1], other[1])};
            if (loss(weight, other, most) > radius_) return false;
            ++compared;
            const Weights both =
                shared_weight(state_.kernels, problem_.rows.rows, rows(i), rows(r));
            return loss(weight, other, both) <= radius_;
        });
        state_.charge(Work::row_word, compared * words_);
        state_.charge(Work::entry, chosen.size());
        return found;
    }

    State& state_;
    const ConjunctionProblem& problem_;
    const Cost radius_;
    const std::size_t words_;
    std::vector<Word> rows_;
};

}  // namespace

std::vector<std::int32_t> stand_ins(State& state, const ConjunctionProblem& problem, int rules,
                                    Cost room) {
    const Cost radius = room / rules - rounding;
    std::size_t claimed = 0;
    const std::size_t bytes = problem.language.size() * problem.rows.rows.words * sizeof(Word);
    std::vector<std::int32_t> chosen(problem.language.size());
    std::iota(chosen.begin(), chosen.end(), 0);
    if (radius < 0 || !state.has_room(bytes) || !state.claim(bytes, claimed)) return chosen;
    chosen = StandIns(state, problem, radius)();
    state.release(claimed);
    return chosen;
}

}  // namespace samrule
