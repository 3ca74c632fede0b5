// Softmax.h - what softmax, log_softmax and their gradients have in common.
#pragma once

#include "dialects/interfaces/Approximate.h"
#include "dialects/interfaces/Interfaces.h"
#include "dialects/interfaces/LinalgHelpers.h"

namespace boostc::nn {

/// Calls `line` with the elements along `axis` of each line of the operands and
/// writes what it leaves in the first.
llvm::LogicalResult evaluateLines(
    llvm::ArrayRef<ReferenceValue> operands, int64_t axis,
    llvm::SmallVectorImpl<ReferenceValue> &results,
    llvm::function_ref<void(llvm::MutableArrayRef<std::vector<double>>)> line);

/// The same with numbers that carry their errors.
ErrorBounds boundLines(
    llvm::ArrayRef<Bounded> operands, int64_t axis,
    llvm::function_ref<void(llvm::MutableArrayRef<std::vector<Approximate>>)>
        line);

/// The largest element and the sum of exp(x - largest) of each line.
struct LineStatistics {
  mlir::Value maximum, exponentials;
  mlir::AffineMap map; ///< of both, in loops over the whole tensor
};
LineStatistics buildLineStatistics(mlir::OpBuilder &builder, mlir::Location loc,
                                   mlir::Value input, int64_t axis);

/// The sum over each line of `term` of the inputs, with its map.
std::pair<mlir::Value, mlir::AffineMap>
buildLineSum(mlir::OpBuilder &builder, mlir::Location loc,
             mlir::ValueRange inputs, int64_t axis, ElementBody term);

} // namespace boostc::nn
