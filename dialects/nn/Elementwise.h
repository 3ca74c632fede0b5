// Elementwise.h - what ops that compute each element on its own have in common.
#pragma once

#include "dialects/interfaces/Interfaces.h"
#include "dialects/interfaces/LinalgHelpers.h"

namespace boostc::nn {

/// `function` of the operands' elements, for each element of operand 0. The
/// operands have one shape.
llvm::LogicalResult evaluateElementwise(
    llvm::ArrayRef<ReferenceValue> operands,
    llvm::SmallVectorImpl<ReferenceValue> &results,
    llvm::function_ref<double(llvm::ArrayRef<double>)> function);

/// The op's only result as one loop nest over its operands, all of its shape.
llvm::FailureOr<llvm::SmallVector<mlir::Value>>
lowerElementwise(mlir::Operation *op, mlir::OpBuilder &builder,
                 ElementBody body);

} // namespace boostc::nn
