#include "dialects/interfaces/LinalgHelpers.h"
#include "dialects/nn/Losses.h"
#include "dialects/nn/NnDialect.h"

using namespace mlir;
using namespace boostc;
using namespace boostc::nn;

//===----------------------------------------------------------------------===//
// nn.cross_entropy
//===----------------------------------------------------------------------===//

LogicalResult CrossEntropyOp::verify() {
  RankedTensorType type = getLogarithms().getType();
  if (failed(verifyTargets(getLoc(), type, getTargets().getType())))
    return failure();
  return verifyWeights(getLoc(), type.getShape().drop_back(), getWeights());
}

ScalarRule CrossEntropyOp::getScalarRule() {
  return {.flops = 3,
          .build = [](Scalars x) { return -x[1] * x[0]; },
          .evaluate = [](Numbers x) { return -x[1] * x[0]; },
          .bound = [](Approximates x) { return -x[1] * x[0]; }};
}

LogicalResult
CrossEntropyOp::evaluate(ReferenceContext &, ArrayRef<ReferenceValue> operands,
                         SmallVectorImpl<ReferenceValue> &results) {
  return evaluateLoss(getScalarRule(), SampleLoss::Sum, operands, results);
}

ErrorBounds CrossEntropyOp::boundErrors(ReferenceContext &,
                                        ArrayRef<Bounded> operands,
                                        ArrayRef<ReferenceValue>) {
  return boundLoss(getScalarRule(), SampleLoss::Sum, operands);
}

bool CrossEntropyOp::isActiveOperand(unsigned index) { return index == 0; }

SmallVector<Value> CrossEntropyOp::savedForBackward() {
  SmallVector<Value> saved = {getTargets()};
  if (getWeights())
    saved.push_back(getWeights());
  return saved;
}

LogicalResult CrossEntropyOp::buildBackward(BackwardContext &context) {
  // Nothing differentiable flows through the count.
  if (!context.gradResults[0] || !context.needed[0])
    return success();
  context.gradOperands[0] = CrossEntropyGradOp::create(
      context.builder, context.loc, context.gradResults[0], getTargets(),
      context.valid, getWeights());
  return success();
}

FailureOr<SmallVector<Value>>
CrossEntropyOp::lowerToLinalg(OpBuilder &builder) {
  return lowerLoss(getScalarRule(), SampleLoss::Sum, builder, getLoc(),
                   getOperands());
}

int64_t CrossEntropyOp::getFlops() {
  return getScalarRule().flops * getLogarithms().getType().getNumElements();
}

//===----------------------------------------------------------------------===//
// nn.cross_entropy_grad
//===----------------------------------------------------------------------===//

LogicalResult
CrossEntropyGradOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc,
                                     Adaptor adaptor,
                                     SmallVectorImpl<Type> &inferred) {
  auto targets = cast<RankedTensorType>(adaptor.getTargets().getType());
  if (failed(verifyTargets(loc, targets, targets)) ||
      failed(verifyWeights(loc, targets.getShape().drop_back(),
                           adaptor.getWeights())))
    return failure();
  inferred.push_back(targets);
  return success();
}

LogicalResult
CrossEntropyGradOp::evaluate(ReferenceContext &,
                             ArrayRef<ReferenceValue> operands,
                             SmallVectorImpl<ReferenceValue> &results) {
  const ReferenceValue &targets = operands[1];
  auto valid = static_cast<int64_t>(operands[2].item());
  ReferenceValue result(targets.shape);
  int64_t classes = targets.shape.back();
  for (int64_t i = 0; i < valid * (targets.size() / targets.dim(0)); ++i) {
    double weight = getWeights() ? operands[3].data[i / classes] : 1.0;
    result.data[i] = -(operands[0].item() * weight) * targets.data[i];
  }
  results.push_back(std::move(result));
  return success();
}

FailureOr<SmallVector<Value>>
CrossEntropyGradOp::lowerToLinalg(OpBuilder &builder) {
  RankedTensorType type = getTargets().getType();
  AffineMap all = builder.getMultiDimIdentityMap(type.getRank());
  AffineMap scalar = projection(builder, type.getRank(), {});
  SmallVector<AffineMap> maps = {scalar, all, scalar};
  if (getWeights())
    maps.push_back(projection(
        builder, type.getRank(),
        llvm::to_vector(llvm::seq<unsigned>(0, type.getRank() - 1))));
  return SmallVector<Value>{buildElementwise(
      builder, getLoc(), type, getOperands(), maps,
      [isWeighted = getWeights() != nullptr](OpBuilder &b, Location loc,
                                             ValueRange args) -> Value {
        Value dsum = args[0];
        if (isWeighted)
          dsum = arith::MulFOp::create(b, loc, dsum, args[3]);
        Value share = arith::MulFOp::create(
            b, loc, arith::NegFOp::create(b, loc, dsum), args[1]);
        return arith::SelectOp::create(b, loc, buildIsValid(b, loc, 0, args[2]),
                                       share, buildConstant(b, loc, 0.0));
      })};
}

ErrorBounds CrossEntropyGradOp::boundErrors(ReferenceContext &,
                                            ArrayRef<Bounded> operands,
                                            ArrayRef<ReferenceValue>) {
  const Bounded &targets = operands[1];
  auto valid = static_cast<int64_t>(operands[2].value.item());
  int64_t elements = targets.value.size() / targets.value.dim(0);
  std::vector<double> errors(targets.value.size(), 0.0);
  int64_t classes = targets.value.shape.back();
  for (int64_t i = 0; i < valid * elements; ++i) {
    Approximate dsum = operands[0].at(0);
    if (getWeights())
      dsum = dsum * operands[3].at(i / classes);
    errors[i] = (dsum * targets.at(i)).error;
  }
  return {errors};
}

int64_t CrossEntropyGradOp::getFlops() {
  return 2 * getTargets().getType().getNumElements();
}
