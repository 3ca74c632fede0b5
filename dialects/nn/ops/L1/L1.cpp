#include "dialects/nn/Losses.h"
#include "dialects/nn/NnDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include <cmath>

using namespace mlir;
using namespace boostc;
using namespace boostc::nn;

//===----------------------------------------------------------------------===//
// nn.l1
//===----------------------------------------------------------------------===//

LogicalResult L1Op::verify() {
  return verifyTargets(getLoc(), getOutputs().getType(),
                       getTargets().getType());
}

LogicalResult L1Op::evaluate(ReferenceContext &,
                             ArrayRef<ReferenceValue> operands,
                             SmallVectorImpl<ReferenceValue> &results) {
  return evaluateLoss(operands, results,
                      [](double p, double t) { return std::abs(p - t); });
}

bool L1Op::isActiveOperand(unsigned index) { return index == 0; }

SmallVector<Value> L1Op::savedForBackward() {
  return {getOutputs(), getTargets()};
}

LogicalResult L1Op::buildBackward(BackwardContext &context) {
  return buildLossBackward<L1GradOp>(*this, context);
}

FailureOr<SmallVector<Value>> L1Op::lowerToLinalg(OpBuilder &builder) {
  return lowerLoss(builder, getLoc(), getOperands(),
                   [](OpBuilder &b, Location loc, ValueRange args) -> Value {
                     return math::AbsFOp::create(
                         b, loc,
                         arith::SubFOp::create(b, loc, args[0], args[1]));
                   });
}

int64_t L1Op::getFlops() { return 2 * getOutputs().getType().getNumElements(); }

std::vector<LayerSpec> L1Op::getLayerSpecs() {
  return {{"l1", LayerSpec::Kind::Loss,
           "Mean absolute error, `|y - t|` averaged over outputs and samples; "
           "t is the target, or 1 for the labelled class, else 0."}};
}

FailureOr<SmallVector<Value>> L1Op::buildLayer(LayerBuilder &layer) {
  return buildLossLayer<L1Op>(layer);
}

//===----------------------------------------------------------------------===//
// nn.l1_grad
//===----------------------------------------------------------------------===//

LogicalResult L1GradOp::inferReturnTypes(MLIRContext *,
                                         std::optional<Location> loc,
                                         Adaptor adaptor,
                                         SmallVectorImpl<Type> &inferred) {
  if (failed(verifyTargets(loc, adaptor.getOutputs().getType(),
                           adaptor.getTargets().getType())))
    return failure();
  inferred.push_back(adaptor.getOutputs().getType());
  return success();
}

LogicalResult L1GradOp::evaluate(ReferenceContext &,
                                 ArrayRef<ReferenceValue> operands,
                                 SmallVectorImpl<ReferenceValue> &results) {
  return evaluateLossGrad(operands, results, [](double p, double t) {
    return p > t ? 1.0 : p < t ? -1.0 : 0.0;
  });
}

FailureOr<SmallVector<Value>> L1GradOp::lowerToLinalg(OpBuilder &builder) {
  return lowerLossGrad(
      builder, getLoc(), getOperands(),
      [](OpBuilder &b, Location loc, ValueRange args) -> Value {
        auto compare = [&](arith::CmpFPredicate predicate) -> Value {
          return arith::CmpFOp::create(b, loc, predicate, args[0], args[1]);
        };
        Value below = arith::SelectOp::create(
            b, loc, compare(arith::CmpFPredicate::OLT),
            buildConstant(b, loc, -1.0), buildConstant(b, loc, 0.0));
        return arith::SelectOp::create(b, loc,
                                       compare(arith::CmpFPredicate::OGT),
                                       buildConstant(b, loc, 1.0), below);
      });
}

int64_t L1GradOp::getFlops() {
  return 3 * getOutputs().getType().getNumElements();
}
