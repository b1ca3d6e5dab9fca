/// Plain numbers that threads read and write at once, in any order: whole, never torn.
#pragma once

#include <atomic>

namespace samrule {

#ifdef __cpp_lib_atomic_ref

template <class T>
T load_shared(const T& from) {
    return std::atomic_ref<T>(const_cast<T&>(from)).load(std::memory_order_relaxed);
}

template <class T>
void store_shared(T& to, T value) {
    std::atomic_ref<T>(to).store(value, std::memory_order_relaxed);
}

/// Writes `value` where `seen` stood; else tells in `seen` what stands there. May fail for nothing.
template <class T>
bool replace_shared(T& in, T& seen, T value) {
    return std::atomic_ref<T>(in).compare_exchange_weak(seen, value, std::memory_order_relaxed);
}

#else  // libc++ before 19, and Apple's: its compilers have what std::atomic_ref is made of.

template <class T>
T load_shared(const T& from) {
    T value;
    __atomic_load(&from, &value, __ATOMIC_RELAXED);
    return value;
}

template <class T>
void store_shared(T& to, T value) {
    __atomic_store(&to, &value, __ATOMIC_RELAXED);
}

template <class T>
bool replace_shared(T& in, T& seen, T value) {
    return __atomic_compare_exchange(&in, &seen, &value, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}

#endif

}  // namespace samrule
