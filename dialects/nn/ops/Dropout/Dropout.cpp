#include "dialects/interfaces/LinalgHelpers.h"
#include "dialects/nn/NnDialect.h"
#include "runtime/abi/boost_random.h"
#include <cmath>

using namespace mlir;
using namespace boostc;
using namespace boostc::nn;

uint64_t DropoutOp::getThreshold() {
  return static_cast<uint64_t>(
      std::llround((1.0 - getRate().convertToDouble()) * 0x1p32));
}

LogicalResult DropoutOp::verify() {
  auto type = getInput().getType(), keys = getKeys().getType();
  if (type.getRank() < 2 || keys.getRank() != 1 ||
      keys.getDimSize(0) != type.getDimSize(0))
    return emitOpError("expected an input [batch, ...] and keys [batch], "
                       "found ")
           << type << " and " << keys;
  if (type.getNumElements() / type.getDimSize(0) > UINT32_MAX)
    return emitOpError("expected fewer than 2^32 elements a sample, found ")
           << type;
  double rate = getRate().convertToDouble();
  if (!(rate >= 0.0 && rate < 1.0))
    return emitOpError("expected a rate of at least 0 and below 1, found ")
           << rate;
  return success();
}

OpFoldResult DropoutOp::fold(FoldAdaptor) {
  return getRate().isZero() ? OpFoldResult(getInput()) : OpFoldResult();
}

bool DropoutOp::isActiveOperand(unsigned index) { return index == 0; }

SmallVector<Value> DropoutOp::savedForBackward() { return {getKeys()}; }

LogicalResult DropoutOp::evaluate(ReferenceContext &,
                                  ArrayRef<ReferenceValue> operands,
                                  SmallVectorImpl<ReferenceValue> &results) {
  ReferenceValue result(operands[0].shape);
  int64_t elements = result.size() / result.dim(0);
  double kept = 1.0 - getRate().convertToDouble();
  for (int64_t i = 0; i < result.size(); ++i) {
    auto key = static_cast<uint32_t>(
        static_cast<int32_t>(operands[1].data[i / elements]));
    uint32_t bits = boost_sample_bits(key, getStream(),
                                      static_cast<uint32_t>(i % elements));
    result.data[i] = bits < getThreshold() ? operands[0].data[i] / kept : 0.0;
  }
  results.push_back(std::move(result));
  return success();
}

LogicalResult DropoutOp::buildBackward(BackwardContext &context) {
  context.gradOperands[0] =
      DropoutOp::create(context.builder, context.loc, context.gradResults[0],
                        getKeys(), getRateAttr(), getStreamAttr());
  return success();
}

static Value buildBits(OpBuilder &b, Location loc, uint32_t bits) {
  return arith::ConstantOp::create(
      b, loc, b.getI32IntegerAttr(static_cast<int32_t>(bits)));
}

/// boost_mix32().
static Value buildMix32(OpBuilder &b, Location loc, Value x) {
  auto fold = [&](uint32_t shift) {
    Value high = arith::ShRUIOp::create(b, loc, x, buildBits(b, loc, shift));
    x = arith::XOrIOp::create(b, loc, x, high);
  };
  auto multiply = [&](uint32_t factor) {
    x = arith::MulIOp::create(b, loc, x, buildBits(b, loc, factor));
  };
  fold(16);
  multiply(0x7feb352d);
  fold(15);
  multiply(0x846ca68b);
  fold(16);
  return x;
}

/// boost_sample_bits().
static Value buildSampleBits(OpBuilder &b, Location loc, Value key,
                             uint64_t stream, Value element) {
  Value mixed = buildMix32(
      b, loc,
      arith::XOrIOp::create(b, loc, element,
                            buildBits(b, loc, static_cast<uint32_t>(stream))));
  Value shifted = arith::AddIOp::create(
      b, loc, mixed, buildBits(b, loc, static_cast<uint32_t>(stream >> 32)));
  return buildMix32(b, loc, arith::XOrIOp::create(b, loc, shifted, key));
}

FailureOr<SmallVector<Value>> DropoutOp::lowerToLinalg(OpBuilder &builder) {
  RankedTensorType type = getInput().getType();
  unsigned rank = type.getRank();
  uint64_t threshold = getThreshold();
  if (threshold > UINT32_MAX) // so small a rate that every element stays
    return SmallVector<Value>{getInput()};
  double kept = 1.0 - getRate().convertToDouble();
  return SmallVector<Value>{buildElementwise(
      builder, getLoc(), type, {getInput(), getKeys()},
      {builder.getMultiDimIdentityMap(rank), projection(builder, rank, {0})},
      [&](OpBuilder &b, Location loc, ValueRange args) -> Value {
        Value element;
        for (unsigned dim = 1; dim < rank; ++dim) {
          Value at = arith::IndexCastOp::create(
              b, loc, b.getI32Type(), linalg::IndexOp::create(b, loc, dim));
          if (element)
            at = arith::AddIOp::create(
                b, loc, at,
                arith::MulIOp::create(
                    b, loc, element,
                    buildBits(b, loc,
                              static_cast<uint32_t>(type.getDimSize(dim)))));
          element = at;
        }
        Value stays = arith::CmpIOp::create(
            b, loc, arith::CmpIPredicate::ult,
            buildSampleBits(b, loc, args[1], getStream(), element),
            buildBits(b, loc, static_cast<uint32_t>(threshold)));
        Value scaled = arith::DivFOp::create(
            b, loc, args[0], buildRoundedConstant(b, loc, kept));
        return arith::SelectOp::create(b, loc, stays, scaled,
                                       buildConstant(b, loc, 0.0));
      })};
}

ErrorBounds DropoutOp::boundErrors(ReferenceContext &context,
                                   ArrayRef<Bounded> operands,
                                   ArrayRef<ReferenceValue>) {
  ReferenceValue ones(operands[0].value.shape, 1.0);
  std::vector<double> errors =
      evaluateOp(*this, context, {ones, operands[1].value});
  Approximate kept = Approximate::constant(1.0 - getRate().convertToDouble());
  for (auto [i, error] : llvm::enumerate(errors))
    if (error != 0.0) // it stays
      error = (operands[0].at(i) / kept).error;
  return {errors};
}

int64_t DropoutOp::getFlops() { return 2 * getType().getNumElements(); }

std::vector<LayerSpec> DropoutOp::getLayerSpecs() {
  LayerSpec spec{"dropout", LayerSpec::Kind::Layer,
                 "In training only: sets elements to zero with probability "
                 "`rate` and divides the others by `1 - rate`; at random for "
                 "each sample in each epoch."};
  spec.keys = {
      {"rate", KeyType::Number, "Probability of a zero.", "0.5", 0.0, 0.999}};
  spec.isRandom = true;
  return {spec};
}

FailureOr<SmallVector<Value>> DropoutOp::buildLayer(LayerBuilder &layer) {
  if (!layer.sampleKeys) // evaluation
    return SmallVector<Value>{layer.inputs[0]};
  return SmallVector<Value>{DropoutOp::create(
      layer.builder, layer.loc, layer.inputs[0], layer.sampleKeys,
      layer.builder.getF64FloatAttr(layer.getNumber("rate")),
      layer.builder.getI64IntegerAttr(static_cast<int64_t>(layer.stream)))};
}
