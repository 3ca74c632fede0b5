// Rows.h - values [batch, ..., n] as matrices of their rows, the vectors along
// the last dimension: for dense, and for softmax_cross_entropy, top_k and
// one_hot, whose rows of logits have a label each.
#pragma once

#include "dialects/interfaces/LayerSpec.h"
#include "dialects/interfaces/LinalgHelpers.h"
#include "dialects/interfaces/ReferenceValue.h"

namespace boostc::nn {

/// [..., n] as a matrix with a row for each index of the dimensions before the
/// last; a matrix or a vector as it is.
mlir::Value buildRows(mlir::OpBuilder &builder, mlir::Location loc,
                      mlir::Value value);
/// A matrix of such rows as a value of `type`.
mlir::Value buildFromRows(mlir::OpBuilder &builder, mlir::Location loc,
                          mlir::RankedTensorType type, mlir::Value rows);
/// `type` with the shape of buildRows().
mlir::RankedTensorType getRowsType(mlir::RankedTensorType type);

/// `labels` has the shape of `logits` without its last dimension.
llvm::LogicalResult verifyLabels(std::optional<mlir::Location> loc,
                                 mlir::Type logits, mlir::Type labels);

/// The same for outputs and labels of the model file, with a diagnostic for its
/// author.
llvm::LogicalResult checkLabels(LayerBuilder &layer);

/// Rows of a sample: the product of the dimensions between batch and classes.
int64_t countRowsPerSample(llvm::ArrayRef<int64_t> shape);
/// Rows of the first `valid` samples.
int64_t countValidRows(const ReferenceValue &logits,
                       const ReferenceValue &valid);

/// `value` as a matrix, a row for each row of it.
ReferenceValue asRows(const ReferenceValue &value);

/// Labels as a vector.
mlir::Value buildLabelVector(mlir::OpBuilder &builder, mlir::Location loc,
                             mlir::Value labels);

/// i1: is the row of loop `dim` of a real sample? `valid` is the i32 element.
mlir::Value buildIsValidRow(mlir::OpBuilder &builder, mlir::Location loc,
                            unsigned dim, mlir::Value valid,
                            int64_t rowsPerSample);

/// The number of rows of real samples, i64, from the tensor `valid`.
mlir::Value buildRowCount(mlir::OpBuilder &builder, mlir::Location loc,
                          mlir::Value valid, int64_t rowsPerSample);

} // namespace boostc::nn
