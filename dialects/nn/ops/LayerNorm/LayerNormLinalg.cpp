// Lowerings of layer_norm and its gradients. All start from each row's mean and
// scale; CSE merges the copies when forward and backward meet in one function.

#include "dialects/interfaces/LinalgHelpers.h"
#include "dialects/nn/NnDialect.h"
#include "dialects/nn/NormLinalg.h"
#include "dialects/nn/Rows.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace boostc;
using namespace boostc::nn;

namespace {

/// The input as a matrix [rows, elements of a row].
struct RowView {
  SmallVector<ReassociationIndices> groups;
  RankedTensorType matrix, vector, rows;

  RowView(RankedTensorType type, RankedTensorType parameters) {
    groups.resize(2);
    for (int64_t dim = 0; dim < type.getRank(); ++dim)
      groups[dim >= type.getRank() - parameters.getRank()].push_back(dim);
    int64_t size = parameters.getNumElements();
    int64_t count = type.getNumElements() / size;
    Type element = type.getElementType();
    matrix = RankedTensorType::get({count, size}, element);
    vector = RankedTensorType::get({size}, element);
    rows = RankedTensorType::get({count}, element);
  }

  Value flatten(OpBuilder &b, Location loc, Value value) const {
    if (value.getType() == matrix)
      return value;
    return tensor::CollapseShapeOp::create(b, loc, matrix, value, groups);
  }
  Value restore(OpBuilder &b, Location loc, Value value, Type type) const {
    if (value.getType() == type)
      return value;
    return tensor::ExpandShapeOp::create(b, loc, type, value, groups);
  }
  /// Between the shape of the parameters and a vector.
  Value flattenParameter(OpBuilder &b, Location loc, Value value) const {
    auto type = cast<RankedTensorType>(value.getType());
    if (type == vector)
      return value;
    return tensor::CollapseShapeOp::create(b, loc, vector, value,
                                           groupAll(type.getRank()));
  }
  Value restoreParameter(OpBuilder &b, Location loc, Value value,
                         Type type) const {
    if (type == vector)
      return value;
    return tensor::ExpandShapeOp::create(
        b, loc, type, value, groupAll(cast<RankedTensorType>(type).getRank()));
  }

private:
  static SmallVector<ReassociationIndices> groupAll(int64_t rank) {
    SmallVector<ReassociationIndices> all(1);
    llvm::append_range(all[0], llvm::seq<int64_t>(0, rank));
    return all;
  }
};

/// Emits the loops over a matrix of rows.
class RowBuilder {
public:
  RowBuilder(OpBuilder &builder, Location loc, RankedTensorType type,
             RankedTensorType parameters, APFloat epsilon)
      : b(builder), loc(loc), view(type, parameters),
        epsilon(epsilon.convertToDouble()), all(b.getMultiDimIdentityMap(2)),
        row(projection(b, 2, {0})), column(projection(b, 2, {1})) {}

  /// `term` summed along each row.
  Value sumRows(ValueRange inputs, ArrayRef<AffineMap> maps, ElementBody term) {
    return buildSum(b, loc, view.rows, 2, {0}, inputs, maps, term);
  }
  /// `finish` of the means whose sums are given.
  Value divideBySize(
      Value sums,
      llvm::function_ref<Value(OpBuilder &, Location, Value)> finish =
          [](OpBuilder &, Location, Value mean) { return mean; }) {
    double size = static_cast<double>(view.vector.getNumElements());
    return buildElementwise(
        b, loc, view.rows, sums,
        [&](OpBuilder &nested, Location at, ValueRange args) -> Value {
          Value mean = arith::DivFOp::create(
              nested, at, args[0], buildRoundedConstant(nested, at, size));
          return finish(nested, at, mean);
        });
  }
  /// Sets `mean` and `scale` of the rows of `x`.
  void buildStatistics(Value x) {
    mean = divideBySize(
        sumRows(x, all, [](OpBuilder &, Location, ValueRange args) -> Value {
          return args[0];
        }));
    Value squares =
        sumRows({x, mean}, {all, row},
                [](OpBuilder &nested, Location at, ValueRange args) -> Value {
                  Value d = arith::SubFOp::create(nested, at, args[0], args[1]);
                  return arith::MulFOp::create(nested, at, d, d);
                });
    scale = divideBySize(squares,
                         [&](OpBuilder &nested, Location at, Value variance) {
                           return buildNormScale(nested, at, variance, epsilon);
                         });
  }

  OpBuilder &b;
  Location loc;
  RowView view;
  double epsilon;
  AffineMap all, row, column;
  Value mean, scale;
};

} // namespace

FailureOr<SmallVector<Value>> LayerNormOp::lowerToLinalg(OpBuilder &builder) {
  RowBuilder rows(builder, getLoc(), getInput().getType(), getGamma().getType(),
                  getEpsilon());
  Value x = rows.view.flatten(builder, getLoc(), getInput());
  rows.buildStatistics(x);
  Value y = buildElementwise(
      builder, getLoc(), rows.view.matrix,
      {x, rows.mean, rows.scale,
       rows.view.flattenParameter(builder, getLoc(), getGamma()),
       rows.view.flattenParameter(builder, getLoc(), getBeta())},
      {rows.all, rows.row, rows.row, rows.column, rows.column},
      [](OpBuilder &b, Location loc, ValueRange args) -> Value {
        Value z = buildNormalized(b, loc, args[0], args[1], args[2]);
        return buildAffine(b, loc, z, args[3], args[4]);
      });
  return SmallVector<Value>{rows.view.restore(builder, getLoc(), y, getType())};
}

FailureOr<SmallVector<Value>>
LayerNormGradInputOp::lowerToLinalg(OpBuilder &builder) {
  RowBuilder rows(builder, getLoc(), getInput().getType(), getGamma().getType(),
                  getEpsilon());
  Value x = rows.view.flatten(builder, getLoc(), getInput());
  Value dy = rows.view.flatten(builder, getLoc(), getGradient());
  Value gamma = rows.view.flattenParameter(builder, getLoc(), getGamma());
  rows.buildStatistics(x);
  Value mean = rows.divideBySize(
      rows.sumRows({dy, gamma}, {rows.all, rows.column},
                   [](OpBuilder &b, Location loc, ValueRange args) -> Value {
                     return arith::MulFOp::create(b, loc, args[0], args[1]);
                   }));
  Value product = rows.divideBySize(rows.sumRows(
      {dy, gamma, x, rows.mean, rows.scale},
      {rows.all, rows.column, rows.all, rows.row, rows.row},
      [](OpBuilder &b, Location loc, ValueRange args) -> Value {
        Value z = buildNormalized(b, loc, args[2], args[3], args[4]);
        Value g = arith::MulFOp::create(b, loc, args[0], args[1]);
        return arith::MulFOp::create(b, loc, g, z);
      }));
  Value dx = buildElementwise(
      builder, getLoc(), rows.view.matrix,
      {dy, gamma, x, rows.mean, rows.scale, mean, product},
      {rows.all, rows.column, rows.all, rows.row, rows.row, rows.row, rows.row},
      [](OpBuilder &b, Location loc, ValueRange args) -> Value {
        Value z = buildNormalized(b, loc, args[2], args[3], args[4]);
        Value g = arith::MulFOp::create(b, loc, args[0], args[1]);
        return buildNormGradient(b, loc, g, z, args[5], args[6], args[4]);
      });
  return SmallVector<Value>{
      rows.view.restore(builder, getLoc(), dx, getType())};
}

FailureOr<SmallVector<Value>>
LayerNormGradParametersOp::lowerToLinalg(OpBuilder &builder) {
  RankedTensorType type = getInput().getType();
  auto parameters = cast<RankedTensorType>(getGamma().getType());
  RowBuilder rows(builder, getLoc(), type, parameters, getEpsilon());
  Value x = rows.view.flatten(builder, getLoc(), getInput());
  Value dy = rows.view.flatten(builder, getLoc(), getGradient());
  rows.buildStatistics(x);
  int64_t rowsPerSample = rows.view.rows.getNumElements() / type.getDimSize(0);
  // Sums of `term` down the columns, over the rows of real samples.
  auto sumColumns = [&](ValueRange inputs, ArrayRef<AffineMap> maps,
                        ElementBody term) -> Value {
    SmallVector<Value> operands(inputs);
    SmallVector<AffineMap> allMaps(maps);
    operands.push_back(getValid());
    allMaps.push_back(projection(builder, 2, {}));
    Value sums = buildSum(
        builder, getLoc(), rows.view.vector, 2, {1}, operands, allMaps,
        [&](OpBuilder &b, Location loc, ValueRange args) -> Value {
          return arith::SelectOp::create(
              b, loc, buildIsValidRow(b, loc, 0, args.back(), rowsPerSample),
              term(b, loc, args.drop_back()), buildConstant(b, loc, 0.0));
        });
    return rows.view.restoreParameter(builder, getLoc(), sums, parameters);
  };
  Value gamma = sumColumns(
      {dy, x, rows.mean, rows.scale}, {rows.all, rows.all, rows.row, rows.row},
      [](OpBuilder &b, Location loc, ValueRange args) -> Value {
        Value z = buildNormalized(b, loc, args[1], args[2], args[3]);
        return arith::MulFOp::create(b, loc, args[0], z);
      });
  Value beta = sumColumns(
      dy, rows.all,
      [](OpBuilder &, Location, ValueRange args) -> Value { return args[0]; });
  return SmallVector<Value>{gamma, beta};
}
