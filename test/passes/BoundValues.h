// BoundValues.h - arguments and results that passes of the tests add to the
// functions of a step.
#pragma once

#include "dialects/rt/RtDialect.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace boostc {

/// A new argument at the end, of `type`, bound to `binding`.
inline mlir::Value addArgument(mlir::func::FuncOp function, mlir::Type type,
                               rt::BindingAttr binding) {
  unsigned index = function.getNumArguments();
  mlir::NamedAttribute named(rt::kBindingAttrName, binding);
  [[maybe_unused]] llvm::LogicalResult inserted = function.insertArgument(
      index, type, mlir::DictionaryAttr::get(function.getContext(), named),
      function.getLoc());
  assert(succeeded(inserted) && "a function takes any argument");
  return function.getArgument(index);
}

/// Has the function return `value` as its last result, bound to `binding`.
inline void addResult(mlir::func::FuncOp function, mlir::Value value,
                      rt::BindingAttr binding) {
  unsigned index = function.getNumResults();
  mlir::NamedAttribute named(rt::kBindingAttrName, binding);
  [[maybe_unused]] llvm::LogicalResult inserted = function.insertResult(
      index, value.getType(),
      mlir::DictionaryAttr::get(function.getContext(), named));
  assert(succeeded(inserted) && "a function returns any value");
  function.front().getTerminator()->insertOperands(index, value);
}

} // namespace boostc
