#include "harness.hpp"
TEST(todo) {}
