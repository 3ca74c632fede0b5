#include "dialects/interfaces/LinalgHelpers.h"
#include "dialects/rt/Gram.h"
#include "dialects/thor/ThorDialect.h"

using namespace mlir;
using namespace boostc;
using namespace boostc::thor;

namespace {
/// What rt.gram is told: the input, and the windows in it.
struct Windows {
  RankedTensorType input;
  bool areRows; ///< of matrices: windows of a pixel, channels last
  SmallVector<int64_t> kernel = {1, 1}, strides = {1, 1},
                       padding = {0, 0, 0, 0}, dilations = {1, 1};
  int64_t groups, blockSize;

  Windows(RankedTensorType type, bool areRows, int64_t groups,
          int64_t blockSize)
      : input(type), areRows(areRows), groups(groups), blockSize(blockSize) {
    int64_t columns = type.getShape().back();
    if (areRows)
      input = RankedTensorType::get(
          {type.getDimSize(0),
           type.getNumElements() / (type.getDimSize(0) * columns), 1, columns},
          type.getElementType());
  }

  FailureOr<rt::GramShape>
  getShape(llvm::function_ref<InFlightDiagnostic()> emitError) const {
    return rt::GramShape::get(emitError, input, areRows, kernel, strides,
                              padding, dilations, groups, blockSize);
  }
};
} // namespace

/// The windows of an op, or of the adaptor of one that is to be built.
template <typename Op> static Windows getWindowsOfA(Op op) {
  auto type = cast<RankedTensorType>(op.getInput().getType());
  Windows windows(type, !op.getKernel(), op.getGroups(), op.getBlockSize());
  if (op.getKernel()) {
    windows.kernel = llvm::to_vector(*op.getKernel());
    windows.strides = llvm::to_vector(*op.getStrides());
    windows.padding = llvm::to_vector(*op.getPadding());
    windows.dilations = llvm::to_vector(*op.getDilations());
  }
  return windows;
}
template <typename Op> static Windows getWindowsOfG(Op op) {
  auto type = cast<RankedTensorType>(op.getGradient().getType());
  return Windows(type, !op.getSpatial(), op.getGroups(), op.getBlockSize());
}

static LogicalResult inferFactor(std::optional<Location> loc, Type operand,
                                 llvm::function_ref<Windows()> getWindows,
                                 SmallVectorImpl<Type> &inferred) {
  Location where = loc.value_or(UnknownLoc::get(operand.getContext()));
  if (cast<RankedTensorType>(operand).getRank() < 2)
    return emitOptionalError(loc,
                             "expected a value of two dimensions or "
                             "more, found ",
                             operand);
  FailureOr<rt::GramShape> shape =
      getWindows().getShape([&] { return emitError(where); });
  if (failed(shape))
    return failure();
  inferred.push_back(RankedTensorType::get(
      {shape->countBlocks(), shape->blockSize, shape->blockSize},
      Float32Type::get(operand.getContext())));
  return success();
}

static rt::GramShape getShape(Operation *op, const Windows &windows) {
  return *windows.getShape([&] { return op->emitOpError(); });
}

static rt::Gram evaluateFactor(Operation *op, const Windows &windows,
                               ArrayRef<Bounded> operands) {
  bool isDue = operands.size() < 3 || operands[2].value.item() != 0.0;
  return rt::evaluateGram(getShape(op, windows), operands[0],
                          isDue ? static_cast<int64_t>(operands[1].value.item())
                                : 0);
}

/// `value` in the shape of `windows.input`.
static Value buildInput(OpBuilder &builder, Location loc, Value value,
                        const Windows &windows) {
  auto type = cast<RankedTensorType>(value.getType());
  int64_t rank = type.getRank();
  if (!windows.areRows || type == windows.input)
    return value;
  if (rank > 3) {
    SmallVector<ReassociationIndices> groups = {
        {0}, llvm::to_vector(llvm::seq<int64_t>(1, rank - 1)), {rank - 1}};
    value = tensor::CollapseShapeOp::create(builder, loc, value, groups);
  }
  SmallVector<ReassociationIndices> groups =
      rank == 2 ? SmallVector<ReassociationIndices>{{0}, {1, 2, 3}}
                : SmallVector<ReassociationIndices>{{0}, {1, 2}, {3}};
  return tensor::ExpandShapeOp::create(builder, loc, windows.input, value,
                                       groups);
}

/// How many samples are summed: `valid`, none where `due` is 0.
static Value countSamples(OpBuilder &builder, Location loc, Value valid,
                          Value due) {
  if (!due)
    return valid;
  return buildElementwise(
      builder, loc, cast<RankedTensorType>(valid.getType()), {due, valid},
      [](OpBuilder &b, Location at, ValueRange args) -> Value {
        Value none = arith::ConstantOp::create(b, at, b.getI32IntegerAttr(0));
        Value isDue = arith::CmpIOp::create(b, at, arith::CmpIPredicate::ne,
                                            args[0], none);
        return arith::SelectOp::create(b, at, isDue, args[1], none);
      });
}

static SmallVector<Value> callGram(OpBuilder &builder, Location loc,
                                   RankedTensorType type, Value value,
                                   Value valid, const Windows &windows) {
  Value empty = tensor::EmptyOp::create(builder, loc, type.getShape(),
                                        type.getElementType());
  auto gram = rt::GramOp::create(
      builder, loc, TypeRange{type}, buildInput(builder, loc, value, windows),
      valid, empty, windows.kernel, windows.strides, windows.padding,
      windows.dilations, windows.groups, windows.areRows);
  return {gram.getResult(0)};
}

#define BOOSTC_FACTOR(OP, WINDOWS, VALUE)                                      \
  LogicalResult OP::inferReturnTypes(                                          \
      MLIRContext *, std::optional<Location> loc, Adaptor adaptor,             \
      SmallVectorImpl<Type> &inferred) {                                       \
    return inferFactor(                                                        \
        loc, adaptor.VALUE().getType(), [&] { return WINDOWS(adaptor); },      \
        inferred);                                                             \
  }                                                                            \
  int64_t OP::getFlops() {                                                     \
    return getShape(*this, WINDOWS(*this)).countFlops();                       \
  }                                                                            \
  LogicalResult OP::evaluate(ReferenceContext &,                               \
                             ArrayRef<ReferenceValue> operands,                \
                             SmallVectorImpl<ReferenceValue> &results) {       \
    SmallVector<Bounded> exact(operands.begin(), operands.end());              \
    results.push_back(evaluateFactor(*this, WINDOWS(*this), exact).value);     \
    return success();                                                          \
  }                                                                            \
  ErrorBounds OP::boundErrors(ReferenceContext &, ArrayRef<Bounded> operands,  \
                              ArrayRef<ReferenceValue>) {                      \
    return {evaluateFactor(*this, WINDOWS(*this), operands).error};            \
  }                                                                            \
  FailureOr<SmallVector<Value>> OP::buildLibraryCall(OpBuilder &builder) {     \
    return callGram(builder, getLoc(), cast<RankedTensorType>(getType()),      \
                    VALUE(),                                                   \
                    countSamples(builder, getLoc(), getValid(), getDue()),     \
                    WINDOWS(*this));                                           \
  }
BOOSTC_FACTOR(FactorAOp, getWindowsOfA, getInput)
BOOSTC_FACTOR(FactorGOp, getWindowsOfG, getGradient)
#undef BOOSTC_FACTOR
