// Lowering of the commit point. First one flag that says whether the loss and
// every gradient are finite, then one pass over memory per parameter: mean,
// rule and the choice between new and current value together, in place.

#include "dialects/interfaces/LinalgHelpers.h"
#include "dialects/train/FiniteProbe.h"
#include "dialects/train/TrainDialect.h"

using namespace mlir;
using namespace boostc;
using namespace boostc::train;

/// The i32 scalar `finite`, in the memory of the one of the step before.
static Value buildFinite(OpBuilder &builder, Location loc, UpdateOp op) {
  Value check = op.getNonfiniteRanks();
  if (!check) {
    SmallVector<Value> values = {op.getLoss()};
    llvm::append_range(values, op.getGradients());
    check = buildProbeSum(builder, loc, values);
  }
  auto generic = linalg::GenericOp::create(
      builder, loc, TypeRange{op.getAfter().getType()},
      ValueRange{check, op.getCount()}, ValueRange{op.getAfter()},
      SmallVector<AffineMap>(3, builder.getMultiDimIdentityMap(0)),
      ArrayRef<utils::IteratorType>(),
      [&](OpBuilder &b, Location at, ValueRange args) {
        Value none = arith::ConstantOp::create(b, at, b.getI64IntegerAttr(0));
        Value no = arith::ConstantOp::create(b, at, b.getI32IntegerAttr(0));
        Value isFinite =
            op.getNonfiniteRanks()
                ? arith::CmpIOp::create(b, at, arith::CmpIPredicate::eq,
                                        args[0], none)
                      .getResult()
                : arith::CmpFOp::create(b, at, arith::CmpFPredicate::OEQ,
                                        args[0], buildConstant(b, at, 0.0));
        Value hasSamples = arith::CmpIOp::create(
            b, at, arith::CmpIPredicate::sgt, args[1], none);
        Value wasFinite =
            arith::CmpIOp::create(b, at, arith::CmpIPredicate::ne, args[2], no);
        Value all = arith::AndIOp::create(b, at, isFinite, hasSamples);
        all = arith::AndIOp::create(b, at, all, wasFinite);
        Value flag = arith::ExtUIOp::create(b, at, b.getI32Type(), all);
        linalg::YieldOp::create(b, at, flag);
      });
  return generic.getResult(0);
}

namespace {

/// Lowers the region of one train.update.
class UpdateLowering {
public:
  UpdateLowering(OpBuilder &builder, UpdateOp update, Value finite)
      : b(builder), update(update), block(&update.getBody().front()),
        finite(finite) {}

  LogicalResult lower(Operation *op) {
    if (isa<GradientTransformOpInterface>(op))
      return success(); // part of the rules that read its result
    if (isa<ScalarUpdateOpInterface>(op)) {
      SmallVector<Value> committed = lowerRule(op);
      for (auto [result, value] : llvm::zip(op->getResults(), committed))
        results.map(result, value);
      return success();
    }
    return lowerScalar(op);
  }

  Value lookup(Value value) const { return results.lookupOrDefault(value); }

private:
  /// How a gradient comes about: of a sum, by `transforms`, the first first.
  struct Gradient {
    Value sum; ///< of the samples' gradients, or a tensor from outside
    bool isMean;
    SmallVector<Operation *> transforms;
  };

  Gradient trace(Value value) {
    Gradient gradient;
    while (auto op = value.getDefiningOp<GradientTransformOpInterface>()) {
      gradient.transforms.insert(gradient.transforms.begin(), op);
      value = op->getOperand(0);
    }
    auto argument = dyn_cast<BlockArgument>(value);
    gradient.isMean = argument && argument.getOwner() == block;
    gradient.sum = gradient.isMean
                       ? update.getGradients()[argument.getArgNumber()]
                       : value;
    return gradient;
  }

  /// Operands that the elements of `gradient` need: sum, count and the scalars
  /// of its transforms.
  void addOperands(const Gradient &gradient, unsigned rank,
                   SmallVectorImpl<Value> &inputs,
                   SmallVectorImpl<AffineMap> &maps) {
    inputs.append({gradient.sum, update.getDivisorOrCount()});
    maps.append({b.getMultiDimIdentityMap(rank), projection(b, rank, {})});
    for (Operation *transform : gradient.transforms)
      for (Value control : transform->getOperands().drop_front()) {
        inputs.push_back(lookup(control));
        maps.push_back(projection(b, rank, {}));
      }
  }

  /// The element of `gradient` from those of its operands.
  Value buildElement(OpBuilder &nested, Location loc, const Gradient &gradient,
                     ValueRange args) {
    Value element = args[0];
    if (gradient.isMean) {
      Value divisor = args[1];
      // The count is known: nothing is committed where it is 0.
      if (update.getDivisor())
        divisor = arith::MaxSIOp::create(
            nested, loc, divisor,
            arith::ConstantOp::create(nested, loc,
                                      nested.getI64IntegerAttr(1)));
      Value count =
          arith::SIToFPOp::create(nested, loc, element.getType(), divisor);
      element = arith::DivFOp::create(nested, loc, element, count);
    }
    args = args.drop_front(2);
    for (Operation *transform : gradient.transforms) {
      unsigned controls = transform->getNumOperands() - 1;
      SmallVector<Value> operands = {element};
      llvm::append_range(operands, args.take_front(controls));
      args = args.drop_front(controls);
      element =
          cast<GradientTransformOpInterface>(transform).buildScalarTransform(
              nested, operands);
    }
    return element;
  }

  /// A scalar made of tensors, gradients among them.
  LogicalResult lowerScalar(Operation *op) {
    IRMapping operands;
    for (Value operand : op->getOperands())
      operands.map(operand, materialize(operand));
    Operation *clone = b.clone(*op, operands);
    auto lowering = dyn_cast<LowerToLinalgOpInterface>(clone);
    if (!lowering) { // a constant
      results.map(op->getResults(), clone->getResults());
      return success();
    }
    FailureOr<SmallVector<Value>> lowered = lowering.lowerToLinalg(b);
    if (failed(lowered))
      return failure();
    results.map(op->getResults(), *lowered);
    clone->erase();
    return success();
  }

  Value materialize(Value value) {
    auto type = cast<RankedTensorType>(value.getType());
    Gradient gradient = trace(value);
    if (!gradient.isMean && gradient.transforms.empty())
      return lookup(value);
    SmallVector<Value> inputs;
    SmallVector<AffineMap> maps;
    addOperands(gradient, type.getRank(), inputs, maps);
    return buildElementwise(
        b, update.getLoc(), type, inputs, maps,
        [&](OpBuilder &nested, Location loc, ValueRange args) -> Value {
          return buildElement(nested, loc, gradient, args);
        });
  }

  /// One rule as one pass; returns its results, committed.
  SmallVector<Value> lowerRule(Operation *rule) {
    Location loc = rule->getLoc();
    unsigned rank =
        cast<RankedTensorType>(rule->getResult(0).getType()).getRank();
    auto scalarRule = cast<ScalarUpdateOpInterface>(rule);
    unsigned controls = scalarRule.getNumControls();
    AffineMap scalar = projection(b, rank, {});
    AffineMap identity = b.getMultiDimIdentityMap(rank);

    Gradient gradient = trace(rule->getOperand(1));
    SmallVector<Value> inputs = {finite};
    SmallVector<AffineMap> maps = {scalar};
    addOperands(gradient, rank, inputs, maps);
    unsigned firstControl = inputs.size();
    for (Value control : rule->getOperands().slice(2, controls)) {
      inputs.push_back(lookup(control));
      maps.push_back(scalar);
    }
    // Outputs are the tensors the rule replaces: the parameter, then the state.
    // A delta is not a parameter: it is written over the gradient, which
    // nothing needs any more.
    bool isChange = update.getDeltas();
    if (isChange) {
      inputs.push_back(rule->getOperand(0));
      maps.push_back(identity);
    }
    SmallVector<Value> outputs = {isChange ? gradient.sum
                                           : rule->getOperand(0)};
    llvm::append_range(outputs, rule->getOperands().drop_front(2 + controls));
    maps.append(outputs.size(), identity);

    auto generic = linalg::GenericOp::create(
        b, loc, ValueRange(outputs).getTypes(), inputs, outputs, maps,
        SmallVector<utils::IteratorType>(rank, utils::IteratorType::parallel),
        [&](OpBuilder &nested, Location at, ValueRange args) {
          SmallVector<Value> old(args.drop_front(inputs.size()));
          if (isChange)
            old[0] = args[inputs.size() - 1];
          SmallVector<Value> operands = {
              old[0], buildElement(nested, at, gradient,
                                   args.slice(1, firstControl - 1))};
          llvm::append_range(operands, args.slice(firstControl, controls));
          llvm::append_range(operands, ArrayRef(old).drop_front());
          SmallVector<Value> changed =
              scalarRule.buildScalarRule(nested, operands);
          Value zero = arith::ConstantOp::create(nested, at,
                                                 nested.getI32IntegerAttr(0));
          Value commits = arith::CmpIOp::create(
              nested, at, arith::CmpIPredicate::ne, args[0], zero);
          if (isChange) {
            changed[0] = arith::SubFOp::create(nested, at, changed[0], old[0]);
            old[0] = buildConstant(nested, at, 0.0);
          }
          for (auto [value, current] : llvm::zip(changed, old))
            value =
                arith::SelectOp::create(nested, at, commits, value, current);
          linalg::YieldOp::create(nested, at, changed);
        });
    return SmallVector<Value>(generic.getResults());
  }

  OpBuilder &b;
  UpdateOp update;
  Block *block;
  Value finite;
  IRMapping results;
};

} // namespace

FailureOr<SmallVector<Value>> UpdateOp::lowerToLinalg(OpBuilder &builder) {
  Block &block = getBody().front();
  for (Operation &op : block.without_terminator())
    for (Value operand : op.getOperands())
      if (operand.getDefiningOp<ScalarUpdateOpInterface>() &&
          operand.getDefiningOp()->getBlock() == &block)
        return op.emitOpError(
            "reads the result of another rule; chained rules have no "
            "lowering yet");
  Value finite = buildFinite(builder, getLoc(), *this);
  UpdateLowering lowering(builder, *this, finite);
  for (Operation &op : block.without_terminator())
    if (failed(lowering.lower(&op)))
      return failure();
  SmallVector<Value> results;
  for (Value value : block.getTerminator()->getOperands())
    results.push_back(lowering.lookup(value));
  results.insert(results.begin() + getCurrent().size(), finite);
  return results;
}
