// Integers.h - how the interpreter keeps integers in doubles.
#pragma once

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/TypeUtilities.h"
#include <cstdint>

namespace boostc {

/// Integers of `width` bits. A value is the signed number, except that i1 is 0
/// or 1: so that counts and labels read as they are and a condition compares
/// with 1.
struct IntegerFormat {
  unsigned width;

  /// The format of a scalar or tensor of integers; index has 64 bits.
  static IntegerFormat of(mlir::Type type) {
    mlir::Type element = mlir::getElementTypeOrSelf(type);
    return {element.isIndex() ? 64u : element.getIntOrFloatBitWidth()};
  }

  /// The bits of `value`, upper ones zero.
  uint64_t toBits(double value) const {
    return static_cast<uint64_t>(static_cast<int64_t>(value)) & mask();
  }
  /// `value` read as a signed number: the i1 value 1 is -1.
  int64_t toSigned(double value) const { return extend(toBits(value)); }
  /// The value whose lower bits are those of `bits`: arithmetic wraps around.
  double toValue(uint64_t bits) const {
    return static_cast<double>(width == 1 ? static_cast<int64_t>(bits & 1)
                                          : extend(bits));
  }

private:
  uint64_t mask() const { return width >= 64 ? ~0ull : (1ull << width) - 1; }
  int64_t extend(uint64_t bits) const {
    unsigned unused = 64 - width;
    return static_cast<int64_t>(bits << unused) >> unused;
  }
};

} // namespace boostc
