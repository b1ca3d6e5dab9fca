/// The kernel sets that this build contains.
#pragma once

#include "samrule/kernels.hpp"

namespace samrule::scalar {
extern const Kernels kernels;
}

#ifdef SAMRULE_HAVE_AVX2
namespace samrule::avx2 {
extern const Kernels kernels;
}
#endif
