#include "compiler/reference/Compare.h"
#include "llvm/Support/FormatVariadic.h"
#include <cmath>

using namespace boostc;

static bool agree(double expected, double actual, double bound) {
  if (std::isnan(expected) || std::isnan(actual))
    return std::isnan(expected) && std::isnan(actual);
  return expected == actual || std::abs(expected - actual) <= bound;
}

std::string boostc::findDifference(llvm::ArrayRef<ReferenceValue> expected,
                                   llvm::ArrayRef<ReferenceValue> actual,
                                   double tolerance) {
  if (expected.size() != actual.size())
    return llvm::formatv("expected {0} values, found {1}", expected.size(),
                         actual.size());
  for (size_t index = 0; index < expected.size(); ++index) {
    const ReferenceValue &a = expected[index], &b = actual[index];
    if (a.shape != b.shape)
      return llvm::formatv("value {0}: shapes differ", index);
    double largest = 0.0;
    for (double element : a.data)
      if (std::isfinite(element))
        largest = std::max(largest, std::abs(element));
    for (int64_t i = 0; i < a.size(); ++i)
      if (!agree(a.data[i], b.data[i], tolerance * largest))
        return llvm::formatv(
            "value {0}: expected {1:e16} at element {2}, found {3:e16}", index,
            a.data[i], i, b.data[i]);
  }
  return {};
}
