// Compare.h - whether two runs of a program gave the same values.
#pragma once

#include "dialects/interfaces/ReferenceValue.h"
#include <string>

namespace boostc {

/// Empty when `actual` agrees with `expected`: as many values of the same
/// shapes, and every element within `tolerance` times the largest finite
/// magnitude of its value; infinities and NaNs agree with their like. Otherwise
/// the first difference, in words.
std::string findDifference(llvm::ArrayRef<ReferenceValue> expected,
                           llvm::ArrayRef<ReferenceValue> actual,
                           double tolerance);

} // namespace boostc
