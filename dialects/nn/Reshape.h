// Reshape.h - what reshape and flatten have in common.
#pragma once

#include "dialects/interfaces/Interfaces.h"

namespace boostc::nn {

/// `operand` under the shape of `type`.
llvm::LogicalResult
evaluateReshape(mlir::Type type, const ReferenceValue &operand,
                llvm::SmallVectorImpl<ReferenceValue> &results);
/// `input` as a tensor of `type`: itself, or views of it.
mlir::Value lowerReshape(mlir::OpBuilder &builder, mlir::Location loc,
                         mlir::Value input, mlir::Type type);

} // namespace boostc::nn
