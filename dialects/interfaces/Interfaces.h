// Interfaces.h - the extension points of the dialects. A pass asks an op for an
// interface; it never switches over op names.
#pragma once

#include "dialects/interfaces/ErrorBound.h"
#include "dialects/interfaces/KroneckerLayer.h"
#include "dialects/interfaces/LayerKind.h"
#include "dialects/interfaces/LayerSpec.h"
#include "dialects/interfaces/Precision.h"
#include "dialects/interfaces/ReferenceValue.h"
#include "dialects/interfaces/Traits.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/TypeUtilities.h"
#include "runtime/abi/boost_abi.h"

namespace boostc {

/// The arguments of DifferentiableOpInterface::buildBackward().
struct BackwardContext {
  mlir::OpBuilder &builder;
  /// Location for new ops: the primal's, fused with "backward of".
  mlir::Location loc;
  /// Number of real samples, tensor<i32>: for ops that reduce over the batch.
  mlir::Value valid;
  llvm::ArrayRef<mlir::Value> gradResults;
  llvm::ArrayRef<bool> needed;
  llvm::MutableArrayRef<mlir::Value> gradOperands;
};

/// [rows, terms] times [terms, columns], `count` times.
struct MatmulShape {
  int64_t rows, columns, terms;
  int64_t count = 1;

  int64_t countMultiplyAdds() const { return rows * columns * terms * count; }
};

/// Elements of all tensors (or memrefs) in `types`; scalars count as one.
int64_t countElements(mlir::TypeRange types);
/// Bytes of the same.
int64_t countBytes(mlir::TypeRange types);

/// Elements of a value, and bytes of a tensor that a model file describes, at
/// most. No computer holds more, and counting what a program has does not
/// overflow.
constexpr int64_t kMaxElements = int64_t{1} << 40;

/// What every collective keeps: it exchanges something, serves no more
/// parameters than it exchanges values, and its results, of tensors, have the
/// types of what it exchanges.
llvm::LogicalResult verifyCollective(mlir::Operation *op);

} // namespace boostc

namespace boostc::rt {

/// Enumerations of RtEnums.td.
enum class Precision : uint32_t;

/// What every contraction keeps, besides its shapes: precision, scratch memory
/// and partial sums match.
llvm::LogicalResult verifyContraction(mlir::Operation *op);

} // namespace boostc::rt

// Others are based on it.
#include "dialects/interfaces/LibraryOpInterface.h.inc"

#include "dialects/interfaces/BatchReducingOpInterface.h.inc"
#include "dialects/interfaces/CollectiveOpInterface.h.inc"
#include "dialects/interfaces/ContractionOpInterface.h.inc"
#include "dialects/interfaces/CostOpInterface.h.inc"
#include "dialects/interfaces/DifferentiableOpInterface.h.inc"
#include "dialects/interfaces/ErrorBoundOpInterface.h.inc"
#include "dialects/interfaces/LayerKindOpInterface.h.inc"
#include "dialects/interfaces/LayerOpInterface.h.inc"
#include "dialects/interfaces/LibraryCallOpInterface.h.inc"
#include "dialects/interfaces/LowerToLinalgOpInterface.h.inc"
#include "dialects/interfaces/PrecisionOpInterface.h.inc"
#include "dialects/interfaces/PreconditionableOpInterface.h.inc"
#include "dialects/interfaces/ReferenceOpInterface.h.inc"
#include "dialects/interfaces/ScalarUpdateOpInterface.h.inc"
