#include "kernels/sets.hpp"

#if defined(SAMRULE_X86) && defined(_MSC_VER) && !defined(__clang__)
#include <intrin.h>
#define SAMRULE_ASK_CPUID
#endif

namespace samrule {

namespace {

#ifdef SAMRULE_ASK_CPUID

// Whether the processor has the instructions, and the system keeps the registers they use.
struct Processor {
    bool avx2 = false, avx512 = false;

    Processor() {
        int leaf1[4], leaf7[4];
        __cpuid(leaf1, 0);
        if (leaf1[0] < 7) return;
        __cpuid(leaf1, 1);
        __cpuidex(leaf7, 7, 0);
        const auto has = [](int word, int bit) { return (word >> bit & 1) != 0; };
        if (!has(leaf1[2], 27)) return;  // no OSXSAVE, and nobody to ask about registers
        const auto kept = _xgetbv(0);
        const bool popcnt = has(leaf1[2], 23), bmi2 = has(leaf7[1], 8);
        avx2 = popcnt && bmi2 && has(leaf7[1], 5) && (kept & 0x6) == 0x6;
        avx512 = avx2 && (kept & 0xe6) == 0xe6 && has(leaf7[1], 16) && has(leaf7[1], 17) &&
                 has(leaf7[1], 30) && has(leaf7[1], 31) && has(leaf7[2], 14);
    }
};

#elif defined(SAMRULE_X86)

struct Processor {
    bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2") &&
                __builtin_cpu_supports("popcnt");
    bool avx512 = avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
                  __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") &&
                  __builtin_cpu_supports("avx512vpopcntdq");
};

#endif

}  // namespace

std::vector<const Kernels*> available_kernels() {
    std::vector<const Kernels*> sets;
    sets.reserve(3);
    sets.push_back(&scalar::kernels);
#ifdef SAMRULE_X86
    const Processor processor;
    if (processor.avx2) sets.push_back(&avx2::kernels);
    if (processor.avx512) sets.push_back(&avx512::kernels);
#endif
#ifdef SAMRULE_NEON
    sets.push_back(&neon::kernels);  // part of every AArch64 processor
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
