/// The kernel sets that this build contains.
#pragma once

#include <bit>
#include <cstring>

#include "samrule/kernels.hpp"

// By the target of this file, not of the build: one build may serve several (macOS).
#if defined(__x86_64__) || defined(_M_X64)
#define SAMRULE_X86
#elif defined(__aarch64__) || defined(_M_ARM64)
#define SAMRULE_NEON
#endif

namespace samrule::scalar {
extern const Kernels kernels;
}

#ifdef SAMRULE_X86
namespace samrule::avx2 {
extern const Kernels kernels;
}
namespace samrule::avx512 {
extern const Kernels kernels;
}
#endif

#ifdef SAMRULE_NEON
namespace samrule::neon {
extern const Kernels kernels;
}
#endif
