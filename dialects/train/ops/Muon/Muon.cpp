#include "dialects/rt/MatrixProduct.h"
#include "dialects/train/OptimizerHelpers.h"
#include "dialects/train/TrainDialect.h"
#include <cmath>

using namespace mlir;
using namespace boostc;
using namespace boostc::train;

/// x = kX x + (kA A + kAA A A) x, so many times.
static constexpr double kX = 3.4445, kA = -4.7750, kAA = 2.0315;
static constexpr int kIterations = 5;
/// Keeps a zero norm from being divided by.
static constexpr double kMinNorm = 1e-7;

namespace {

/// The extents of a tensor as a matrix, not transposed.
struct Extents {
  int64_t rows, columns;

  explicit Extents(RankedTensorType type)
      : rows(type.getDimSize(0)),
        columns(type.getNumElements() / type.getDimSize(0)) {}
  bool isTransposed() const { return rows > columns; }
  int64_t getSmaller() const { return std::min(rows, columns); }
  int64_t getLarger() const { return std::max(rows, columns); }
};

/// A matrix in row-major order.
struct Matrix {
  int64_t rows, columns;
  std::vector<Approximate> data;

  Matrix(int64_t rows, int64_t columns)
      : rows(rows), columns(columns), data(rows * columns) {}
  Approximate &at(int64_t row, int64_t column) {
    return data[row * columns + column];
  }
};

} // namespace

//===----------------------------------------------------------------------===//
// Interpreter
//===----------------------------------------------------------------------===//

/// a b, or a b^t.
static Matrix multiply(Matrix &a, Matrix &b, bool transposesB) {
  Matrix result(a.rows, transposesB ? b.rows : b.columns);
  for (int64_t i = 0; i < result.rows; ++i)
    for (int64_t j = 0; j < result.columns; ++j) {
      ApproximateSum sum;
      for (int64_t k = 0; k < a.columns; ++k)
        sum.addProduct(a.at(i, k), transposesB ? b.at(j, k) : b.at(k, j));
      result.at(i, j) = sum.get();
    }
  return result;
}

/// `x` times `a`, plus `y` times `b`, for each element.
static Matrix add(double x, const Matrix &a, double y, const Matrix &b) {
  Matrix result(a.rows, a.columns);
  for (size_t i = 0; i < result.data.size(); ++i)
    result.data[i] = Approximate::constant(x) * a.data[i] +
                     Approximate::constant(y) * b.data[i];
  return result;
}

static std::vector<Approximate> orthogonalize(OrthogonalizeOp op,
                                              const Bounded &input) {
  Extents e(op.getType());
  Matrix x(e.getSmaller(), e.getLarger());
  ApproximateSum squares;
  for (int64_t i = 0; i < input.value.size(); ++i)
    squares.add(input.at(i) * input.at(i));
  Approximate norm = max(sqrt(squares.get()), kMinNorm);
  auto place = [&](int64_t row, int64_t column) {
    return e.isTransposed() ? column * e.columns + row
                            : row * e.columns + column;
  };
  for (int64_t i = 0; i < x.rows; ++i)
    for (int64_t j = 0; j < x.columns; ++j)
      x.at(i, j) = input.at(place(i, j)) / norm;
  for (int iteration = 0; iteration < kIterations; ++iteration) {
    Matrix a = multiply(x, x, /*transposesB=*/true);
    Matrix aa = multiply(a, a, /*transposesB=*/false);
    Matrix b = add(kA, a, kAA, aa);
    Matrix bx = multiply(b, x, /*transposesB=*/false);
    x = add(kX, x, 1.0, bx);
  }
  Approximate scale = Approximate::constant(op.getScale().convertToDouble());
  std::vector<Approximate> result(x.data.size());
  for (int64_t i = 0; i < x.rows; ++i)
    for (int64_t j = 0; j < x.columns; ++j)
      result[place(i, j)] = scale * x.at(i, j);
  return result;
}

LogicalResult
OrthogonalizeOp::evaluate(ReferenceContext &, ArrayRef<ReferenceValue> operands,
                          SmallVectorImpl<ReferenceValue> &results) {
  ReferenceValue result = operands[0];
  for (auto [element, found] :
       llvm::zip_equal(result.data, orthogonalize(*this, Bounded(operands[0]))))
    element = found.value;
  results.push_back(std::move(result));
  return success();
}

ErrorBounds OrthogonalizeOp::boundErrors(ReferenceContext &,
                                         ArrayRef<Bounded> operands,
                                         ArrayRef<ReferenceValue>) {
  std::vector<double> errors;
  for (Approximate element : orthogonalize(*this, operands[0]))
    errors.push_back(element.error);
  return {errors};
}

LogicalResult OrthogonalizeOp::verify() {
  if (getType().getRank() < 2)
    return emitOpError("expected a tensor of two dimensions or more, found ")
           << getType();
  return success();
}

int64_t OrthogonalizeOp::getFlops() {
  Extents e(getType());
  int64_t m = e.getSmaller(), n = e.getLarger();
  return kIterations * (4 * m * m * n + 2 * m * m * m);
}

//===----------------------------------------------------------------------===//
// Lowering
//===----------------------------------------------------------------------===//

static Value buildOrthogonal(OpBuilder &b, OrthogonalizeOp op,
                             rt::BuildProduct buildProduct) {
  Location loc = op.getLoc();
  RankedTensorType type = op.getType();
  Extents e(type);
  auto matrix = [&](int64_t rows, int64_t columns) {
    return RankedTensorType::get({rows, columns}, b.getF32Type());
  };
  auto plain = matrix(e.rows, e.columns);
  auto wide = matrix(e.getSmaller(), e.getLarger());
  auto square = matrix(e.getSmaller(), e.getSmaller());
  AffineMap same = b.getMultiDimIdentityMap(2), none = projection(b, 2, {});
  // A tall matrix is transposed on the way in, and on the way out.
  AffineMap turned = e.isTransposed() ? projection(b, 2, {1, 0}) : same;
  auto compute = [&](RankedTensorType of, Value x, AffineMap mapX, Value y,
                     AffineMap mapY, auto rule) {
    return buildElementwise(
        b, loc, of, {x, y}, {mapX, mapY},
        [&](OpBuilder &nested, Location at, ValueRange args) -> Value {
          ScalarEmitter emitter(nested, at);
          return rule(Scalar(args[0], emitter), Scalar(args[1], emitter))
              .get(emitter);
        });
  };
  SmallVector<ReassociationIndices> asMatrix = {
      {0}, llvm::to_vector(llvm::seq<int64_t>(1, type.getRank()))};
  Value u = op.getInput();
  Value squares = buildSquaredNorm(b, loc, u);
  if (type.getRank() > 2)
    u = tensor::CollapseShapeOp::create(b, loc, plain, u, asMatrix);
  Value x = compute(wide, u, turned, squares, none, [](Scalar p, Scalar sum) {
    return p / max(sqrt(sum), kMinNorm);
  });
  for (int iteration = 0; iteration < kIterations; ++iteration) {
    Value a =
        buildProduct(b, loc, square, {.a = x, .b = x, .transposeB = true});
    Value aa = buildProduct(b, loc, square, {a, a});
    Value both = compute(square, a, same, aa, same, [](Scalar p, Scalar q) {
      Scalar first = Scalar(kA) * p;
      return first + Scalar(kAA) * q;
    });
    Value bx = buildProduct(b, loc, wide, {both, x});
    x = compute(wide, x, same, bx, same,
                [](Scalar p, Scalar q) { return Scalar(kX) * p + q; });
  }
  double scale = op.getScale().convertToDouble();
  Value result = compute(plain, x, turned, squares, none,
                         [=](Scalar p, Scalar) { return Scalar(scale) * p; });
  if (type.getRank() > 2)
    result = tensor::ExpandShapeOp::create(b, loc, type, result, asMatrix);
  return result;
}

FailureOr<SmallVector<Value>>
OrthogonalizeOp::lowerToLinalg(OpBuilder &builder) {
  return SmallVector<Value>{
      buildOrthogonal(builder, *this, rt::buildProductLoops)};
}

FailureOr<SmallVector<Value>>
OrthogonalizeOp::buildLibraryCall(OpBuilder &builder) {
  return SmallVector<Value>{
      buildOrthogonal(builder, *this, rt::buildProductCall)};
}

//===----------------------------------------------------------------------===//
// The optimizer
//===----------------------------------------------------------------------===//

std::vector<LayerSpec> OrthogonalizeOp::getLayerSpecs() {
  LayerSpec spec{
      "muon", LayerSpec::Kind::Optimizer,
      "Muon for hidden weights, `v = momentum * v + (1 - momentum) * g`, `u = "
      "momentum * v + (1 - momentum) * g` with `nesterov`, else `u = v`, `w = "
      "w - lr * (s * O + weight_decay * w)`, where O is u with its singular "
      "values brought near 1. Biases, norms, embeddings, the first convolution "
      "and the last dense layer take AdamW with `adamw_learning_rate`."};
  spec.keys = {
      {"learning_rate", KeyType::Rate, "Step size `lr` of hidden weights.",
       "0.02", 0.0},
      {"momentum", KeyType::Number, "Share of the mean that is kept.", "0.95",
       0.0, 0.999999},
      {"nesterov", KeyType::Boolean, "Mean the gradient in once more.", "true"},
      {"weight_decay", KeyType::Number, "Weight decay, decoupled.", "0.0", 0.0},
      {.name = "adjust_lr_fn",
       .type = KeyType::Choice,
       .doc = "s for a matrix of m rows and n columns: `original`, "
              "`sqrt(max(1, m / n))`; `match_rms_adamw`, `0.2 * sqrt(max(m, "
              "n))`, for learning rates as AdamW has them.",
       .defaultValue = "\"original\"",
       .choices = {"original", "match_rms_adamw"}},
      {.name = "adamw_learning_rate",
       .type = KeyType::Rate,
       .doc = "Step size of all others. A group's `learning_rate` replaces it, "
              "too.",
       .defaultValue = "0.0003",
       .minimum = 0.0,
       .keyOfGroup = "learning_rate"},
      {"beta1", KeyType::Number, "AdamW: share of the mean that is kept.",
       "0.9", 0.0, 0.999999},
      {"beta2", KeyType::Number,
       "AdamW: share of the mean square that is kept.", "0.95", 0.0,
       0.999999999},
      {"epsilon", KeyType::Number, "AdamW: added to the root.", "1e-10", 0.0}};
  return {spec};
}

FailureOr<SmallVector<Value>> OrthogonalizeOp::buildLayer(LayerBuilder &layer) {
  if (!layer.isHidden)
    return buildAdam(layer, layer.inputs[3], /*decoupled=*/true);
  OpBuilder &b = layer.builder;
  FailureOr<Value> velocity = layer.state("momentum");
  if (failed(velocity))
    return failure();
  Value gradient = layer.inputs[1];
  FloatAttr momentum = b.getF64FloatAttr(layer.getNumber("momentum"));
  auto average = [&](Value mean) -> Value {
    return MovingAverageOp::create(b, layer.loc, mean, gradient, layer.applied,
                                   momentum);
  };
  Value mean = average(*velocity);
  Extents e(cast<RankedTensorType>(gradient.getType()));
  auto rows = static_cast<double>(e.rows);
  auto columns = static_cast<double>(e.columns);
  double scale = layer.getChoice("adjust_lr_fn") == "original"
                     ? std::sqrt(std::max(1.0, rows / columns))
                     : 0.2 * std::sqrt(std::max(rows, columns));
  auto direction = OrthogonalizeOp::create(
      b, layer.loc, layer.getBoolean("nesterov") ? average(mean) : mean,
      b.getF64FloatAttr(scale));
  Value weight = SgdOp::create(
      b, layer.loc, layer.inputs[0], direction, layer.inputs[2], layer.applied,
      b.getF64FloatAttr(layer.getNumber("weight_decay")), UnitAttr());
  return SmallVector<Value>{weight, mean};
}
