#include "dialects/interfaces/Approximate.h"
#include "dialects/interfaces/LinalgHelpers.h"
#include "dialects/nn/NnDialect.h"
#include "dialects/nn/Rows.h"

using namespace mlir;
using namespace boostc;
using namespace boostc::nn;

//===----------------------------------------------------------------------===//
// nn.multiplier
//===----------------------------------------------------------------------===//

LogicalResult MultiplierOp::verify() {
  if (getMultiplier().getType().getDimSize(0) == 1)
    return success();
  return emitOpError("expected a multiplier of one element, found ")
         << getMultiplier().getType();
}

LogicalResult MultiplierOp::evaluate(ReferenceContext &,
                                     ArrayRef<ReferenceValue> operands,
                                     SmallVectorImpl<ReferenceValue> &results) {
  ReferenceValue y = operands[0];
  for (double &element : y.data)
    element *= operands[1].data[0];
  results.push_back(std::move(y));
  return success();
}

ErrorBounds MultiplierOp::boundErrors(ReferenceContext &,
                                      ArrayRef<Bounded> operands,
                                      ArrayRef<ReferenceValue>) {
  return boundElements(operands, 1,
                       [](Approximates x, MutableArrayRef<Approximate> y) {
                         y[0] = x[0] * x[1];
                       });
}

SmallVector<Value> MultiplierOp::savedForBackward() {
  return {getInput(), getMultiplier()};
}

LogicalResult MultiplierOp::buildBackward(BackwardContext &context) {
  Value dy = context.gradResults[0];
  if (context.needed[0])
    context.gradOperands[0] = MultiplierOp::create(
        context.builder, context.loc, getType(), dy, getMultiplier());
  if (context.needed[1])
    context.gradOperands[1] = MultiplierGradOp::create(
        context.builder, context.loc, dy, getInput(), context.valid);
  return success();
}

FailureOr<SmallVector<Value>> MultiplierOp::lowerToLinalg(OpBuilder &builder) {
  unsigned rank = getType().getRank();
  AffineMap first = AffineMap::get(rank, 0, builder.getAffineConstantExpr(0));
  return SmallVector<Value>{buildElementwise(
      builder, getLoc(), getType(), {getInput(), getMultiplier()},
      {builder.getMultiDimIdentityMap(rank), first},
      [](OpBuilder &b, Location loc, ValueRange args) -> Value {
        return arith::MulFOp::create(b, loc, args[0], args[1]);
      })};
}

int64_t MultiplierOp::getFlops() { return getType().getNumElements(); }

std::vector<LayerSpec> MultiplierOp::getLayerSpecs() {
  LayerSpec spec{"multiplier", LayerSpec::Kind::Layer,
                 "Multiplies by one trainable number, `y = multiplier * x`."};
  spec.parameters = {{"multiplier", BOOSTC_ROLE_MULTIPLIER, "ones", "`[1]`."}};
  return {spec};
}

FailureOr<SmallVector<Value>> MultiplierOp::buildLayer(LayerBuilder &layer) {
  FailureOr<Value> multiplier = layer.parameter("multiplier", {1}, 1, 1);
  if (failed(multiplier))
    return failure();
  return SmallVector<Value>{MultiplierOp::create(layer.builder, layer.loc,
                                                 layer.inputs[0].getType(),
                                                 layer.inputs[0], *multiplier)};
}

//===----------------------------------------------------------------------===//
// nn.multiplier_grad
//===----------------------------------------------------------------------===//

LogicalResult
MultiplierGradOp::inferReturnTypes(MLIRContext *context,
                                   std::optional<Location> loc, Adaptor adaptor,
                                   SmallVectorImpl<Type> &inferred) {
  auto gradient = cast<RankedTensorType>(adaptor.getGradient().getType());
  auto input = cast<RankedTensorType>(adaptor.getInput().getType());
  if (gradient.getShape() != input.getShape() || gradient.getRank() < 2)
    return emitOptionalError(loc,
                             "expected a gradient and an input of one shape of "
                             "rank 2 or more, found ",
                             gradient, " and ", input);
  inferred.push_back(RankedTensorType::get({1}, Float32Type::get(context)));
  return success();
}

LogicalResult
MultiplierGradOp::evaluate(ReferenceContext &,
                           ArrayRef<ReferenceValue> operands,
                           SmallVectorImpl<ReferenceValue> &results) {
  const ReferenceValue &dy = operands[0], &x = operands[1];
  int64_t end =
      static_cast<int64_t>(operands[2].item()) * (x.size() / x.dim(0));
  ReferenceValue sum({1});
  for (int64_t i = 0; i < end; ++i)
    sum.data[0] += dy.data[i] * x.data[i];
  results.push_back(std::move(sum));
  return success();
}

ErrorBounds MultiplierGradOp::boundErrors(ReferenceContext &,
                                          ArrayRef<Bounded> operands,
                                          ArrayRef<ReferenceValue>) {
  const ReferenceValue &x = operands[1].value;
  int64_t end =
      static_cast<int64_t>(operands[2].value.item()) * (x.size() / x.dim(0));
  ApproximateSum sum;
  for (int64_t i = 0; i < end; ++i)
    sum.addProduct(operands[0].at(i), operands[1].at(i));
  return {{sum.get().error}};
}

/// Rows first: they are independent and run on all threads.
FailureOr<SmallVector<Value>>
MultiplierGradOp::lowerToLinalg(OpBuilder &builder) {
  RankedTensorType input = getInput().getType();
  RankedTensorType matrix = getRowsType(input);
  Type f32 = builder.getF32Type();
  int64_t rowsPerSample = matrix.getDimSize(0) / input.getDimSize(0);
  Value dy = buildRows(builder, getLoc(), getGradient());
  Value x = buildRows(builder, getLoc(), getInput());
  AffineMap all = builder.getMultiDimIdentityMap(2);
  Value rows = buildSum(
      builder, getLoc(), RankedTensorType::get(matrix.getDimSize(0), f32), 2,
      {0}, {dy, x, getValid()}, {all, all, projection(builder, 2, {})},
      [&](OpBuilder &b, Location loc, ValueRange args) -> Value {
        return arith::SelectOp::create(
            b, loc, buildIsValidRow(b, loc, 0, args[2], rowsPerSample),
            arith::MulFOp::create(b, loc, args[0], args[1]),
            buildConstant(b, loc, 0.0));
      });
  Value sum = buildSum(
      builder, getLoc(), RankedTensorType::get({}, f32), 1, {}, rows,
      builder.getMultiDimIdentityMap(1),
      [](OpBuilder &, Location, ValueRange args) -> Value { return args[0]; });
  return SmallVector<Value>{tensor::ExpandShapeOp::create(
      builder, getLoc(), getType(), sum, ArrayRef<ReassociationIndices>{})};
}

int64_t MultiplierGradOp::getFlops() {
  return 2 * getInput().getType().getNumElements();
}
