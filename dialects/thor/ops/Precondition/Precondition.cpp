#include "dialects/interfaces/Approximate.h"
#include "dialects/interfaces/LinalgHelpers.h"
#include "dialects/thor/ThorDialect.h"
#include "dialects/train/OptimizerHelpers.h"

using namespace mlir;
using namespace boostc;
using namespace boostc::thor;

namespace {
/// The extents of a gradient as matrices of blocks.
struct Extents {
  int64_t groups, outputs, inputs;       ///< of a group
  int64_t outputBlocks, outputBlockSize; ///< blocks of a group
  int64_t inputBlocks, inputBlockSize;

  explicit Extents(PreconditionOp op)
      : groups(op.getGroups()),
        outputs(op.getType().getDimSize(0) / op.getGroups()),
        inputs(op.getType().getNumElements() / op.getType().getDimSize(0)),
        outputBlocks(op.getG().getType().getDimSize(0) / op.getGroups()),
        outputBlockSize(op.getG().getType().getDimSize(1)),
        inputBlocks(op.getA().getType().getDimSize(0) / op.getGroups()),
        inputBlockSize(op.getA().getType().getDimSize(1)) {}

  int64_t getPaddedOutputs() const { return outputBlocks * outputBlockSize; }
  int64_t getPaddedInputs() const { return inputBlocks * inputBlockSize; }
};
} // namespace

LogicalResult PreconditionOp::verify() {
  RankedTensorType type = getType();
  if (type.getRank() < 2)
    return emitOpError("expected the gradient of a matrix or of more "
                       "dimensions, found ")
           << type;
  int64_t groups = getGroups();
  if (groups < 1 || type.getDimSize(0) % groups != 0)
    return emitOpError("expected groups that divide ")
           << type.getDimSize(0) << " outputs, found " << groups;
  if (failed(verifyPositive(*this, {{"positions", getPositions()}})))
    return failure();
  auto verifyBlocks = [&](StringRef name, RankedTensorType blocks,
                          int64_t extent) -> LogicalResult {
    int64_t size = blocks.getDimSize(1);
    if (blocks.getDimSize(2) == size && size <= extent &&
        blocks.getDimSize(0) == groups * ((extent + size - 1) / size))
      return success();
    return emitOpError("expected square blocks of ")
           << name << " that cover " << extent << " in each of " << groups
           << " groups, found " << blocks;
  };
  Extents extents(*this);
  if (failed(verifyBlocks("a", getA().getType(), extents.inputs)))
    return failure();
  return verifyBlocks("g", getG().getType(), extents.outputs);
}

int64_t PreconditionOp::getFlops() {
  Extents extents(*this);
  return 2 * getType().getNumElements() *
         (extents.inputBlockSize + extents.outputBlockSize);
}

/// Calls `visit(to, from, inverse)` for each term of each element of a side's
/// contraction with its inverse: with the offsets of the element, of the one
/// that it is a sum over, and of the element of the inverse.
template <typename Visit>
static void forEachTerm(const Extents &e, bool alongInputs, Visit visit) {
  int64_t size = alongInputs ? e.inputBlockSize : e.outputBlockSize;
  int64_t extent = alongInputs ? e.inputs : e.outputs;
  int64_t blocks = alongInputs ? e.inputBlocks : e.outputBlocks;
  int64_t stride = alongInputs ? 1 : e.inputs;
  for (int64_t group = 0; group < e.groups; ++group)
    for (int64_t o = 0; o < e.outputs; ++o)
      for (int64_t i = 0; i < e.inputs; ++i) {
        int64_t own = alongInputs ? i : o, first = own / size * size;
        int64_t row = (group * e.outputs + o) * e.inputs + i;
        int64_t block = group * blocks + own / size;
        for (int64_t k = first; k < std::min(first + size, extent); ++k)
          visit(row, row + (k - own) * stride,
                (block * size + (own - first)) * size + (k - first));
      }
}

LogicalResult
PreconditionOp::evaluate(ReferenceContext &, ArrayRef<ReferenceValue> operands,
                         SmallVectorImpl<ReferenceValue> &results) {
  if (operands[3].item() == 0.0) {
    results.push_back(operands[0]);
    return success();
  }
  Extents extents(*this);
  ReferenceValue right(operands[0].shape), both(operands[0].shape);
  forEachTerm(extents, true, [&](int64_t to, int64_t from, int64_t inverse) {
    right.data[to] += operands[0].data[from] * operands[1].data[inverse];
  });
  forEachTerm(extents, false, [&](int64_t to, int64_t from, int64_t inverse) {
    both.data[to] += right.data[from] * operands[2].data[inverse];
  });
  for (double &element : both.data)
    element /= static_cast<double>(getPositions());
  results.push_back(std::move(both));
  return success();
}

ErrorBounds PreconditionOp::boundErrors(ReferenceContext &,
                                        ArrayRef<Bounded> operands,
                                        ArrayRef<ReferenceValue>) {
  if (operands[3].value.item() == 0.0)
    return {operands[0].error};
  Extents extents(*this);
  size_t size = operands[0].error.size();
  std::vector<ApproximateSum> right(size), both(size);
  forEachTerm(extents, true, [&](int64_t to, int64_t from, int64_t inverse) {
    right[to].addProduct(operands[0].at(from), operands[1].at(inverse));
  });
  forEachTerm(extents, false, [&](int64_t to, int64_t from, int64_t inverse) {
    both[to].addProduct(right[from].get(), operands[2].at(inverse));
  });
  std::vector<double> errors;
  auto positions = static_cast<double>(getPositions());
  for (const ApproximateSum &sum : both)
    errors.push_back(
        (sum.get() * Approximate::constant(1.0 / positions)).error);
  return {errors};
}

namespace {

class Lowering {
public:
  Lowering(OpBuilder &builder, PreconditionOp op)
      : b(builder), loc(op.getLoc()), op(op), e(op) {}

  Value build() {
    Value g = op.getGradient();
    RankedTensorType type = op.getType();
    auto matrix = getType({e.groups * e.outputs, e.inputs});
    SmallVector<ReassociationIndices> asMatrix = {
        {0}, llvm::to_vector(llvm::seq<int64_t>(1, type.getRank()))};
    if (type.getRank() > 2)
      g = tensor::CollapseShapeOp::create(b, loc, matrix, g, asMatrix);
    Value result = isPadded() ? buildPadded(g) : buildBlocks(g);
    if (type.getRank() > 2)
      result = tensor::ExpandShapeOp::create(b, loc, type, result, asMatrix);
    return buildElementwise(
        b, loc, type, {result, op.getGradient(), op.getReady()},
        {identity(type), identity(type), projection(b, type.getRank(), {})},
        [&](OpBuilder &nested, Location at, ValueRange args) -> Value {
          Value share = buildRoundedConstant(
              nested, at, 1.0 / static_cast<double>(op.getPositions()));
          Value scaled = arith::MulFOp::create(nested, at, args[0], share);
          Value isReady = train::buildIsSet(nested, at, args[2]);
          return arith::SelectOp::create(nested, at, isReady, scaled, args[1]);
        });
  }

private:
  RankedTensorType getType(ArrayRef<int64_t> shape) {
    return RankedTensorType::get(shape, b.getF32Type());
  }
  AffineMap identity(RankedTensorType type) {
    return b.getMultiDimIdentityMap(type.getRank());
  }
  bool isPadded() const {
    return e.getPaddedOutputs() != e.outputs || e.getPaddedInputs() != e.inputs;
  }

  /// The same for a matrix that zeros fill up to whole blocks.
  Value buildPadded(Value g) {
    int64_t inputs = e.getPaddedInputs(), outputs = e.getPaddedOutputs();
    auto grouped = getType({e.groups, e.outputs, e.inputs});
    auto padded = getType({e.groups, outputs, inputs});
    SmallVector<ReassociationIndices> groups = {{0, 1}, {2}};
    SmallVector<OpFoldResult> zeros(3, b.getIndexAttr(0)),
        ones(3, b.getIndexAttr(1)),
        sizes = {b.getIndexAttr(e.groups), b.getIndexAttr(e.outputs),
                 b.getIndexAttr(e.inputs)};
    Value empty = tensor::EmptyOp::create(b, loc, padded.getShape(),
                                          padded.getElementType());
    Value filled =
        linalg::FillOp::create(b, loc, buildConstant(b, loc, 0.0), empty)
            .getResult(0);
    Value wide = tensor::ExpandShapeOp::create(b, loc, grouped, g, groups);
    wide =
        tensor::InsertSliceOp::create(b, loc, wide, filled, zeros, sizes, ones);
    auto flat = getType({e.groups * outputs, inputs});
    Value result = buildBlocks(
        tensor::CollapseShapeOp::create(b, loc, flat, wide, groups));
    result = tensor::ExpandShapeOp::create(b, loc, padded, result, groups);
    result = tensor::ExtractSliceOp::create(b, loc, grouped, result, zeros,
                                            sizes, ones);
    return tensor::CollapseShapeOp::create(
        b, loc, getType({e.groups * e.outputs, e.inputs}), result, groups);
  }

  /// G^-1 g A^-1 of a matrix of whole blocks.
  Value buildBlocks(Value g) {
    int64_t m = e.outputBlocks, o = e.outputBlockSize;
    int64_t n = e.inputBlocks, i = e.inputBlockSize;
    auto flat = cast<RankedTensorType>(g.getType());
    auto blocked = getType({e.groups, m, o, n, i});
    SmallVector<ReassociationIndices> groups = {{0, 1, 2}, {3, 4}};
    Value wide = tensor::ExpandShapeOp::create(b, loc, blocked, g, groups);
    SmallVector<ReassociationIndices> split = {{0, 1}, {2}, {3}};
    Value a = tensor::ExpandShapeOp::create(
        b, loc, getType({e.groups, n, i, i}), op.getA(), split);
    Value left = tensor::ExpandShapeOp::create(
        b, loc, getType({e.groups, m, o, o}), op.getG(), split);
    auto multiply = [](OpBuilder &nested, Location at,
                       ValueRange args) -> Value {
      return arith::MulFOp::create(nested, at, args[0], args[1]);
    };
    // Loops: group, block and row of outputs, block and column of inputs, and
    // the one that is summed over. The intermediate result is stored block
    // by block: rows of a block would else be far apart in memory, and few of
    // them would fit into a cache at a time.
    Value right = buildSum(
        b, loc, getType({e.groups, m, n, o, i}), 6, {0, 1, 3, 2, 4}, {wide, a},
        {projection(b, 6, {0, 1, 2, 3, 5}), projection(b, 6, {0, 3, 5, 4})},
        multiply);
    Value both = buildSum(
        b, loc, blocked, 6, {0, 1, 2, 3, 4}, {left, right},
        {projection(b, 6, {0, 1, 2, 5}), projection(b, 6, {0, 1, 3, 5, 4})},
        multiply);
    return tensor::CollapseShapeOp::create(b, loc, flat, both, groups);
  }

  OpBuilder &b;
  Location loc;
  PreconditionOp op;
  Extents e;
};

} // namespace

FailureOr<SmallVector<Value>>
PreconditionOp::lowerToLinalg(OpBuilder &builder) {
  return SmallVector<Value>{Lowering(builder, *this).build()};
}
