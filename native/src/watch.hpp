/// A search runs on a thread of its own; the thread that asked for it looks after the limits.
#pragma once

#include <functional>

#include "samrule/stop_sign.hpp"

namespace samrule {

/// Runs `work` on a thread of its own and returns when it is done. Meanwhile the calling thread
/// raises the stop sign when `time_limit` seconds are over, or when `poll`, which it calls about
/// twenty times a second with the seconds so far, returns true. What `work` throws is thrown here.
void run_watched(const std::function<void()>& work, StopSign& stop, double time_limit,
                 const std::function<bool(double)>& poll);

}  // namespace samrule
