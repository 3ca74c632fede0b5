#include "dialects/interfaces/Approximate.h"
#include "dialects/interfaces/LinalgHelpers.h"
#include "dialects/nn/NnDialect.h"
#include "dialects/nn/Rows.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include <cmath>

using namespace mlir;
using namespace boostc;
using namespace boostc::nn;

static LogicalResult verifyVectors(Operation *op, APFloat epsilon) {
  Type type = op->getResult(0).getType();
  if (epsilon.convertToDouble() > 0.0 &&
      cast<RankedTensorType>(type).getRank() > 1)
    return success();
  return op->emitOpError("expected a value of rank 2 or more and an epsilon "
                         "above 0, found ")
         << type << " and " << epsilon.convertToDouble();
}

/// Elements of a vector: the last dimension.
static int64_t getLength(Type type) {
  return cast<RankedTensorType>(type).getShape().back();
}

//===----------------------------------------------------------------------===//
// nn.l2_normalize
//===----------------------------------------------------------------------===//

LogicalResult L2NormalizeOp::verify() {
  return verifyVectors(*this, getEpsilon());
}

/// 1 / sqrt(max(s, epsilon)) of the vector of `x` from `start` on, and s.
static std::pair<double, double> getScale(const ReferenceValue &x,
                                          int64_t start, int64_t length,
                                          double epsilon) {
  double square = 0.0;
  for (int64_t i = start; i < start + length; ++i)
    square += x.data[i] * x.data[i];
  return {1.0 / std::sqrt(std::max(square, epsilon)), square};
}

LogicalResult
L2NormalizeOp::evaluate(ReferenceContext &, ArrayRef<ReferenceValue> operands,
                        SmallVectorImpl<ReferenceValue> &results) {
  ReferenceValue y = operands[0];
  double epsilon = getEpsilon().convertToDouble();
  int64_t length = getLength(getType());
  for (int64_t start = 0; start < y.size(); start += length) {
    double scale = getScale(operands[0], start, length, epsilon).first;
    for (int64_t i = start; i < start + length; ++i)
      y.data[i] *= scale;
  }
  results.push_back(std::move(y));
  return success();
}

namespace {
/// A vector's squared length and scale with bounds of their errors.
struct BoundedScale {
  Approximate square, scale;

  BoundedScale(const Bounded &x, int64_t start, int64_t length,
               double epsilon) {
    ApproximateSum sum;
    for (int64_t i = start; i < start + length; ++i)
      sum.add(x.at(i) * x.at(i));
    square = sum.get();
    // A maximum moves no farther than the number that moves most.
    Approximate least = Approximate::constant(epsilon);
    Approximate bounded(std::max(square.value, epsilon),
                        std::max(square.error, least.error));
    scale = reciprocalRoot(bounded, least.low());
  }
};
} // namespace

ErrorBounds L2NormalizeOp::boundErrors(ReferenceContext &,
                                       ArrayRef<Bounded> operands,
                                       ArrayRef<ReferenceValue>) {
  std::vector<double> errors;
  int64_t length = getLength(getType());
  for (int64_t start = 0; start < operands[0].value.size(); start += length) {
    BoundedScale row(operands[0], start, length,
                     getEpsilon().convertToDouble());
    for (int64_t i = start; i < start + length; ++i)
      errors.push_back((operands[0].at(i) * row.scale).error);
  }
  return {errors};
}

SmallVector<Value> L2NormalizeOp::savedForBackward() { return {getInput()}; }

LogicalResult L2NormalizeOp::buildBackward(BackwardContext &context) {
  context.gradOperands[0] = L2NormalizeGradOp::create(
      context.builder, context.loc, context.gradResults[0], getInput(),
      getEpsilonAttr());
  return success();
}

int64_t L2NormalizeOp::getFlops() {
  int64_t elements = getType().getNumElements();
  return 3 * elements + 3 * elements / getLength(getType());
}

std::vector<LayerSpec> L2NormalizeOp::getLayerSpecs() {
  LayerSpec spec{"l2_normalize", LayerSpec::Kind::Layer,
                 "Scales vectors along the last dimension to length 1, `y = x "
                 "/ sqrt(max(sum of x^2, epsilon))`."};
  spec.keys = {{"epsilon", KeyType::Number,
                "Least squared length that is divided by.", "1e-12", 1e-30,
                1.0}};
  return {spec};
}

FailureOr<SmallVector<Value>> L2NormalizeOp::buildLayer(LayerBuilder &layer) {
  return SmallVector<Value>{L2NormalizeOp::create(
      layer.builder, layer.loc, layer.inputs[0],
      layer.builder.getF64FloatAttr(layer.getNumber("epsilon")))};
}

//===----------------------------------------------------------------------===//
// nn.l2_normalize_grad
//===----------------------------------------------------------------------===//

LogicalResult L2NormalizeGradOp::verify() {
  return verifyVectors(*this, getEpsilon());
}

LogicalResult
L2NormalizeGradOp::evaluate(ReferenceContext &,
                            ArrayRef<ReferenceValue> operands,
                            SmallVectorImpl<ReferenceValue> &results) {
  const ReferenceValue &dy = operands[0], &x = operands[1];
  ReferenceValue dx = dy;
  double epsilon = getEpsilon().convertToDouble();
  int64_t length = getLength(getType());
  for (int64_t start = 0; start < dx.size(); start += length) {
    auto [scale, square] = getScale(x, start, length, epsilon);
    double along = 0.0; // how far dy points along x
    if (square >= epsilon)
      for (int64_t i = start; i < start + length; ++i)
        along += dy.data[i] * x.data[i];
    for (int64_t i = start; i < start + length; ++i)
      dx.data[i] = scale * (dy.data[i] - x.data[i] * scale * scale * along);
  }
  results.push_back(std::move(dx));
  return success();
}

ErrorBounds L2NormalizeGradOp::boundErrors(ReferenceContext &,
                                           ArrayRef<Bounded> operands,
                                           ArrayRef<ReferenceValue> results) {
  const Bounded &dy = operands[0], &x = operands[1];
  std::vector<double> errors;
  Approximate epsilon = Approximate::constant(getEpsilon().convertToDouble());
  int64_t length = getLength(getType());
  for (int64_t start = 0; start < dy.value.size(); start += length) {
    BoundedScale row(x, start, length, epsilon.value);
    ApproximateSum sum;
    for (int64_t i = start; i < start + length; ++i)
      sum.addProduct(dy.at(i), x.at(i));
    Approximate along = row.scale * row.scale * sum.get();
    for (int64_t i = start; i < start + length; ++i) {
      // Next to epsilon each side may take either branch.
      double error = 0.0, value = results[0].data[i];
      auto allow = [&](Approximate branch) {
        error = std::max(error, branch.error + std::abs(branch.value - value));
      };
      if (row.square.high() >= epsilon.low())
        allow(row.scale * (dy.at(i) - x.at(i) * along));
      if (row.square.low() < epsilon.high())
        allow(row.scale * dy.at(i));
      errors.push_back(error);
    }
  }
  return {errors};
}

int64_t L2NormalizeGradOp::getFlops() { return 8 * getType().getNumElements(); }

//===----------------------------------------------------------------------===//
// Lowerings, on matrices of vectors
//===----------------------------------------------------------------------===//

namespace {
/// Emits the loops over a matrix whose rows are vectors.
class VectorLoops {
public:
  VectorLoops(OpBuilder &builder, Location loc, RankedTensorType type,
              double epsilon)
      : b(builder), loc(loc), matrix(getRowsType(type)),
        vector(RankedTensorType::get({matrix.getDimSize(0)},
                                     matrix.getElementType())),
        epsilon(epsilon), all(b.getMultiDimIdentityMap(2)),
        row(projection(b, 2, {0})) {}

  /// The sums of x[i] * y[i] of each row.
  Value sumProducts(Value x, Value y) {
    return buildSum(b, loc, vector, 2, {0}, {x, y}, {all, all},
                    [](OpBuilder &nested, Location at, ValueRange args) {
                      return arith::MulFOp::create(nested, at, args[0], args[1])
                          .getResult();
                    });
  }
  Value getEpsilon(OpBuilder &nested, Location at) {
    return buildRoundedConstant(nested, at, epsilon);
  }
  /// 1 / sqrt(max(s, epsilon)).
  Value buildScale(OpBuilder &nested, Location at, Value square) {
    Value bounded =
        arith::MaximumFOp::create(nested, at, square, getEpsilon(nested, at));
    return arith::DivFOp::create(nested, at, buildConstant(nested, at, 1.0),
                                 math::SqrtOp::create(nested, at, bounded));
  }

  OpBuilder &b;
  Location loc;
  RankedTensorType matrix, vector;
  double epsilon;
  AffineMap all, row;
};
} // namespace

FailureOr<SmallVector<Value>> L2NormalizeOp::lowerToLinalg(OpBuilder &builder) {
  VectorLoops loops(builder, getLoc(), getType(),
                    getEpsilon().convertToDouble());
  Value x = buildRows(builder, getLoc(), getInput());
  Value scale =
      buildElementwise(builder, getLoc(), loops.vector, loops.sumProducts(x, x),
                       [&](OpBuilder &b, Location loc, ValueRange args) {
                         return loops.buildScale(b, loc, args[0]);
                       });
  Value y = buildElementwise(
      builder, getLoc(), loops.matrix, {x, scale}, {loops.all, loops.row},
      [](OpBuilder &b, Location loc, ValueRange args) -> Value {
        return arith::MulFOp::create(b, loc, args[0], args[1]);
      });
  return SmallVector<Value>{buildFromRows(builder, getLoc(), getType(), y)};
}

FailureOr<SmallVector<Value>>
L2NormalizeGradOp::lowerToLinalg(OpBuilder &builder) {
  VectorLoops loops(builder, getLoc(), getType(),
                    getEpsilon().convertToDouble());
  Value x = buildRows(builder, getLoc(), getInput()),
        dy = buildRows(builder, getLoc(), getGradient());
  Value square = loops.sumProducts(x, x);
  Value scale =
      buildElementwise(builder, getLoc(), loops.vector, square,
                       [&](OpBuilder &b, Location loc, ValueRange args) {
                         return loops.buildScale(b, loc, args[0]);
                       });
  Value along = buildElementwise(
      builder, getLoc(), loops.vector,
      {square, scale, loops.sumProducts(dy, x)},
      [&](OpBuilder &b, Location loc, ValueRange args) -> Value {
        Value isScaled =
            arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OGE, args[0],
                                  loops.getEpsilon(b, loc));
        Value squared = arith::MulFOp::create(b, loc, args[1], args[1]);
        Value product = arith::MulFOp::create(b, loc, squared, args[2]);
        return arith::SelectOp::create(b, loc, isScaled, product,
                                       buildConstant(b, loc, 0.0));
      });
  Value dx = buildElementwise(
      builder, getLoc(), loops.matrix, {dy, x, scale, along},
      {loops.all, loops.all, loops.row, loops.row},
      [](OpBuilder &b, Location loc, ValueRange args) -> Value {
        Value part = arith::MulFOp::create(b, loc, args[1], args[3]);
        Value across = arith::SubFOp::create(b, loc, args[0], part);
        return arith::MulFOp::create(b, loc, args[2], across);
      });
  return SmallVector<Value>{buildFromRows(builder, getLoc(), getType(), dx)};
}
