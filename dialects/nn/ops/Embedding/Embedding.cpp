#include "dialects/interfaces/LinalgHelpers.h"
#include "dialects/nn/NnDialect.h"
#include "dialects/rt/Rows.h"
#include "dialects/rt/RtDialect.h"

using namespace mlir;
using namespace boostc;
using namespace boostc::nn;

//===----------------------------------------------------------------------===//
// nn.embedding
//===----------------------------------------------------------------------===//

LogicalResult EmbeddingOp::inferReturnTypes(MLIRContext *,
                                            std::optional<Location> loc,
                                            Adaptor adaptor,
                                            SmallVectorImpl<Type> &inferred) {
  auto index = cast<RankedTensorType>(adaptor.getIndex().getType());
  auto table = cast<RankedTensorType>(adaptor.getTable().getType());
  if (index.getRank() < 1 || table.getRank() != 2)
    return emitOptionalError(
        loc, "expected an index [batch, ...] and a table [rows, d], found ",
        index, " and ", table);
  SmallVector<int64_t> shape(index.getShape());
  shape.push_back(table.getDimSize(1));
  inferred.push_back(RankedTensorType::get(shape, table.getElementType()));
  return success();
}

LogicalResult EmbeddingOp::evaluate(ReferenceContext &,
                                    ArrayRef<ReferenceValue> operands,
                                    SmallVectorImpl<ReferenceValue> &results) {
  ReferenceValue result = ReferenceValue::zeros(getType());
  if (failed(rt::gatherRows(*this, operands[1], operands[0], result)))
    return failure();
  results.push_back(std::move(result));
  return success();
}

bool EmbeddingOp::isActiveOperand(unsigned index) { return index == 1; }

SmallVector<Value> EmbeddingOp::savedForBackward() { return {getIndex()}; }

LogicalResult EmbeddingOp::buildBackward(BackwardContext &context) {
  if (context.needed[1])
    context.gradOperands[1] = EmbeddingGradOp::create(
        context.builder, context.loc, getTable().getType(),
        context.gradResults[0], getIndex(), context.valid);
  return success();
}

FailureOr<SmallVector<Value>> EmbeddingOp::lowerToLinalg(OpBuilder &builder) {
  Value empty = tensor::EmptyOp::create(builder, getLoc(), getType().getShape(),
                                        getType().getElementType());
  auto gather = rt::GatherOp::create(builder, getLoc(), TypeRange{getType()},
                                     getTable(), getIndex(), empty);
  return SmallVector<Value>(gather.getResults());
}

ErrorBounds EmbeddingOp::boundErrors(ReferenceContext &context,
                                     ArrayRef<Bounded> operands,
                                     ArrayRef<ReferenceValue>) {
  return {
      evaluateOp(*this, context, {operands[0].value, getErrors(operands[1])})};
}

int64_t EmbeddingOp::getFlops() { return 0; }

std::vector<LayerSpec> EmbeddingOp::getLayerSpecs() {
  LayerSpec spec{"embedding", LayerSpec::Kind::Layer,
                 "A learned row of `units` numbers for each integer of an "
                 "input with 'shape' and 'classes'."};
  spec.keys = {
      {"units", KeyType::Integer, "Numbers in a row.", {}, 1, 1 << 24}};
  spec.parameters = {{"weight", BOOSTC_ROLE_EMBEDDING,
                      R"({ "type": "normal", "std": 1.0 })",
                      "The table, `[classes, units]`."}};
  spec.readsIntegers = true;
  return {spec};
}

FailureOr<SmallVector<Value>> EmbeddingOp::buildLayer(LayerBuilder &layer) {
  int64_t classes = layer.getClasses(0);
  int64_t units = layer.getInteger("units");
  FailureOr<Value> table =
      layer.parameter("weight", {classes, units}, units, classes);
  if (failed(table))
    return failure();
  return SmallVector<Value>{
      EmbeddingOp::create(layer.builder, layer.loc, layer.inputs[0], *table)};
}

//===----------------------------------------------------------------------===//
// nn.embedding_grad
//===----------------------------------------------------------------------===//

LogicalResult EmbeddingGradOp::verify() {
  auto dy = getGradient().getType(), index = getIndex().getType();
  if (getType().getRank() != 2 || index.getRank() < 1 ||
      dy.getRank() != index.getRank() + 1 ||
      dy.getShape().drop_back() != index.getShape() ||
      dy.getShape().back() != getType().getDimSize(1))
    return emitOpError("expected a gradient [batch, ..., d], an index [batch, "
                       "...] and a result [rows, d], found ")
           << dy << ", " << index << " and " << getType();
  return success();
}

LogicalResult
EmbeddingGradOp::evaluate(ReferenceContext &, ArrayRef<ReferenceValue> operands,
                          SmallVectorImpl<ReferenceValue> &results) {
  ReferenceValue result = ReferenceValue::zeros(getType());
  int64_t perSample = operands[1].size() / operands[1].dim(0);
  auto valid = static_cast<int64_t>(operands[2].item());
  if (failed(rt::scatterRows(*this, operands[0], operands[1], valid * perSample,
                             result)))
    return failure();
  results.push_back(std::move(result));
  return success();
}

FailureOr<SmallVector<Value>>
EmbeddingGradOp::lowerToLinalg(OpBuilder &builder) {
  // What pads a batch counts as zero, whatever it is.
  RankedTensorType type = getGradient().getType();
  unsigned rank = type.getRank();
  Value real = buildElementwise(
      builder, getLoc(), type, {getGradient(), getValid()},
      {builder.getMultiDimIdentityMap(rank), projection(builder, rank, {})},
      [](OpBuilder &b, Location loc, ValueRange args) -> Value {
        return arith::SelectOp::create(b, loc, buildIsValid(b, loc, 0, args[1]),
                                       args[0], buildConstant(b, loc, 0.0));
      });
  Value empty = tensor::EmptyOp::create(builder, getLoc(), getType().getShape(),
                                        getType().getElementType());
  auto scatter = rt::ScatterAddOp::create(
      builder, getLoc(), TypeRange{getType()}, real, getIndex(), empty);
  return SmallVector<Value>(scatter.getResults());
}

ErrorBounds EmbeddingGradOp::boundErrors(ReferenceContext &context,
                                         ArrayRef<Bounded> operands,
                                         ArrayRef<ReferenceValue>) {
  // Sums of at most as many terms as there are indices, starting from zero.
  const ReferenceValue &index = operands[1].value, &valid = operands[2].value;
  std::vector<double> errors =
      evaluateOp(*this, context, {getErrors(operands[0]), index, valid});
  std::vector<double> magnitudes = evaluateOp(
      *this, context, {getMagnitudes(operands[0], true), index, valid});
  double terms = static_cast<double>(index.size()) + 1.0;
  for (size_t i = 0; i < errors.size(); ++i)
    errors[i] += gammaOf(terms) * magnitudes[i];
  return {errors};
}

int64_t EmbeddingGradOp::getFlops() {
  return getGradient().getType().getNumElements();
}

std::optional<KroneckerLayer> EmbeddingGradOp::getKroneckerLayer() {
  return KroneckerLayer{
      .input = getIndex(), .gradient = getGradient(), .isLookup = true};
}

Value EmbeddingGradOp::buildLookupCounts(OpBuilder &builder) {
  // The gradient of a table with one column, where each lookup adds 1.
  SmallVector<int64_t> shape(getIndex().getType().getShape());
  shape.push_back(1);
  Type f32 = builder.getF32Type();
  Value ones = arith::ConstantOp::create(
      builder, getLoc(),
      DenseElementsAttr::get(RankedTensorType::get(shape, f32), 1.0f));
  int64_t rows = getType().getDimSize(0);
  Value counts = EmbeddingGradOp::create(builder, getLoc(),
                                         RankedTensorType::get({rows, 1}, f32),
                                         ones, getIndex(), getValid());
  return ReshapeOp::create(builder, getLoc(),
                           RankedTensorType::get({rows, 1, 1}, f32), counts);
}
