#include "priced_pairs.hpp"

#include <algorithm>
#include <numeric>

#include "priced_candidates.hpp"

namespace samrule {
namespace {

/// Candidates counted together: neighbours share most of their conditions.
constexpr std::size_t block = 32;

class TwoPricedRules {
  public:
    TwoPricedRules(State& state, const ConjunctionProblem& problem, Wanted& wanted)
        : state_(state),
          problem_(problem),
          wanted_(wanted),
          scans_(state, problem.rows.weight.all()),
          all_(weights_of(problem.rows.weight)),
          singles_(state.pricing, problem.counts, in_order(problem.language.size())) {}

    void operator()() {
        const std::size_t n = problem_.language.size();
        state_.for_each_step((n + block - 1) / block, [&](std::size_t b) {
            CoveredRows covered(state_.kernels, problem_.rows, problem_.language);
            Space space{CandidateCounter(state_.kernels), {}, {}, std::vector<float>(padded(n))};
            for (auto& shared : space.shared) shared.resize(padded(n), 0);
            for (std::size_t i = b * block; i < std::min(n, (b + 1) * block); ++i) {
                if (state_.stopped()) return;
                look_at(i, covered.of(problem_.language.terms[i]), space);
            }
        });
    }

  private:
    struct Space {
        CandidateCounter counter;
        Counts counts;
        std::array<std::vector<std::uint32_t>, 2> shared;
        std::vector<float> costs;
    };

    static std::vector<std::int32_t> in_order(std::size_t n) {
        std::vector<std::int32_t> order(n);
        std::iota(order.begin(), order.end(), 0);
        return order;
    }

    /// Rule i and all candidates after it.
    void look_at(std::size_t i, const ConditionRows& inside, Space& space) {
        const std::size_t n = problem_.language.size();
        state_.charge(Work::family_word, (n - i) * inside.rows.words);
        space.counter.count(inside, problem_.language, i, space.counts);
        for (std::size_t c = 0; c < 2; ++c)
            std::copy(space.counts.of_class[c].begin() + static_cast<std::ptrdiff_t>(i),
                      space.counts.of_class[c].end(),
                      space.shared[c].begin() + static_cast<std::ptrdiff_t>(i));
        const std::size_t from = i / scan_lanes * scan_lanes;
        const Weights weight = singles_.of(i), rest = all_ - weight;
        const std::int32_t* single[] = {singles_.weight[0].data() + from,
                                        singles_.weight[1].data() + from};
        const std::uint32_t* shared[] = {space.shared[0].data() + from,
                                         space.shared[1].data() + from};
        state_.charge(Work::entry, padded(n) - from);
        scans_.couple(CouplePriceScan<std::uint32_t>{padded(n) - from, single, shared,
                                                     singles_.cost.data() + from, weight.data(),
                                                     rest.data(), singles_.cost[i]},
                      space.costs.data());
        for (std::size_t l = i + 1; l < n; ++l)
            if (space.costs[l - from] < scans_.limit(wanted_.limit() + 1 - 2 * state_.rule_cost))
                try_pair(i, l, space);
    }

    void try_pair(std::size_t i, std::size_t l, const Space& space) {
        const Weights shared{space.counts.of_class[0][l], space.counts.of_class[1][l]};
        const Weights a = singles_.of(i), b = singles_.of(l);
        const Pricing& pricing = state_.pricing;
        const Cost others = cost_of(pricing, all_ - a - b + shared) + 2 * state_.rule_cost;
        const std::int32_t x = problem_.language.candidate[i], y = problem_.language.candidate[l];
        wanted_.offer({others + cost_of(pricing, a) + cost_of(pricing, b - shared), {x, y}});
        wanted_.offer({others + cost_of(pricing, b) + cost_of(pricing, a - shared), {y, x}});
    }

    State& state_;
    const ConjunctionProblem problem_;
    Wanted& wanted_;
    const PriceScans scans_;
    const Weights all_;
    const Singles singles_;
};

}  // namespace

void find_two_priced_rules(State& state, const ConjunctionProblem& problem, Wanted& wanted) {
    TwoPricedRules(state, problem, wanted)();
}

}  // namespace samrule
