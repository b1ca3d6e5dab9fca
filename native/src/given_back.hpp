/// What follows some rules, from what follows all of them but one.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "state.hpp"

namespace samrule {

/// Reused from prefix to prefix.
struct GivenBackSpace {
    std::vector<Word> before;  ///< rows that no rule before the one given back covers
    std::vector<Word> after;   ///< for each rule: rows that no rule after it covers
    std::vector<Word> left;    ///< rows that no other rule covers
};

/// Lower bound on the least cost of finishing with at most `rules` rules on the rows of `all` that
/// no rule of `prefix` covers, from what the cache knows of other sets of rows. It goes no further
/// than `wanted`. (Not with a least support.)
///
/// Proof. Let V be the rows that all rules but one leave, and W those of V that this one covers.
/// A list that goes on at V without W goes on at V as well, where a row of W costs it at most the
/// step of its class; so it costs at least f(V, rules) less the steps of W.
Cost cost_by_rows_given_back(const State& state, const std::vector<Word>& all,
                             std::span<const std::int32_t> prefix, int rules, Cost wanted,
                             GivenBackSpace& space);

}  // namespace samrule
