// Reshape.h - values under other shapes, for reshape, flatten, transpose and
// lowerings that need them.
#pragma once

#include "dialects/interfaces/Interfaces.h"

namespace boostc::nn {

/// `operand` under the shape of `type`.
llvm::LogicalResult
evaluateReshape(mlir::Type type, const ReferenceValue &operand,
                llvm::SmallVectorImpl<ReferenceValue> &results);
/// `input` as a tensor of `type`: itself, or views of it, which keep all
/// dimensions that both shapes have.
mlir::Value lowerReshape(mlir::OpBuilder &builder, mlir::Location loc,
                         mlir::Value input, mlir::Type type);

/// `input` with dimension `permutation[i]` of it as dimension i.
mlir::Value lowerTranspose(mlir::OpBuilder &builder, mlir::Location loc,
                           mlir::Value input,
                           llvm::ArrayRef<int64_t> permutation);

} // namespace boostc::nn
