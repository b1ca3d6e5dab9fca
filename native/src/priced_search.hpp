/// The search among tens of thousands of conjunctions of two classes at any price of a group: lists
/// of up to three rules without a tree.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "conjunctions.hpp"
#include "wanted.hpp"

namespace samrule {

class PricedSearch {
  public:
    /// `raise` is told what every list is proven to cost at least.
    PricedSearch(State& state, std::function<void(Cost)> raise);

    /// Whether this search can answer the question, and is the better one to ask.
    static bool suits(const State& state);

    /// The least cost with at most `rules` rules, if `fewer` is that with one less; better lists
    /// are offered to the state.
    Cost solve(int rules, Cost fewer);

    /// Of the lists of `rules` rules that were proven best, the one that comes first.
    const std::vector<std::int32_t>& first_list(int rules) const {
        return first_[static_cast<std::size_t>(rules)];
    }

  private:
    /// Some of the candidates.
    struct Chosen {
        Language language;
        Counts counts;
    };

    void find_in_steps(Cost fewer, Wanted& wanted);
    double find_roughly(Cost fewer, Wanted& wanted);
    bool take_rough_step(Cost target, Cost fewer, Cost best, Wanted& wanted);
    void find_within(int rules, Cost fewer, Wanted& wanted);
    Cost least_worth(Cost fewer, Cost limit) const;
    Chosen worth_at_least(Cost least) const;
    /// Whether there is memory for what each two of them share.
    bool fits(const Chosen& chosen) const;
    static Chosen only(const Chosen& from, std::span<const std::int32_t> places);

    State& state_;
    std::function<void(Cost)> raise_;
    Conjunctions all_;
    Counts counts_;
    std::vector<std::vector<std::int32_t>> first_;
};

}  // namespace samrule
