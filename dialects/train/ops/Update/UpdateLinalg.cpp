// Lowering of the commit point. First one flag that says whether the loss and
// every gradient are finite, then one pass over memory per parameter: mean,
// rule and the choice between new and current value together, in place.

#include "dialects/interfaces/LinalgHelpers.h"
#include "dialects/train/TrainDialect.h"

using namespace mlir;
using namespace boostc;
using namespace boostc::train;

/// x * 0: zero for a finite x, NaN otherwise; sums of it stay zero or become
/// NaN.
static Value buildProbe(OpBuilder &b, Location loc, Value x) {
  return arith::MulFOp::create(b, loc, x, buildFloat(b, loc, 0.0));
}

/// Adds the probes of all elements of `value` to the scalar `total`. Rows
/// first: they are independent, so that the pass over a large tensor runs on
/// all threads.
static Value probe(OpBuilder &builder, Location loc, Value value, Value total) {
  auto type = cast<RankedTensorType>(value.getType());
  unsigned rank = type.getRank();
  bool isProbed = false;
  if (rank >= 2) {
    auto rows =
        RankedTensorType::get({type.getDimSize(0)}, type.getElementType());
    value = buildReduction(
        builder, loc, rows, builder.getF32FloatAttr(0.0), rank, {0}, value,
        builder.getMultiDimIdentityMap(rank),
        [](OpBuilder &b, Location nested, ValueRange args) -> Value {
          return buildSumStep(b, nested, args[1],
                              buildProbe(b, nested, args[0]));
        });
    isProbed = true;
    rank = 1;
  }
  SmallVector<utils::IteratorType> iterators(rank,
                                             utils::IteratorType::reduction);
  SmallVector<AffineMap> maps = {builder.getMultiDimIdentityMap(rank),
                                 projection(builder, rank, {})};
  auto generic = linalg::GenericOp::create(
      builder, loc, TypeRange{total.getType()}, ValueRange{value},
      ValueRange{total}, maps, iterators,
      [&](OpBuilder &b, Location nested, ValueRange args) {
        Value term = isProbed ? args[0] : buildProbe(b, nested, args[0]);
        linalg::YieldOp::create(b, nested,
                                buildSumStep(b, nested, args[1], term));
      });
  return generic.getResult(0);
}

/// The i32 scalar `finite`.
static Value buildFinite(OpBuilder &builder, Location loc, UpdateOp op) {
  auto scalar = RankedTensorType::get({}, builder.getF32Type());
  Value empty = tensor::EmptyOp::create(builder, loc, ArrayRef<int64_t>{},
                                        builder.getF32Type());
  Value total =
      linalg::FillOp::create(builder, loc, buildFloat(builder, loc, 0.0), empty)
          .getResult(0);
  assert(total.getType() == scalar && "probes add up in a scalar");
  (void)scalar;
  total = probe(builder, loc, op.getLoss(), total);
  for (Value gradient : op.getGradients())
    total = probe(builder, loc, gradient, total);
  return buildElementwise(
      builder, loc, RankedTensorType::get({}, builder.getI32Type()),
      {total, op.getCount()},
      [](OpBuilder &b, Location nested, ValueRange args) -> Value {
        Value isFinite =
            arith::CmpFOp::create(b, nested, arith::CmpFPredicate::OEQ, args[0],
                                  buildFloat(b, nested, 0.0));
        Value none =
            arith::ConstantOp::create(b, nested, b.getI64IntegerAttr(0));
        Value hasSamples = arith::CmpIOp::create(
            b, nested, arith::CmpIPredicate::sgt, args[1], none);
        Value both = arith::AndIOp::create(b, nested, isFinite, hasSamples);
        return arith::ExtUIOp::create(b, nested, b.getI32Type(), both);
      });
}

namespace {
/// What one operand of a rule is, outside the region.
struct RuleOperand {
  Value value; ///< the tensor
  bool isMean; ///< a block argument: `value` is the gradient's sum
};
} // namespace

/// One rule as one pass; returns its results, committed.
static SmallVector<Value> lowerRule(OpBuilder &builder, UpdateOp update,
                                    Operation *rule, Value finite) {
  Location loc = rule->getLoc();
  Block *body = rule->getBlock();
  auto type = cast<RankedTensorType>(rule->getResult(0).getType());
  unsigned rank = type.getRank();
  auto scalarRule = cast<ScalarUpdateOpInterface>(rule);
  unsigned controls = scalarRule.getNumControls();

  // Outputs are the tensors the rule replaces: the parameter, then the state.
  SmallVector<Value> inputs = {finite, update.getCount()}, outputs;
  AffineMap scalarMap = projection(builder, rank, {});
  AffineMap identity = builder.getMultiDimIdentityMap(rank);
  SmallVector<AffineMap> maps = {scalarMap, scalarMap};
  auto argument = dyn_cast<BlockArgument>(rule->getOperand(1));
  bool isMean = argument && argument.getOwner() == body;
  inputs.push_back(isMean ? update.getGradients()[argument.getArgNumber()]
                          : rule->getOperand(1));
  maps.push_back(identity);
  for (unsigned i = 0; i < controls; ++i) {
    inputs.push_back(rule->getOperand(2 + i));
    maps.push_back(scalarMap);
  }
  outputs.push_back(rule->getOperand(0));
  for (Value state : rule->getOperands().drop_front(2 + controls))
    outputs.push_back(state);
  maps.append(outputs.size(), identity);

  auto generic = linalg::GenericOp::create(
      builder, loc, ValueRange(outputs).getTypes(), inputs, outputs, maps,
      SmallVector<utils::IteratorType>(rank, utils::IteratorType::parallel),
      [&](OpBuilder &b, Location nested, ValueRange args) {
        Value gradient = args[2];
        if (isMean) {
          Value count =
              arith::SIToFPOp::create(b, nested, gradient.getType(), args[1]);
          gradient = arith::DivFOp::create(b, nested, gradient, count);
        }
        ValueRange old = args.drop_front(inputs.size());
        SmallVector<Value> operands = {old[0], gradient};
        llvm::append_range(operands, args.slice(3, controls));
        llvm::append_range(operands, old.drop_front());
        SmallVector<Value> results = scalarRule.buildScalarRule(b, operands);
        Value zero =
            arith::ConstantOp::create(b, nested, b.getI32IntegerAttr(0));
        Value commits = arith::CmpIOp::create(
            b, nested, arith::CmpIPredicate::ne, args[0], zero);
        for (auto [result, current] : llvm::zip(results, old))
          result = arith::SelectOp::create(b, nested, commits, result, current);
        linalg::YieldOp::create(b, nested, results);
      });
  return SmallVector<Value>(generic.getResults());
}

FailureOr<SmallVector<Value>> UpdateOp::lowerToLinalg(OpBuilder &builder) {
  Block &block = getBody().front();
  for (Operation &op : block.without_terminator())
    for (Value operand : op.getOperands())
      if (operand.getDefiningOp() &&
          operand.getDefiningOp()->getBlock() == &block)
        return op.emitOpError(
            "reads the result of another rule; chained rules have no "
            "lowering yet");
  Value finite = buildFinite(builder, getLoc(), *this);
  IRMapping committed;
  for (Operation &op : block.without_terminator())
    committed.map(op.getResults(), lowerRule(builder, *this, &op, finite));
  SmallVector<Value> results;
  for (Value value : block.getTerminator()->getOperands())
    results.push_back(committed.lookupOrDefault(value));
  results.push_back(finite);
  return results;
}
