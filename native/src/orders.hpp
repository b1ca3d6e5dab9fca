/// Rules of a list in other orders.
#pragma once

#include <cstdint>
#include <vector>

#include "wanted.hpp"

namespace samrule {

/// Offers a list of candidates of the instance with its last n rules in every order.
void offer_orders_of_last(const State& state, std::size_t n, std::vector<std::int32_t> rules,
                          Wanted& wanted);

}  // namespace samrule
