// ApplyPrecision.cpp - places nn.cast for mixed precision; see Passes.td.

#include "compiler/transforms/Passes.h"

namespace boostc::transforms {
#define GEN_PASS_DEF_APPLYPRECISIONPASS
#include "compiler/transforms/Passes.h.inc"
} // namespace boostc::transforms

using namespace mlir;
using namespace boostc;

static bool isFloatTensor(Value value) {
  return isa<RankedTensorType>(value.getType()) &&
         isa<FloatType>(getElementTypeOrSelf(value.getType()));
}

namespace {

/// Rewrites one function.
class PrecisionRewriter {
public:
  PrecisionRewriter(train::AmpAttr amp, func::FuncOp function)
      : amp(amp), function(function), builder(function.getContext()),
        f32(builder.getF32Type()) {}

  void run() {
    Block &block = function.getBody().front();
    for (Operation &op : llvm::make_early_inc_range(block.without_terminator()))
      if (isa_and_nonnull<nn::NnDialect>(op.getDialect()))
        rewrite(op);
    Operation *returned = block.getTerminator();
    builder.setInsertionPoint(returned);
    for (OpOperand &operand : returned->getOpOperands())
      if (isLowPrecision(operand.get().getType()))
        operand.set(getAs(operand.get(), f32));
  }

private:
  /// The type of the operands that `rule` is about, and of the first result.
  Type choose(Operation &op, PrecisionRule rule) {
    auto atLeastO2 = [&]() -> Type {
      return amp.getLevel() == train::AmpLevel::O1 ? Type(f32) : amp.getType();
    };
    switch (rule.kind) {
    case PrecisionKind::Low:
      return amp.getType();
    case PrecisionKind::Float32:
      return f32;
    case PrecisionKind::Normalize:
    case PrecisionKind::Other:
      return atLeastO2();
    case PrecisionKind::Move:
      return llvm::all_of(op.getOperands(),
                          [](Value operand) {
                            return !isFloatTensor(operand) ||
                                   isLowPrecision(operand.getType());
                          })
                 ? amp.getType()
                 : f32;
    }
    llvm_unreachable("all kinds are listed");
  }

  void rewrite(Operation &op) {
    PrecisionRule rule;
    if (auto precision = dyn_cast<PrecisionOpInterface>(op))
      rule = precision.getPrecision();
    Type chosen = choose(op, rule);
    builder.setInsertionPoint(&op);
    for (OpOperand &operand : op.getOpOperands()) {
      if (!isFloatTensor(operand.get()))
        continue;
      bool isCovered = operand.getOperandNumber() < rule.operands;
      operand.set(getAs(operand.get(), isCovered ? chosen : Type(f32)));
    }
    if (rule.kind == PrecisionKind::Normalize && chosen != f32 &&
        !amp.getKeepBatchNorm())
      roundParameters(op);
    Value result = op.getResult(0);
    if (chosen != f32 && isFloatTensor(result))
      result.setType(withElements(result.getType(), chosen));
  }

  /// Weight and bias of an op that normalises come after what it normalises.
  void roundParameters(Operation &op) {
    for (unsigned i : {1, 2})
      if (i < op.getNumOperands() && isFloatTensor(op.getOperand(i)))
        op.setOperand(i, getAs(getAs(op.getOperand(i), amp.getType()), f32));
  }

  /// `value` with elements of `element`. Later ops see the same cast.
  Value getAs(Value value, Type element) {
    if (getElementTypeOrSelf(value.getType()) == element)
      return value;
    Value &cast = casts[{value, element}];
    if (!cast)
      cast = nn::CastOp::create(builder, value.getLoc(),
                                withElements(value.getType(), element), value);
    return cast;
  }

  train::AmpAttr amp;
  func::FuncOp function;
  OpBuilder builder;
  FloatType f32;
  llvm::DenseMap<std::pair<Value, Type>, Value> casts;
};

struct ApplyPrecisionPass
    : boostc::transforms::impl::ApplyPrecisionPassBase<ApplyPrecisionPass> {
  void runOnOperation() override {
    train::ProgramOp program = getOperation();
    auto amp = program->getAttrOfType<train::AmpAttr>(train::kAmpAttrName);
    if (!amp)
      return;
    for (func::FuncOp function : program.getCallees())
      PrecisionRewriter(amp, function).run();
  }
};

} // namespace
