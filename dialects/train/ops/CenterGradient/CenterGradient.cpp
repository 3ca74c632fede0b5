// Gradient centralisation: the mean of each output's part, and its removal.

#include "dialects/interfaces/Approximate.h"
#include "dialects/interfaces/LinalgHelpers.h"
#include "dialects/train/TrainDialect.h"

using namespace mlir;
using namespace boostc;
using namespace boostc::train;

//===----------------------------------------------------------------------===//
// train.filter_means
//===----------------------------------------------------------------------===//

LogicalResult FilterMeansOp::inferReturnTypes(MLIRContext *,
                                              std::optional<Location> loc,
                                              Adaptor adaptor,
                                              SmallVectorImpl<Type> &inferred) {
  auto type = cast<RankedTensorType>(adaptor.getGradient().getType());
  if (type.getRank() < 2)
    return emitOptionalError(
        loc, "expected a gradient of rank 2 or more, found ", type);
  inferred.push_back(
      RankedTensorType::get({type.getDimSize(0)}, type.getElementType()));
  return success();
}

LogicalResult
FilterMeansOp::evaluate(ReferenceContext &, ArrayRef<ReferenceValue> operands,
                        SmallVectorImpl<ReferenceValue> &results) {
  const ReferenceValue &g = operands[0];
  ReferenceValue means({g.dim(0)});
  int64_t size = g.size() / g.dim(0);
  for (int64_t i = 0; i < g.size(); ++i)
    means.data[i / size] += g.data[i] / static_cast<double>(size);
  results.push_back(std::move(means));
  return success();
}

ErrorBounds FilterMeansOp::boundErrors(ReferenceContext &,
                                       ArrayRef<Bounded> operands,
                                       ArrayRef<ReferenceValue>) {
  const ReferenceValue &g = operands[0].value;
  int64_t size = g.size() / g.dim(0);
  std::vector<ApproximateSum> sums(g.dim(0));
  for (int64_t i = 0; i < g.size(); ++i)
    sums[i / size].add(operands[0].at(i));
  std::vector<double> errors;
  for (const ApproximateSum &sum : sums)
    errors.push_back(
        (sum.get() / Approximate::constant(static_cast<double>(size))).error);
  return {errors};
}

FailureOr<SmallVector<Value>> FilterMeansOp::lowerToLinalg(OpBuilder &builder) {
  auto type = cast<RankedTensorType>(getGradient().getType());
  auto result = cast<RankedTensorType>(getType());
  unsigned rank = type.getRank();
  Value sums = buildSum(
      builder, getLoc(), result, rank, {0}, getGradient(),
      builder.getMultiDimIdentityMap(rank),
      [](OpBuilder &, Location, ValueRange args) -> Value { return args[0]; });
  double size = static_cast<double>(type.getNumElements() / type.getDimSize(0));
  return SmallVector<Value>{buildElementwise(
      builder, getLoc(), result, sums,
      [&](OpBuilder &b, Location loc, ValueRange args) -> Value {
        return arith::DivFOp::create(b, loc, args[0],
                                     buildRoundedConstant(b, loc, size));
      })};
}

//===----------------------------------------------------------------------===//
// train.center_gradient
//===----------------------------------------------------------------------===//

LogicalResult CenterGradientOp::verify() {
  auto type = cast<RankedTensorType>(getGradient().getType());
  auto means = cast<RankedTensorType>(getMeans().getType());
  if (type.getRank() >= 1 && type.getDimSize(0) == means.getDimSize(0))
    return success();
  return emitOpError("expected a mean for each index of dimension 0 of ")
         << type << ", found " << means;
}

LogicalResult
CenterGradientOp::evaluate(ReferenceContext &,
                           ArrayRef<ReferenceValue> operands,
                           SmallVectorImpl<ReferenceValue> &results) {
  ReferenceValue result = operands[0];
  int64_t size = result.size() / result.dim(0);
  for (int64_t i = 0; i < result.size(); ++i)
    result.data[i] -= operands[1].data[i / size];
  results.push_back(std::move(result));
  return success();
}

ErrorBounds CenterGradientOp::boundErrors(ReferenceContext &,
                                          ArrayRef<Bounded> operands,
                                          ArrayRef<ReferenceValue>) {
  std::vector<double> errors;
  const ReferenceValue &g = operands[0].value;
  int64_t size = g.size() / g.dim(0);
  for (int64_t i = 0; i < g.size(); ++i)
    errors.push_back((operands[0].at(i) - operands[1].at(i / size)).error);
  return {errors};
}

Value CenterGradientOp::buildScalarTransform(OpBuilder &builder,
                                             ValueRange operands) {
  return arith::SubFOp::create(builder, getLoc(), operands[0], operands[1]);
}
