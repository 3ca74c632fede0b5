// LinalgModels.cpp - evaluates any linalg op on tensors from its iterators,
// maps and region. The region becomes a list of steps over numbered registers,
// once per op, so that an element costs arithmetic and no look-ups of values.

#include "compiler/reference/LinalgModels.h"
#include "compiler/reference/Constants.h"
#include "compiler/reference/ScalarTable.h"
#include "mlir/Analysis/FlatLinearValueConstraints.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

using namespace mlir;
using namespace boostc;

namespace {

/// The body of a linalg op. Registers: the block's arguments, then everything
/// else it computes or uses.
class ScalarProgram {
public:
  /// Fails with a diagnostic at an op of the body that has no scalar form.
  static FailureOr<ScalarProgram> compile(Block &body,
                                          const ReferenceContext &context);

  /// One element: sets the registers of `indices` and runs all steps.
  void run(ArrayRef<int64_t> indices);

  double &argument(unsigned i) { return registers[i]; }
  double yielded(unsigned i) const { return registers[results[i]]; }

private:
  struct IndexStep {
    unsigned loop, result;
  };
  struct Step {
    ScalarFunction function;
    SmallVector<unsigned, 3> operands;
    unsigned result;
  };

  LogicalResult add(Operation &op);
  unsigned getRegister(Value value, const ReferenceContext &context);
  unsigned addRegister(Value value, double initial = 0.0);

  DenseMap<Value, unsigned> numbers;
  std::vector<double> registers;
  std::vector<IndexStep> indexSteps;
  std::vector<Step> steps;
  SmallVector<unsigned> results;
  SmallVector<double> scratch; ///< operands of the step at hand
};

/// The offset of an operand's element, as a function of the loops.
class Access {
public:
  Access(AffineMap map, ArrayRef<int64_t> shape);

  int64_t getOffset(ArrayRef<int64_t> indices) const;

private:
  /// An index that is not a linear function of the loops is computed from the
  /// map.
  struct Nonlinear {
    AffineExpr expr;
    int64_t stride;
  };
  static int64_t evaluate(AffineExpr expr, ArrayRef<int64_t> indices);

  int64_t constant = 0;
  SmallVector<int64_t> strides; ///< per loop
  SmallVector<Nonlinear> rest;
};

} // namespace

unsigned ScalarProgram::addRegister(Value value, double initial) {
  numbers[value] = registers.size();
  registers.push_back(initial);
  return registers.size() - 1;
}

/// The value of an operand; one from outside the region is a constant of the
/// loops.
unsigned ScalarProgram::getRegister(Value value,
                                    const ReferenceContext &context) {
  auto known = numbers.find(value);
  if (known != numbers.end())
    return known->second;
  return addRegister(value, context.lookup(value).item());
}

FailureOr<ScalarProgram>
ScalarProgram::compile(Block &body, const ReferenceContext &context) {
  ScalarProgram program;
  for (BlockArgument argument : body.getArguments())
    program.addRegister(argument);
  for (Operation &op : body.without_terminator()) {
    if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
      program.addRegister(constant, getConstant(constant.getValue())->item());
      continue;
    }
    if (auto index = dyn_cast<linalg::IndexOp>(op)) {
      unsigned loop = index.getDim();
      program.indexSteps.push_back({loop, program.addRegister(index)});
      continue;
    }
    Step step;
    step.function = ScalarTable::get().find(&op);
    if (!step.function)
      return op.emitOpError(
          "cannot be interpreted inside a linalg op: it has no scalar "
          "form");
    for (Value operand : op.getOperands())
      step.operands.push_back(program.getRegister(operand, context));
    step.result = program.addRegister(op.getResult(0));
    if (program.scratch.size() < step.operands.size())
      program.scratch.resize(step.operands.size());
    program.steps.push_back(std::move(step));
  }
  for (Value value : body.getTerminator()->getOperands())
    program.results.push_back(program.getRegister(value, context));
  return program;
}

void ScalarProgram::run(ArrayRef<int64_t> indices) {
  for (const IndexStep &step : indexSteps)
    registers[step.result] = static_cast<double>(indices[step.loop]);
  for (const Step &step : steps) {
    for (auto [number, operand] : llvm::zip(scratch, step.operands))
      number = registers[operand];
    registers[step.result] = step.function(scratch.data());
  }
}

Access::Access(AffineMap map, ArrayRef<int64_t> shape)
    : strides(map.getNumDims(), 0) {
  int64_t stride = 1;
  for (int64_t dim = static_cast<int64_t>(shape.size()) - 1; dim >= 0; --dim) {
    AffineExpr expr = map.getResult(dim);
    // Coefficients of the loops, then the constant; more when there is a mod or
    // a division.
    SmallVector<int64_t> coefficients;
    bool isLinear = succeeded(getFlattenedAffineExpr(expr, map.getNumDims(), 0,
                                                     &coefficients)) &&
                    coefficients.size() == map.getNumDims() + 1;
    if (isLinear) {
      for (unsigned loop = 0; loop < map.getNumDims(); ++loop)
        strides[loop] += stride * coefficients[loop];
      constant += stride * coefficients.back();
    } else {
      rest.push_back({expr, stride});
    }
    stride *= shape[dim];
  }
}

int64_t Access::evaluate(AffineExpr expr, ArrayRef<int64_t> indices) {
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    return indices[dim.getPosition()];
  if (auto number = dyn_cast<AffineConstantExpr>(expr))
    return number.getValue();
  auto binary = cast<AffineBinaryOpExpr>(expr);
  int64_t lhs = evaluate(binary.getLHS(), indices);
  int64_t rhs = evaluate(binary.getRHS(), indices);
  switch (expr.getKind()) {
  case AffineExprKind::Add:
    return lhs + rhs;
  case AffineExprKind::Mul:
    return lhs * rhs;
  case AffineExprKind::Mod:
    return llvm::mod(lhs, rhs);
  case AffineExprKind::FloorDiv:
    return llvm::divideFloorSigned(lhs, rhs);
  case AffineExprKind::CeilDiv:
    return llvm::divideCeilSigned(lhs, rhs);
  default:
    llvm_unreachable("indexing maps have no symbols");
  }
}

int64_t Access::getOffset(ArrayRef<int64_t> indices) const {
  int64_t offset = constant;
  for (auto [stride, index] : llvm::zip(strides, indices))
    offset += stride * index;
  for (const Nonlinear &dim : rest)
    offset += dim.stride * evaluate(dim.expr, indices);
  return offset;
}

/// Steps `indices` through `ranges`, last loop fastest; false after the last
/// element.
static bool advance(MutableArrayRef<int64_t> indices,
                    ArrayRef<int64_t> ranges) {
  for (int64_t loop = static_cast<int64_t>(ranges.size()) - 1; loop >= 0;
       --loop) {
    if (++indices[loop] < ranges[loop])
      return true;
    indices[loop] = 0;
  }
  return false;
}

static LogicalResult
evaluateStructured(linalg::LinalgOp op, const ReferenceContext &context,
                   ArrayRef<ReferenceValue> operands,
                   SmallVectorImpl<ReferenceValue> &results) {
  if (!op.hasPureTensorSemantics() || op.hasDynamicShape())
    return op.emitOpError(
        "cannot be interpreted: expected tensors of static shape");
  FailureOr<ScalarProgram> program =
      ScalarProgram::compile(*op.getBlock(), context);
  if (failed(program))
    return failure();

  struct Element {
    const ReferenceValue *value;
    Access access;
    unsigned argument;
  };
  std::vector<Element> inputs, outputs;
  SmallVector<ReferenceValue> values(operands.take_back(op.getNumDpsInits()));
  for (OpOperand &operand : op->getOpOperands()) {
    const ReferenceValue &value = operands[operand.getOperandNumber()];
    Element element{&value,
                    Access(op.getMatchingIndexingMap(&operand), value.shape),
                    op.getMatchingBlockArgument(&operand).getArgNumber()};
    (op.isDpsInit(&operand) ? outputs : inputs).push_back(std::move(element));
  }

  SmallVector<int64_t> ranges = op.getStaticLoopRanges();
  SmallVector<int64_t> indices(ranges.size(), 0), written(values.size());
  bool isEmpty = llvm::is_contained(ranges, 0);
  for (bool more = !isEmpty; more; more = advance(indices, ranges)) {
    for (const Element &input : inputs)
      program->argument(input.argument) =
          input.value->data[input.access.getOffset(indices)];
    for (auto [i, output] : llvm::enumerate(outputs)) {
      written[i] = output.access.getOffset(indices);
      program->argument(output.argument) = values[i].data[written[i]];
    }
    program->run(indices);
    for (size_t i = 0; i < outputs.size(); ++i)
      values[i].data[written[i]] = program->yielded(i);
  }
  llvm::append_range(results, values);
  return success();
}

namespace {
template <typename Op>
struct StructuredModel
    : ReferenceOpInterface::ExternalModel<StructuredModel<Op>, Op> {
  LogicalResult evaluate(Operation *op, ReferenceContext &context,
                         ArrayRef<ReferenceValue> operands,
                         SmallVectorImpl<ReferenceValue> &results) const {
    return evaluateStructured(cast<linalg::LinalgOp>(op), context, operands,
                              results);
  }
};
} // namespace

template <typename... Ops> static void attachStructured(MLIRContext &context) {
  (Ops::template attachInterface<StructuredModel<Ops>>(context), ...);
}

void boostc::attachLinalgModels(MLIRContext &context) {
  attachStructured<linalg::BroadcastOp, linalg::FillOp, linalg::GenericOp,
                   linalg::MapOp, linalg::MatmulOp, linalg::ReduceOp,
                   linalg::TransposeOp>(context);
}
