// TestFunctions.h - the functions of a target that a test makes.
#pragma once

#include "runtime/abi/boost_abi.h"

#include <array>

namespace boostrt {

/// One function of each role, which is also its index. Outlives the target.
struct TestFunctions : std::array<BoostFunction, BOOSTC_FUNCTION_COUNT> {
  TestFunctions() : array{} {
    for (uint32_t role = 0; role < size(); ++role)
      at(role).role = role;
  }
  TestFunctions(const TestFunctions &) = delete;
  TestFunctions &operator=(const TestFunctions &) = delete;

  void set(BoostFunctionRole role, const char *name, BoostEntry entry) {
    at(role).name = name;
    at(role).entry = entry;
  }
  void giveTo(BoostTarget &target) const {
    target.functions = data();
    target.function_count = size();
  }
};

} // namespace boostrt
