// LinalgHelpers.h - the few shapes of linalg.generic that op lowerings are made
// of.
#pragma once

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Builders.h"

namespace boostc {

/// Emits the arithmetic of one element: block arguments (inputs, then the old
/// output) to the new output.
using ElementBody = llvm::function_ref<mlir::Value(
    mlir::OpBuilder &, mlir::Location, mlir::ValueRange)>;

/// The same with several outputs.
using ElementsBody = llvm::function_ref<llvm::SmallVector<mlir::Value>(
    mlir::OpBuilder &, mlir::Location, mlir::ValueRange)>;

/// The map of an operand of rank `dims.size()` inside a loop nest of `rank`
/// loops, which it reads at the loops `dims`.
mlir::AffineMap projection(mlir::OpBuilder &builder, unsigned rank,
                           llvm::ArrayRef<unsigned> dims);

/// result[i...] = body(inputs): `maps[k]` maps input k to the loops of the
/// result.
mlir::Value buildElementwise(mlir::OpBuilder &builder, mlir::Location loc,
                             mlir::RankedTensorType type,
                             mlir::ValueRange inputs,
                             llvm::ArrayRef<mlir::AffineMap> maps,
                             ElementBody body);

/// The same with all inputs of the result's shape.
mlir::Value buildElementwise(mlir::OpBuilder &builder, mlir::Location loc,
                             mlir::RankedTensorType type,
                             mlir::ValueRange inputs, ElementBody body);

/// A reduction over the loops `inputs[0]` has and the result does not:
/// `kept[k]` is the loop of result dimension k; `maps` maps the inputs.
/// Starts from `start`; over no loop, takes one step from it.
mlir::Value buildReduction(mlir::OpBuilder &builder, mlir::Location loc,
                           mlir::RankedTensorType type, mlir::TypedAttr start,
                           unsigned loops, llvm::ArrayRef<unsigned> kept,
                           mlir::ValueRange inputs,
                           llvm::ArrayRef<mlir::AffineMap> maps,
                           ElementBody body);

/// The same for the sums of several terms of the same inputs, all of `type`,
/// from 0 and in any order. One loop nest makes them, so that the inputs are
/// read once. `terms` gives the terms of an element from the inputs alone.
llvm::SmallVector<mlir::Value> buildSums(
    mlir::OpBuilder &builder, mlir::Location loc, mlir::RankedTensorType type,
    unsigned loops, llvm::ArrayRef<unsigned> kept, mlir::ValueRange inputs,
    llvm::ArrayRef<mlir::AffineMap> maps, unsigned count, ElementsBody terms);
/// One such sum.
mlir::Value buildSum(mlir::OpBuilder &builder, mlir::Location loc,
                     mlir::RankedTensorType type, unsigned loops,
                     llvm::ArrayRef<unsigned> kept, mlir::ValueRange inputs,
                     llvm::ArrayRef<mlir::AffineMap> maps, ElementBody term);

/// Scalar constant of `type`.
mlir::Value buildConstant(mlir::OpBuilder &builder, mlir::Location loc,
                          double value);

/// The same for a number that f32 need not hold: it is written in f64 and
/// rounded in the IR, so that the interpreter computes with the number itself.
mlir::Value buildRoundedConstant(mlir::OpBuilder &builder, mlir::Location loc,
                                 double value);

/// `value`, a number or a vector, in f32, in which everything computes.
mlir::Value buildExtension(mlir::OpBuilder &builder, mlir::Location loc,
                           mlir::Value value);
/// `value` rounded to `element`, which memory holds.
mlir::Value buildRounding(mlir::OpBuilder &builder, mlir::Location loc,
                          mlir::Value value, mlir::Type element);
/// `tensor` with elements of another type of floating point.
mlir::Value buildConversion(mlir::OpBuilder &builder, mlir::Location loc,
                            mlir::Value tensor, mlir::Type element);

/// a + b in any order: the vectoriser may split the sum.
mlir::Value buildSumStep(mlir::OpBuilder &builder, mlir::Location loc,
                         mlir::Value a, mlir::Value b);

/// i1: is the sample of loop `dim` a real one? `valid` is the i32 element.
mlir::Value buildIsValid(mlir::OpBuilder &builder, mlir::Location loc,
                         unsigned dim, mlir::Value valid);

} // namespace boostc
