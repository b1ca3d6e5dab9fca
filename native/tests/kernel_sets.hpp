/// The kernel sets this machine can run, and what tests of them share.
#pragma once

#include "harness.hpp"
#include "samrule/kernels.hpp"

using harness::Random;
using samrule::Kernels;

inline constexpr std::size_t longest = 1025;

inline const Kernels& scalar() { return *samrule::find_kernels("scalar"); }

/// Checks every set; says which one failed.
template <class Check>
void for_each_set(const Check& check) {
    for (const Kernels* set : samrule::available_kernels())
        harness::explain([&] { check(*set); },
                         [&] { return "  kernels " + std::string(set->name); });
}
