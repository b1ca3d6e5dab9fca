/// A test harness in one header: tests that register themselves, checks that say what they saw,
/// and random numbers that are the same everywhere. Include it in the one file of a test.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#ifndef SAMRULE_TEST_SCALE
#define SAMRULE_TEST_SCALE 1
#endif

/// Defines and registers a test; its name is a sentence.
#define TEST(name)                                                          \
    static void name();                                                     \
    static const harness::Registration registration_of_##name{#name, name}; \
    static void name()

/// Ends the test as failed unless the claim holds.
#define CHECK(claim)                                                         \
    do {                                                                     \
        if (!(claim)) harness::fail(__FILE__, __LINE__, #claim " is false"); \
    } while (false)

/// Ends the test as failed unless `found` equals `expected`, and says what both are.
#define CHECK_EQ(found, expected) \
    harness::check_equal(found, expected, #found, #expected, __FILE__, __LINE__)

namespace harness {

/// A check did not hold.
struct Failure : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// Thrown to leave out a whole executable, such as kernels that this processor lacks.
struct Skipped : std::runtime_error {
    using std::runtime_error::runtime_error;
};

[[noreturn]] inline void fail(const char* file, int line, const std::string& message) {
    throw Failure(std::string(file) + ":" + std::to_string(line) + ": " + message);
}

// Printing: whatever the tests compare, containers included.

template <class T>
void print(std::ostream& out, const T& value);

template <class A, class B>
void print(std::ostream& out, const std::pair<A, B>& value) {
    out << "(";
    print(out, value.first);
    out << ", ";
    print(out, value.second);
    out << ")";
}

template <class T>
void print(std::ostream& out, const std::optional<T>& value) {
    if (value)
        print(out, *value);
    else
        out << "nothing";
}

template <class T>
void print(std::ostream& out, const std::vector<T>& values) {
    out << "[";
    for (std::size_t k = 0; k < values.size(); ++k) {
        if (k > 0) out << ", ";
        print(out, values[k]);
    }
    out << "]";
}

template <class T>
void print(std::ostream& out, const T& value) {
    if constexpr (sizeof(T) == 1)
        out << static_cast<int>(value);
    else
        out << value;
}

template <class T>
std::string shown(const T& value) {
    std::ostringstream out;
    out.precision(17);
    print(out, value);
    return out.str();
}

template <class Found, class Expected>
void check_equal(const Found& found, const Expected& expected, const char* found_text,
                 const char* expected_text, const char* file, int line) {
    if (found == expected) return;
    fail(file, line,
         std::string(found_text) + " is " + shown(found) + ", but " + expected_text + " is " +
             shown(expected));
}

/// Runs `body` and adds `describe()` to the message of a check that fails in it.
template <class Body, class Describe>
void explain(const Body& body, const Describe& describe) {
    try {
        body();
    } catch (const Failure& failure) {
        throw Failure(std::string(failure.what()) + "\n" + describe());
    }
}

/// splitmix64: small, seeded, and equal on every machine (the standard distributions are not).
class Random {
  public:
    explicit Random(std::uint64_t seed) : state_(seed) {}

    std::uint64_t word() {
        std::uint64_t z = (state_ += 0x9E3779B97F4A7C15ULL);
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
        z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
        return z ^ (z >> 31);
    }

    /// A number in [0, n); n > 0. The bias is below n / 2^64.
    std::size_t below(std::size_t n) { return static_cast<std::size_t>(word() % n); }

    /// A number in [low, high].
    int between(int low, int high) {
        return low + static_cast<int>(below(static_cast<std::size_t>(high - low + 1)));
    }

    /// A number in [0, 1).
    double real() { return static_cast<double>(word() >> 11) * 0x1p-53; }

    bool chance(double probability) { return real() < probability; }

    template <class T>
    T one_of(std::initializer_list<T> values) {
        return values.begin()[below(values.size())];
    }

  private:
    std::uint64_t state_;
};

/// `n` random cases on a fast build, fewer under a sanitizer or as the environment variable
/// SAMRULE_TEST_SCALE says; at least one.
inline int scaled(int n) {
    const char* asked = std::getenv("SAMRULE_TEST_SCALE");
    const double scale = asked != nullptr ? std::atof(asked) : SAMRULE_TEST_SCALE;
    const int some = static_cast<int>(n * scale);
    return some < 1 ? 1 : some;
}

struct Test {
    std::string_view name;
    void (*body)();
};

inline std::vector<Test>& tests() {
    static std::vector<Test> all;
    return all;
}

struct Registration {
    Registration(std::string_view name, void (*body)()) { tests().push_back({name, body}); }
};

/// Runs the tests whose names contain `wanted`; returns an exit code.
inline int run_tests(std::string_view wanted) {
    int n_passed = 0, n_failed = 0;
    for (const Test& test : tests()) {
        if (test.name.find(wanted) == std::string_view::npos) continue;
        try {
            test.body();
            ++n_passed;
        } catch (const Skipped& skipped) {
            std::cout << "skipped: " << skipped.what() << std::endl;
            return 77;
        } catch (const std::exception& failure) {
            ++n_failed;
            std::cout << "FAILED " << test.name << "\n  " << failure.what() << std::endl;
        }
    }
    std::cout << n_passed << " passed, " << n_failed << " failed" << std::endl;
    return n_failed == 0 && n_passed > 0 ? 0 : 1;
}

}  // namespace harness

/// An optional argument chooses tests by a part of their names.
int main(int n_arguments, char** arguments) {
    return harness::run_tests(n_arguments > 1 ? arguments[1] : "");
}
