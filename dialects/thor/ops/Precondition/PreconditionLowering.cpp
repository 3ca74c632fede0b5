// thor.precondition as loops, and as calls of a library for large blocks.

#include "dialects/interfaces/LinalgHelpers.h"
#include "dialects/rt/MatrixProduct.h"
#include "dialects/thor/ops/Precondition/BlockExtents.h"
#include "dialects/train/OptimizerHelpers.h"

using namespace mlir;
using namespace boostc;
using namespace boostc::thor;

namespace {

/// From this size of blocks on a library multiplies with them: loops read a
/// block again for each few rows of the gradient, and larger ones do not fit
/// into a core's cache.
constexpr int64_t kLibraryBlockSize = 512;

class Lowering {
public:
  Lowering(OpBuilder &builder, PreconditionOp op, bool useLibrary)
      : b(builder), loc(op.getLoc()), op(op), e(op), useLibrary(useLibrary) {}

  /// Whether a library has something to multiply.
  bool hasLargeBlocks() const {
    return isLarge(e.inputBlockSize) || isLarge(e.outputBlockSize);
  }

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
  bool isLarge(int64_t blockSize) const {
    return useLibrary && blockSize >= kLibraryBlockSize;
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
    RankedTensorType byBlock = getType({e.groups, m, n, o, i});
    Value right =
        isLarge(i)
            ? multiplyBlocks(byBlock, &Block::byBlock,
                             [&](const Block &block) {
                               return std::pair(extract(g, block.ofWhole),
                                                extract(op.getA(), block.a));
                             })
            : buildSum(b, loc, byBlock, 6, {0, 1, 3, 2, 4}, {wide, a},
                       {projection(b, 6, {0, 1, 2, 3, 5}),
                        projection(b, 6, {0, 3, 5, 4})},
                       multiply);
    if (isLarge(o))
      return multiplyBlocks(flat, &Block::ofWhole, [&](const Block &block) {
        return std::pair(extract(op.getG(), block.g),
                         extract(right, block.byBlock));
      });
    Value both = buildSum(
        b, loc, blocked, 6, {0, 1, 2, 3, 4}, {left, right},
        {projection(b, 6, {0, 1, 2, 5}), projection(b, 6, {0, 1, 3, 5, 4})},
        multiply);
    return tensor::CollapseShapeOp::create(b, loc, flat, both, groups);
  }

  /// A rectangle of the last two dimensions of a tensor.
  struct Slice {
    SmallVector<OpFoldResult> offsets, sizes, strides;
    RankedTensorType type;
  };
  Slice getSlice(ArrayRef<int64_t> at, int64_t rows, int64_t columns) {
    Slice slice;
    slice.type = getType({rows, columns});
    for (int64_t offset : at) {
      slice.offsets.push_back(b.getIndexAttr(offset));
      slice.sizes.push_back(b.getIndexAttr(1));
      slice.strides.push_back(b.getIndexAttr(1));
    }
    slice.sizes[at.size() - 2] = b.getIndexAttr(rows);
    slice.sizes[at.size() - 1] = b.getIndexAttr(columns);
    return slice;
  }
  Value extract(Value tensor, const Slice &slice) {
    return tensor::ExtractSliceOp::create(
        b, loc, slice.type, tensor, slice.offsets, slice.sizes, slice.strides);
  }
  /// A block of a gradient: its slice of the whole [outputs of all groups,
  /// inputs], its slice of a tensor [groups, m, n, outputs, inputs], and which
  /// blocks of A and of G it is multiplied with.
  struct Block {
    Slice ofWhole, byBlock, a, g;
  };

  /// A tensor of `type` whose blocks a library computes: `to` is where one is
  /// written, `getFactors` what is multiplied for it.
  Value multiplyBlocks(
      RankedTensorType type, Slice Block::*to,
      llvm::function_ref<std::pair<Value, Value>(const Block &)> getFactors) {
    Value result =
        tensor::EmptyOp::create(b, loc, type.getShape(), type.getElementType());
    int64_t o = e.outputBlockSize, i = e.inputBlockSize;
    for (int64_t group = 0; group < e.groups; ++group)
      for (int64_t m = 0; m < e.outputBlocks; ++m)
        for (int64_t n = 0; n < e.inputBlocks; ++n) {
          int64_t outputBlock = group * e.outputBlocks + m;
          Block block = {getSlice({outputBlock * o, n * i}, o, i),
                         getSlice({group, m, n, 0, 0}, o, i),
                         getSlice({group * e.inputBlocks + n, 0, 0}, i, i),
                         getSlice({outputBlock, 0, 0}, o, o)};
          auto [x, y] = getFactors(block);
          const Slice &slice = block.*to;
          Value written =
              rt::buildProductCall(b, loc, slice.type, {.a = x, .b = y});
          result = tensor::InsertSliceOp::create(b, loc, written, result,
                                                 slice.offsets, slice.sizes,
                                                 slice.strides);
        }
    return result;
  }

  OpBuilder &b;
  Location loc;
  PreconditionOp op;
  BlockExtents e;
  bool useLibrary;
};

} // namespace

FailureOr<SmallVector<Value>>
PreconditionOp::lowerToLinalg(OpBuilder &builder) {
  return SmallVector<Value>{
      Lowering(builder, *this, /*useLibrary=*/false).build()};
}

FailureOr<SmallVector<Value>>
PreconditionOp::buildLibraryCall(OpBuilder &builder) {
  Lowering lowering(builder, *this, /*useLibrary=*/true);
  if (!lowering.hasLargeBlocks())
    return failure();
  return SmallVector<Value>{lowering.build()};
}
