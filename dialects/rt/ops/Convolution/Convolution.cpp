#include "dialects/rt/RtDialect.h"

using namespace mlir;
using namespace boostc;
using namespace boostc::rt;

static ShapedType shapedType(Value value) {
  return cast<ShapedType>(value.getType());
}

OpOperand &ConvolutionOp::getInputMutable() {
  switch (getKind()) {
  case ConvolutionKind::Forward:
    return getAMutable();
  case ConvolutionKind::BackwardData:
    return getCMutable();
  case ConvolutionKind::BackwardWeight:
    return getBMutable();
  }
  llvm_unreachable("all kinds are listed");
}

OpOperand &ConvolutionOp::getWeightMutable() {
  return getKind() == ConvolutionKind::BackwardWeight ? getCMutable()
                                                      : getBMutable();
}

OpOperand &ConvolutionOp::getOutputMutable() {
  return getKind() == ConvolutionKind::Forward ? getCMutable() : getAMutable();
}

ConvolutionGeometry ConvolutionOp::getGeometry() {
  return ConvolutionGeometry::get(getStrides(), getPadding(), getDilations(),
                                  getGroups());
}

LogicalResult ConvolutionOp::verify() {
  ShapedType input = shapedType(getInput()), weight = shapedType(getWeight()),
             output = shapedType(getOutput()), c = shapedType(getC());
  if (!input.hasStaticShape() || !weight.hasStaticShape() ||
      !output.hasStaticShape())
    return emitOpError("expected static shapes, found ")
           << input << ", " << weight << ", " << output;
  bool onTensors = isa<RankedTensorType>(c);
  for (Value operand : {getA(), getB(), getBias()})
    if (operand && isa<RankedTensorType>(operand.getType()) != onTensors)
      return emitOpError("expected operands all tensors or all memrefs");
  if (getResults().size() != (onTensors ? 1 : 0))
    return emitOpError(
               "expected one result on tensors and none on memrefs, found ")
           << getResults().size();
  if (onTensors && getResults().getTypes().front() != c)
    return emitOpError("expected the result to have the type of the output, ")
           << c << ", found " << getResults().getTypes().front();
  FailureOr<SmallVector<int64_t>> expected = verifyConvolution(
      [&] { return emitOpError(); }, input, weight, getStrides(), getPadding(),
      getDilations(), getGroups());
  if (failed(expected))
    return failure();
  if (output.getShape() != ArrayRef<int64_t>(*expected))
    return emitOpError("expected an output of shape [")
           << *expected << "], found " << output;
  if (!getBias())
    return success();
  if (getKind() != ConvolutionKind::Forward)
    return emitOpError("has a bias, which only 'forward' adds");
  if (shapedType(getBias()).getRank() != 1 ||
      shapedType(getBias()).getDimSize(0) != weight.getDimSize(0))
    return emitOpError("expected a bias of ")
           << weight.getDimSize(0) << " elements, found "
           << getBias().getType();
  return success();
}

void ConvolutionOp::getEffects(
    SmallVectorImpl<MemoryEffects::EffectInstance> &effects) {
  addEffects(*this, {getScratch(), getPartials()}, effects);
}

int64_t ConvolutionOp::getFlops() {
  return 2 * getMatmulShape().countMultiplyAdds();
}

/// All three forms are matmuls of what the groups have: pixels of the output,
/// filters, and taps of the channels that a filter sees.
MatmulShape ConvolutionOp::getMatmulShape() {
  ShapedType weight = shapedType(getWeight()), output = shapedType(getOutput());
  auto groups = static_cast<int64_t>(getGroups());
  return {output.getNumElements() / output.getDimSize(1),
          weight.getDimSize(0) / groups,
          weight.getNumElements() / weight.getDimSize(0), groups};
}

/// cuDNN's kernels of f32 read row-major tensors as they lie.
bool ConvolutionOp::isLegalOn(BoostTargetKind target) {
  return target == BOOSTC_TARGET_CUDA &&
         llvm::all_of(getOperation()->getOperandTypes(), [](Type type) {
           return cast<MemRefType>(type).getLayout().isIdentity();
         });
}

/// cuDNN 9.19 proposes tensor cores for 16-bit factors only where the result is
/// of 16 bits, too, whatever the layouts.
bool ConvolutionOp::canWidenResult() { return false; }

/// Tensor cores read the channels of a pixel together, and cuDNN turns
/// row-major tensors round for them.
bool ConvolutionOp::reordersForTensorCores() { return true; }

void ConvolutionOp::describeCall(BoostLibraryCall &call) {
  auto describe = [](int64_t (&extents)[4], int64_t (&strides)[4],
                     Value tensor) {
    auto type = cast<MemRefType>(tensor.getType());
    llvm::copy(type.getShape(), extents);
    llvm::copy(type.getStridesAndOffset().first, strides);
  };
  switch (getKind()) {
  case ConvolutionKind::Forward:
    call.kind = BOOSTC_LIBRARY_CONVOLUTION;
    break;
  case ConvolutionKind::BackwardData:
    call.kind = BOOSTC_LIBRARY_CONVOLUTION_BACKWARD_DATA;
    break;
  case ConvolutionKind::BackwardWeight:
    call.kind = BOOSTC_LIBRARY_CONVOLUTION_BACKWARD_WEIGHT;
    break;
  }
  BoostConvolution &described = call.convolution;
  describe(described.input, described.input_strides, getInput());
  describe(described.weight, described.weight_strides, getWeight());
  describe(described.output, described.output_strides, getOutput());
  llvm::copy(getStrides(), described.strides);
  llvm::copy(getPadding(), described.padding);
  llvm::copy(getDilations(), described.dilations);
  described.has_bias = getBias() ? 1 : 0;
  describeContractionTypes(*this, call);
}

LogicalResult
ConvolutionOp::evaluate(ReferenceContext &, ArrayRef<ReferenceValue> operands,
                        SmallVectorImpl<ReferenceValue> &results) {
  ReferenceValue c(shapedType(getC()).getShape());
  const std::vector<double> &a = operands[0].data, &b = operands[1].data;
  int64_t pixels = c.rank() == 4 ? c.dim(2) * c.dim(3) : 1;
  if (getBias())
    for (int64_t i = 0; i < c.size(); ++i)
      c.data[i] = operands[2].data[i / pixels % c.dim(1)];
  auto forEachTerm = [&](auto &&term) {
    forEachConvolutionTerm(getGeometry(), shapedType(getInput()).getShape(),
                           shapedType(getWeight()).getShape(),
                           shapedType(getOutput()).getShape(), term);
  };
  switch (getKind()) {
  case ConvolutionKind::Forward:
    forEachTerm(
        [&](int64_t x, int64_t w, int64_t y) { c.data[y] += a[x] * b[w]; });
    break;
  case ConvolutionKind::BackwardData:
    forEachTerm(
        [&](int64_t x, int64_t w, int64_t y) { c.data[x] += a[y] * b[w]; });
    break;
  case ConvolutionKind::BackwardWeight:
    forEachTerm(
        [&](int64_t x, int64_t w, int64_t y) { c.data[w] += a[y] * b[x]; });
    break;
  }
  results.push_back(std::move(c));
  return success();
}
