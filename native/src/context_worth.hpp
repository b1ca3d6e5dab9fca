/// What the first rules of a list are worth beside each other.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "state.hpp"

namespace samrule {

/// Reused from prefix to prefix.
struct ContextSpace {
    std::vector<Word> left;
    std::vector<Word> decided;  ///< by each rule, one after the other
    std::vector<std::size_t> label;
    std::vector<Cost> worth;
};

/// Lower bound on the cost of a list that starts with these candidates, in this order, and costs at
/// least `without_one` without one of its rules and `without_two` without two of them, the price of
/// those left out added. It goes no further than `wanted`. Only for plain errors.
///
/// Proof. Without rule i its rows fall to the next of these rules that covers them, or to what
/// follows. Where that rule predicts the same class nothing changes; where it predicts another,
/// what i has right becomes wrong, and what is of the other's class becomes right; of what falls
/// further no more than what i has right becomes wrong. Without rules i and l, i before l, the rows
/// of l fall as they do without l alone, and those of i pass l by.
Cost cost_by_context(const State& state, std::span<const std::int32_t> rules, Cost without_one,
                     Cost without_two, Cost wanted, ContextSpace& space);

}  // namespace samrule
