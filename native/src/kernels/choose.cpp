#include "kernels/sets.hpp"

namespace samrule {

std::vector<const Kernels*> available_kernels() {
    std::vector<const Kernels*> sets;
    sets.reserve(2);
    sets.push_back(&scalar::kernels);
#ifdef SAMRULE_HAVE_AVX2
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2") &&
        __builtin_cpu_supports("popcnt"))
        sets.push_back(&avx2::kernels);
#endif
    return sets;
}

const Kernels* find_kernels(std::string_view name) {
    const auto sets = available_kernels();
    if (name.empty()) return sets.back();
    for (const Kernels* set : sets)
        if (set->name == name) return set;
    return nullptr;
}

}  // namespace samrule
