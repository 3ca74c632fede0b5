#include "dialects/interfaces/LinalgHelpers.h"
#include "dialects/nn/NnDialect.h"

using namespace mlir;
using namespace boostc;
using namespace boostc::nn;

namespace {
/// Extents of one matmul and the offsets of its elements.
struct Extents {
  int64_t m, n, k;

  Extents(ShapedType a, ShapedType b, bool isATransposed, bool isBTransposed) {
    int64_t rank = a.getRank();
    m = a.getDimSize(rank - (isATransposed ? 1 : 2));
    k = a.getDimSize(rank - (isATransposed ? 2 : 1));
    n = b.getDimSize(rank - (isBTransposed ? 2 : 1));
  }
};
} // namespace

LogicalResult MatmulOp::inferReturnTypes(MLIRContext *,
                                         std::optional<Location> loc,
                                         Adaptor adaptor,
                                         SmallVectorImpl<Type> &inferred) {
  auto a = cast<RankedTensorType>(adaptor.getA().getType());
  auto b = cast<RankedTensorType>(adaptor.getB().getType());
  int64_t rank = a.getRank();
  if (rank < 3 || b.getRank() != rank)
    return emitOptionalError(
        loc, "expected two operands of the same rank, 3 or more, found ", a,
        " and ", b);
  if (failed(verifySameElements(loc, a, b)))
    return failure();
  if (a.getShape().drop_back(2) != b.getShape().drop_back(2))
    return emitOptionalError(
        loc, "expected equal dimensions before the matrices, found ", a,
        " and ", b);
  Extents extents(a, b, adaptor.getTransposeA(), adaptor.getTransposeB());
  int64_t k = b.getDimSize(rank - (adaptor.getTransposeB() ? 1 : 2));
  if (k != extents.k)
    return emitOptionalError(loc,
                             "expected to sum over as many columns of a as "
                             "rows of b, found ",
                             extents.k, " and ", k);
  SmallVector<int64_t> shape(a.getShape());
  shape[rank - 2] = extents.m;
  shape[rank - 1] = extents.n;
  inferred.push_back(RankedTensorType::get(shape, a.getElementType()));
  return success();
}

LogicalResult MatmulOp::evaluate(ReferenceContext &,
                                 ArrayRef<ReferenceValue> operands,
                                 SmallVectorImpl<ReferenceValue> &results) {
  const ReferenceValue &a = operands[0], &b = operands[1];
  ReferenceValue result = ReferenceValue::zeros(getType());
  auto [m, n, k] = Extents(getA().getType(), getB().getType(), getTransposeA(),
                           getTransposeB());
  int64_t products = result.size() / (m * n);
  // From one term to the next, and from one row or column to the next.
  bool isA = getTransposeA(), isB = getTransposeB();
  int64_t termOfA = isA ? m : 1, rowOfA = isA ? 1 : k;
  int64_t termOfB = isB ? 1 : n, columnOfB = isB ? k : 1;
  for (int64_t p = 0; p < products; ++p)
    for (int64_t i = 0; i < m; ++i)
      for (int64_t j = 0; j < n; ++j) {
        const double *x = a.data.data() + p * m * k + i * rowOfA;
        const double *y = b.data.data() + p * k * n + j * columnOfB;
        double sum = 0.0;
        for (int64_t l = 0; l < k; ++l)
          sum += x[l * termOfA] * y[l * termOfB];
        result.data[(p * m + i) * n + j] = sum;
      }
  results.push_back(std::move(result));
  return success();
}

SmallVector<Value> MatmulOp::savedForBackward() { return {getA(), getB()}; }

LogicalResult MatmulOp::buildBackward(BackwardContext &context) {
  OpBuilder &b = context.builder;
  Value dy = context.gradResults[0];
  bool isA = getTransposeA(), isB = getTransposeB();
  // With A' and B' for what is multiplied: dA' = dy B'^T, dB' = A'^T dy.
  if (context.needed[0])
    context.gradOperands[0] =
        isA ? MatmulOp::create(b, context.loc, getB(), dy, isB, true)
            : MatmulOp::create(b, context.loc, dy, getB(), false, !isB);
  if (context.needed[1])
    context.gradOperands[1] =
        isB ? MatmulOp::create(b, context.loc, dy, getA(), true, isA)
            : MatmulOp::create(b, context.loc, getA(), dy, !isA, false);
  return success();
}

FailureOr<SmallVector<Value>> MatmulOp::lowerToLinalg(OpBuilder &builder) {
  auto type = cast<RankedTensorType>(getType());
  unsigned rank = type.getRank(), row = rank - 2, column = rank - 1, sum = rank;
  auto place = [&](unsigned first, unsigned second) {
    auto dims = llvm::to_vector(llvm::seq<unsigned>(0, row));
    dims.append({first, second});
    return projection(builder, rank + 1, dims);
  };
  auto kept = llvm::to_vector(llvm::seq<unsigned>(0, rank));
  return SmallVector<Value>{buildReduction(
      builder, getLoc(), type, builder.getF32FloatAttr(0.0), rank + 1, kept,
      {getA(), getB()},
      {getTransposeA() ? place(sum, row) : place(row, sum),
       getTransposeB() ? place(column, sum) : place(sum, column)},
      [](OpBuilder &b, Location loc, ValueRange args) -> Value {
        Value product = arith::MulFOp::create(b, loc, args[0], args[1]);
        return buildSumStep(b, loc, args[2], product);
      })};
}

ErrorBounds MatmulOp::boundErrors(ReferenceContext &context,
                                  ArrayRef<Bounded> operands,
                                  ArrayRef<ReferenceValue>) {
  const Bounded &a = operands[0], &b = operands[1];
  auto multiply = [&](const ReferenceValue &x, const ReferenceValue &y) {
    return evaluateOp(*this, context, {x, y});
  };
  ReferenceValue da = getErrors(a), db = getErrors(b);
  std::vector<double> errors = multiply(da, getMagnitudes(b, false));
  std::vector<double> second = multiply(getMagnitudes(a, false), db);
  std::vector<double> third = multiply(da, db);
  std::vector<double> magnitudes =
      multiply(getMagnitudes(a, true), getMagnitudes(b, true));
  double terms = static_cast<double>(getFlops()) /
                 (2.0 * static_cast<double>(errors.size()));
  for (size_t i = 0; i < errors.size(); ++i)
    errors[i] += second[i] + third[i] + gammaOf(terms) * magnitudes[i];
  return {errors};
}

int64_t MatmulOp::getFlops() {
  return 2 * cast<RankedTensorType>(getType()).getNumElements() *
         Extents(getA().getType(), getB().getType(), getTransposeA(),
                 getTransposeB())
             .k;
}

std::vector<LayerSpec> MatmulOp::getLayerSpecs() {
  LayerSpec spec{
      "matmul", LayerSpec::Kind::Layer,
      "Products of two values' matrices, sample by sample, `y[..., i, "
      "j] = sum over k of a[..., i, k] * b[..., k, j]`."};
  spec.keys = {{"transpose_a", KeyType::Boolean, "Read `a[..., k, i]` instead.",
                "false"},
               {"transpose_b", KeyType::Boolean, "Read `b[..., j, k]` instead.",
                "false"}};
  spec.inputs = 2;
  return {spec};
}

FailureOr<SmallVector<Value>> MatmulOp::buildLayer(LayerBuilder &layer) {
  auto a = cast<RankedTensorType>(layer.inputs[0].getType());
  auto b = cast<RankedTensorType>(layer.inputs[1].getType());
  bool isA = layer.getBoolean("transpose_a");
  bool isB = layer.getBoolean("transpose_b");
  int64_t rank = a.getRank();
  if (rank < 3 || b.getRank() != rank ||
      a.getShape().drop_back(2) != b.getShape().drop_back(2))
    return layer.emitError("inputs")
           << "matmul needs two inputs with a matrix in each sample and equal "
              "dimensions before it, found "
           << a << " and " << b << " with the batch";
  int64_t k = Extents(a, b, isA, isB).k;
  if (int64_t rows = b.getDimSize(rank - (isB ? 1 : 2)); rows != k)
    return layer.emitError("inputs")
           << "matmul sums over " << k << " columns of its first input " << a
           << " and " << rows << " rows of its second " << b
           << "; they must be equal (see transpose_a, transpose_b)";
  return SmallVector<Value>{MatmulOp::create(
      layer.builder, layer.loc, layer.inputs[0], layer.inputs[1], isA, isB)};
}
