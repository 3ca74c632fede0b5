// NamedOperands.h - operands of the reference and of error bounds by the names
// that an op has for them.
#pragma once

#include "dialects/interfaces/ErrorBound.h"

namespace boostc::thor {

/// Operands of `Op` by name; null where an optional one is not there.
template <typename Op>
using NamedOperands =
    typename Op::template GenericAdaptor<llvm::ArrayRef<const Bounded *>>;

/// Calls `use` with the named operands.
template <typename Op, typename Use>
auto withNames(Op op, llvm::ArrayRef<Bounded> operands, Use use) {
  auto pointers = llvm::map_to_vector(
      operands, [](const Bounded &operand) { return &operand; });
  NamedOperands<Op> named(pointers, op);
  return use(named);
}

/// The same with exact values.
template <typename Op, typename Use>
auto withNames(Op op, llvm::ArrayRef<ReferenceValue> operands, Use use) {
  llvm::SmallVector<Bounded> exact;
  for (const ReferenceValue &operand : operands)
    exact.emplace_back(operand);
  return withNames(op, llvm::ArrayRef<Bounded>(exact), use);
}

} // namespace boostc::thor
