// Constants.h - attributes as values of the interpreter.
#pragma once

#include "dialects/interfaces/ReferenceValue.h"
#include "mlir/IR/BuiltinAttributes.h"

namespace boostc {

/// The value of a number or dense elements; failure, silently, for anything
/// else.
llvm::FailureOr<ReferenceValue> getConstant(mlir::TypedAttr attribute);

} // namespace boostc
