// Steps in a subspace: its coordinates, the quasi-Newton matrix in them, and
// the weights after a step.

#include "dialects/interfaces/OperandTypes.h"
#include "dialects/train/OptimizerHelpers.h"
#include "dialects/train/TrainDialect.h"

using namespace mlir;
using namespace boostc;
using namespace boostc::train;

static RankedTensorType getScalarType(OpBuilder &b) {
  return RankedTensorType::get({}, b.getF32Type());
}

static Value multiply(OpBuilder &b, Location loc, ValueRange args) {
  return arith::MulFOp::create(b, loc, args[0], args[1]);
}

//===----------------------------------------------------------------------===//
// train.project
//===----------------------------------------------------------------------===//

LogicalResult ProjectOp::inferReturnTypes(MLIRContext *,
                                          std::optional<Location> loc,
                                          Adaptor adaptor,
                                          SmallVectorImpl<Type> &inferred) {
  auto input = cast<RankedTensorType>(adaptor.getInput().getType());
  auto basis = cast<RankedTensorType>(adaptor.getBasis().getType());
  if (basis.getRank() == 0 || basis.getShape().drop_front() != input.getShape())
    return emitOptionalError(loc,
                             "expected a basis of tensors of the shape of ",
                             input, ", found ", basis);
  // Types are inferred before defaults are set.
  IntegerAttr given = adaptor.getShardsAttr();
  int64_t shards = given ? given.getInt() : 1, rows = basis.getDimSize(0);
  if (shards < 1 || rows < 1 || rows > kMaxComponents / shards)
    return emitOptionalError(loc, "expected shards with 1 to ", kMaxComponents,
                             " rows together, found ", shards, " of ", rows);
  inferred.push_back(
      RankedTensorType::get({shards * rows}, input.getElementType()));
  return success();
}

/// Coordinates of all shards as rows, one for each.
static RankedTensorType getShardsType(Type coordinates, Value basis) {
  auto type = cast<RankedTensorType>(coordinates);
  int64_t rows = cast<RankedTensorType>(basis.getType()).getDimSize(0);
  return type.clone({type.getDimSize(0) / rows, rows});
}

LogicalResult ProjectOp::evaluate(ReferenceContext &,
                                  ArrayRef<ReferenceValue> operands,
                                  SmallVectorImpl<ReferenceValue> &results) {
  const ReferenceValue &v = operands[0], &basis = operands[1];
  const int64_t rows = basis.dim(0);
  ReferenceValue coordinates(getType().getShape());
  for (int64_t i = 0; i < basis.size(); ++i)
    coordinates.data[i / v.size()] += basis.data[i] * v.data[i % v.size()];
  for (int64_t i = rows; i < coordinates.size(); ++i)
    coordinates.data[i] = coordinates.data[i - rows];
  results.push_back(std::move(coordinates));
  return success();
}

ErrorBounds ProjectOp::boundErrors(ReferenceContext &,
                                   ArrayRef<Bounded> operands,
                                   ArrayRef<ReferenceValue>) {
  int64_t size = operands[0].value.size();
  std::vector<ApproximateSum> sums(operands[1].value.dim(0));
  for (int64_t i = 0; i < operands[1].value.size(); ++i)
    sums[i / size].addProduct(operands[1].at(i), operands[0].at(i % size));
  const size_t rows = sums.size();
  for (size_t i = rows; i < rows * getShards(); ++i)
    sums.push_back(sums[i - rows]);
  return getErrors(sums);
}

FailureOr<SmallVector<Value>> ProjectOp::lowerToLinalg(OpBuilder &builder) {
  unsigned loops = getBasis().getType().getRank();
  auto inner = llvm::to_vector(llvm::seq(1u, loops));
  RankedTensorType shards = getShardsType(getType(), getBasis());
  auto own = shards.clone(shards.getShape().drop_front());
  Value coordinates =
      buildSum(builder, getLoc(), own, loops, {0}, {getBasis(), getInput()},
               {builder.getMultiDimIdentityMap(loops),
                projection(builder, loops, inner)},
               multiply);
  if (getShards() == 1)
    return SmallVector<Value>{coordinates};
  Value copies = buildElementwise(
      builder, getLoc(), shards, {coordinates}, {projection(builder, 2, {1})},
      [](OpBuilder &, Location, ValueRange args) -> Value { return args[0]; });
  SmallVector<ReassociationIndices> joined = {{0, 1}};
  return SmallVector<Value>{tensor::CollapseShapeOp::create(
      builder, getLoc(), getType(), copies, joined)};
}

//===----------------------------------------------------------------------===//
// train.lift
//===----------------------------------------------------------------------===//

LogicalResult LiftOp::inferReturnTypes(MLIRContext *,
                                       std::optional<Location> loc,
                                       Adaptor adaptor,
                                       SmallVectorImpl<Type> &inferred) {
  auto basis = cast<RankedTensorType>(adaptor.getBasis().getType());
  for (Value coordinates : adaptor.getCoordinates()) {
    RankedTensorType type = getTensorType(loc, coordinates);
    if (!type)
      return failure();
    if (basis.getRank() == 0 || basis.getDimSize(0) == 0 ||
        type.getRank() != 1 || type.getDimSize(0) == 0 ||
        type.getDimSize(0) % basis.getDimSize(0) != 0)
      return emitOptionalError(loc, "expected a coordinate for each row of ",
                               basis, ", or as many for each shard, found ",
                               type);
    inferred.push_back(RankedTensorType::get(basis.getShape().drop_front(),
                                             basis.getElementType()));
  }
  return success();
}

LogicalResult LiftOp::evaluate(ReferenceContext &,
                               ArrayRef<ReferenceValue> operands,
                               SmallVectorImpl<ReferenceValue> &results) {
  const ReferenceValue &basis = operands.back();
  for (const ReferenceValue &coordinates : operands.drop_back()) {
    ReferenceValue lifted(ArrayRef(basis.shape).drop_front());
    for (int64_t k = 0; k < coordinates.size(); ++k)
      for (int64_t i = 0; i < lifted.size(); ++i)
        lifted.data[i] += basis.data[k % basis.dim(0) * lifted.size() + i] *
                          coordinates.data[k];
    results.push_back(std::move(lifted));
  }
  return success();
}

ErrorBounds LiftOp::boundErrors(ReferenceContext &, ArrayRef<Bounded> operands,
                                ArrayRef<ReferenceValue> results) {
  const Bounded &basis = operands.back();
  ErrorBounds bounds;
  for (auto [coordinates, lifted] :
       llvm::zip_equal(operands.drop_back(), results)) {
    // Shards are added up first, which rounds no more often than this.
    std::vector<ApproximateSum> sums(lifted.size());
    for (int64_t k = 0; k < coordinates.value.size(); ++k)
      for (int64_t i = 0; i < lifted.size(); ++i)
        sums[i].addProduct(basis.at(k % basis.value.dim(0) * lifted.size() + i),
                           coordinates.at(k));
    bounds.push_back(getErrors(sums).front());
  }
  return bounds;
}

/// The sum of the coordinates of all shards, of which one has some.
static Value sumShards(OpBuilder &b, Value coordinates, Value basis) {
  RankedTensorType shards = getShardsType(coordinates.getType(), basis);
  if (shards.getDimSize(0) == 1)
    return coordinates;
  Location loc = basis.getLoc();
  SmallVector<ReassociationIndices> divided = {{0, 1}};
  Value rows =
      tensor::ExpandShapeOp::create(b, loc, shards, coordinates, divided);
  return buildSum(
      b, loc, shards.clone(shards.getShape().drop_front()), 2, {1}, {rows},
      {b.getMultiDimIdentityMap(2)},
      [](OpBuilder &, Location, ValueRange args) -> Value { return args[0]; });
}

FailureOr<SmallVector<Value>> LiftOp::lowerToLinalg(OpBuilder &builder) {
  unsigned loops = getBasis().getType().getRank();
  unsigned count = getCoordinates().size();
  auto kept = llvm::to_vector(llvm::seq(1u, loops));
  SmallVector<Value> inputs = {getBasis()};
  for (Value coordinates : getCoordinates())
    inputs.push_back(sumShards(builder, coordinates, getBasis()));
  SmallVector<AffineMap> maps(count + 1, projection(builder, loops, {0}));
  maps[0] = builder.getMultiDimIdentityMap(loops);
  auto type = cast<RankedTensorType>(getResult(0).getType());
  return buildSums(builder, getLoc(), type, loops, kept, inputs, maps, count,
                   [](OpBuilder &b, Location loc, ValueRange args) {
                     SmallVector<Value> terms;
                     for (Value coordinate : args.drop_front())
                       terms.push_back(multiply(b, loc, {args[0], coordinate}));
                     return terms;
                   });
}

//===----------------------------------------------------------------------===//
// train.dot
//===----------------------------------------------------------------------===//

LogicalResult DotOp::evaluate(ReferenceContext &,
                              ArrayRef<ReferenceValue> operands,
                              SmallVectorImpl<ReferenceValue> &results) {
  double sum = 0.0;
  for (auto [a, b] : llvm::zip_equal(operands[0].data, operands[1].data))
    sum += a * b;
  results.push_back(ReferenceValue::scalar(sum));
  return success();
}

ErrorBounds DotOp::boundErrors(ReferenceContext &, ArrayRef<Bounded> operands,
                               ArrayRef<ReferenceValue>) {
  ApproximateSum sum;
  for (int64_t i = 0; i < operands[0].value.size(); ++i)
    sum.addProduct(operands[0].at(i), operands[1].at(i));
  return {{sum.get().error}};
}

static Value buildDot(OpBuilder &b, Location loc, Value lhs, Value rhs) {
  AffineMap identity = b.getMultiDimIdentityMap(1);
  return buildSum(b, loc, getScalarType(b), 1, {}, {lhs, rhs},
                  {identity, identity}, multiply);
}

FailureOr<SmallVector<Value>> DotOp::lowerToLinalg(OpBuilder &builder) {
  return SmallVector<Value>{buildDot(builder, getLoc(), getLhs(), getRhs())};
}

//===----------------------------------------------------------------------===//
// train.bfgs_update
//===----------------------------------------------------------------------===//

/// Curvature along a step tells nothing where it is not above this.
constexpr double kMinCurvature = 1e-20;

LogicalResult BfgsUpdateOp::verify() {
  int64_t size = getStep().getType().getDimSize(0);
  if (getCorrection().getType().getShape() == ArrayRef<int64_t>{size, size})
    return success();
  return emitOpError("expected a correction of ")
         << size << "x" << size << " for steps of " << getStep().getType()
         << ", found " << getCorrection().getType();
}

/// An element of the new correction. `curvature` is y . s, `stretch` y . u.
template <typename T>
static T updateElement(T old, T si, T sj, T ui, T uj, T curvature, T stretch) {
  T inverse = T(1.0) / curvature;
  T left = si * uj, right = ui * sj;
  T mixed = left + right;
  T along = inverse * stretch + T(1.0);
  T square = si * sj;
  T weight = inverse * along;
  T added = weight * square, removed = inverse * mixed;
  return old + (added - removed);
}

LogicalResult BfgsUpdateOp::evaluate(ReferenceContext &,
                                     ArrayRef<ReferenceValue> operands,
                                     SmallVectorImpl<ReferenceValue> &results) {
  ReferenceValue e = operands[0];
  const std::vector<double> &s = operands[1].data, &y = operands[2].data;
  auto size = static_cast<int64_t>(s.size());
  std::vector<double> u = y;
  double curvature = 0.0, stretch = 0.0;
  for (int64_t i = 0; i < size; ++i) {
    for (int64_t j = 0; j < size; ++j)
      u[i] += e.at(i, j) * y[j];
    curvature += s[i] * y[i];
    stretch += y[i] * u[i];
  }
  ReferenceValue old = e;
  for (int64_t i = 0; curvature > kMinCurvature && i < size; ++i)
    for (int64_t j = 0; j < size; ++j)
      e.at(i, j) = updateElement<double>(old.at(i, j), s[i], s[j], u[i], u[j],
                                         curvature, stretch);
  results.push_back(std::move(e));
  return success();
}

ErrorBounds BfgsUpdateOp::boundErrors(ReferenceContext &,
                                      ArrayRef<Bounded> operands,
                                      ArrayRef<ReferenceValue>) {
  const Bounded &e = operands[0], &s = operands[1], &y = operands[2];
  int64_t size = s.value.size();
  ApproximateSum curvature, stretch;
  std::vector<Approximate> u;
  for (int64_t i = 0; i < size; ++i) {
    ApproximateSum sum;
    for (int64_t j = 0; j < size; ++j)
      sum.addProduct(e.at(i * size + j), y.at(j));
    u.push_back(sum.get() + y.at(i));
    curvature.addProduct(s.at(i), y.at(i));
    stretch.addProduct(y.at(i), u[i]);
  }
  Approximate sy = curvature.get(), yu = stretch.get();
  std::vector<double> errors;
  for (int64_t i = 0; i < size; ++i)
    for (int64_t j = 0; j < size; ++j) {
      Approximate old = e.at(i * size + j);
      Approximate changed =
          updateElement<Approximate>(old, s.at(i), s.at(j), u[i], u[j], sy, yu);
      bool mayKeep = sy.low() <= kMinCurvature;
      bool mayChange = sy.high() > kMinCurvature;
      double error = mayChange ? changed.error : old.error;
      // Either may be found where rounding decides.
      if (mayKeep && mayChange)
        error =
            std::max(error, old.error) + std::abs(changed.value - old.value);
      errors.push_back(error);
    }
  return {errors};
}

FailureOr<SmallVector<Value>> BfgsUpdateOp::lowerToLinalg(OpBuilder &builder) {
  Location loc = getLoc();
  auto vector = cast<RankedTensorType>(getStep().getType());
  AffineMap identity = builder.getMultiDimIdentityMap(2);
  AffineMap row = projection(builder, 2, {0}),
            column = projection(builder, 2, {1});
  AffineMap scalar = projection(builder, 2, {});
  Value product =
      buildSum(builder, loc, vector, 2, {0}, {getCorrection(), getChange()},
               {identity, column}, multiply);
  Value u =
      buildElementwise(builder, loc, vector, {product, getChange()},
                       [](OpBuilder &b, Location at, ValueRange args) -> Value {
                         return arith::AddFOp::create(b, at, args[0], args[1]);
                       });
  Value curvature = buildDot(builder, loc, getStep(), getChange());
  Value stretch = buildDot(builder, loc, getChange(), u);
  return SmallVector<Value>{buildElementwise(
      builder, loc, getType(),
      {getCorrection(), getStep(), getStep(), u, u, curvature, stretch},
      {identity, row, column, row, column, scalar, scalar},
      [](OpBuilder &b, Location at, ValueRange args) -> Value {
        ScalarEmitter emitter(b, at);
        auto get = [&](unsigned i) { return Scalar(args[i], emitter); };
        Scalar changed = updateElement<Scalar>(get(0), get(1), get(2), get(3),
                                               get(4), get(5), get(6));
        Scalar least = Scalar::constant(kMinCurvature);
        return select(get(5) > least, changed, get(0)).get(emitter);
      })};
}

//===----------------------------------------------------------------------===//
// train.replace
//===----------------------------------------------------------------------===//

LogicalResult ReplaceOp::evaluate(ReferenceContext &,
                                  ArrayRef<ReferenceValue> operands,
                                  SmallVectorImpl<ReferenceValue> &results) {
  ReferenceValue result = operands[3].item() != 0.0 ? operands[1] : operands[0];
  if (operands[3].item() != 0.0)
    for (double &x : result.data)
      x *= operands[2].item();
  results.push_back(std::move(result));
  return success();
}

ErrorBounds ReplaceOp::boundErrors(ReferenceContext &,
                                   ArrayRef<Bounded> operands,
                                   ArrayRef<ReferenceValue>) {
  bool isReplaced = operands[3].value.item() != 0.0;
  return boundElements(operands.take_front(3), 1,
                       [&](Approximates x, MutableArrayRef<Approximate> y) {
                         y[0] = isReplaced ? x[1] * x[2] : x[0];
                       });
}

FailureOr<SmallVector<Value>> ReplaceOp::lowerToLinalg(OpBuilder &builder) {
  unsigned rank = cast<RankedTensorType>(getType()).getRank();
  AffineMap identity = builder.getMultiDimIdentityMap(rank);
  AffineMap scalar = projection(builder, rank, {});
  auto generic = linalg::GenericOp::create(
      builder, getLoc(), TypeRange{getType()},
      ValueRange{getValue(), getFactor(), getFlag()}, ValueRange{getKept()},
      ArrayRef<AffineMap>{identity, scalar, scalar, identity},
      SmallVector<utils::IteratorType>(rank, utils::IteratorType::parallel),
      [&](OpBuilder &b, Location loc, ValueRange args) {
        Value value = multiply(b, loc, args);
        Value isReplaced = buildIsSet(b, loc, args[2]);
        linalg::YieldOp::create(
            b, loc,
            Value(arith::SelectOp::create(b, loc, isReplaced, value, args[3])));
      });
  return SmallVector<Value>{generic.getResult(0)};
}

//===----------------------------------------------------------------------===//
// train.subspace_step
//===----------------------------------------------------------------------===//

/// Weight and velocity after the step. `inside` is f * x, or 0 for f = 0.
template <typename T>
static std::pair<T, T> moveWeight(T w, T r, T inside, T m, double alpha,
                                  double gamma) {
  T velocity = T::constant(gamma) * m + r;
  T outside = T::constant(alpha) * velocity;
  return {w - (outside + inside), velocity};
}

LogicalResult
SubspaceStepOp::evaluate(ReferenceContext &, ArrayRef<ReferenceValue> operands,
                         SmallVectorImpl<ReferenceValue> &results) {
  ReferenceValue w = operands[0], m = operands[4];
  double f = operands[2].item();
  double alpha = getAlpha().convertToDouble();
  double gamma = getGamma().convertToDouble();
  for (int64_t i = 0; operands[5].item() != 0.0 && i < w.size(); ++i) {
    m.data[i] = gamma * m.data[i] + operands[1].data[i];
    double inside = f > 0.0 ? f * operands[3].data[i] : 0.0;
    w.data[i] -= alpha * m.data[i] + inside;
  }
  results.push_back(std::move(w));
  results.push_back(std::move(m));
  return success();
}

ErrorBounds SubspaceStepOp::boundErrors(ReferenceContext &,
                                        ArrayRef<Bounded> operands,
                                        ArrayRef<ReferenceValue>) {
  double alpha = getAlpha().convertToDouble();
  double gamma = getGamma().convertToDouble();
  return boundElements(operands.take_front(5), 2,
                       [&](Approximates x, MutableArrayRef<Approximate> y) {
                         Approximate inside =
                             x[2].value > 0.0 ? x[2] * x[3] : Approximate();
                         std::tie(y[0], y[1]) =
                             moveWeight(x[0], x[1], inside, x[4], alpha, gamma);
                       });
}

FailureOr<SmallVector<Value>>
SubspaceStepOp::lowerToLinalg(OpBuilder &builder) {
  unsigned rank = cast<RankedTensorType>(getResult().getType()).getRank();
  AffineMap identity = builder.getMultiDimIdentityMap(rank);
  AffineMap scalar = projection(builder, rank, {});
  Value outputs[] = {getParameter(), getVelocity()};
  auto generic = linalg::GenericOp::create(
      builder, getLoc(), getResultTypes(),
      ValueRange{getResidual(), getDescent(), getRate(), getApplied()}, outputs,
      ArrayRef<AffineMap>{identity, identity, scalar, scalar, identity,
                          identity},
      SmallVector<utils::IteratorType>(rank, utils::IteratorType::parallel),
      [&](OpBuilder &b, Location loc, ValueRange args) {
        ScalarEmitter emitter(b, loc);
        auto get = [&](unsigned i) { return Scalar(args[i], emitter); };
        Scalar part = get(2) * get(1);
        Scalar inside = select(get(2) > Scalar(0.0), part, Scalar(0.0));
        auto [weight, velocity] = moveWeight(get(4), get(0), inside, get(5),
                                             getAlpha().convertToDouble(),
                                             getGamma().convertToDouble());
        Value isApplied = buildIsSet(b, loc, args[3]);
        SmallVector<Value> kept;
        for (auto [value, old] :
             {std::pair(weight, args[4]), std::pair(velocity, args[5])})
          kept.push_back(arith::SelectOp::create(b, loc, isApplied,
                                                 value.get(emitter), old));
        linalg::YieldOp::create(b, loc, kept);
      });
  return SmallVector<Value>(generic.getResults());
}
