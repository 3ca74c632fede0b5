// Images of convolutions with their channels innermost; see Passes.td.

#include "compiler/lowering/cpu/ChannelsLast.h"
#include "compiler/lowering/cpu/Passes.h"
#include "compiler/lowering/kernels/Strides.h"
#include "compiler/lowering/target/CudaTarget.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace boostc {
#define GEN_PASS_DEF_ASSIGNCHANNELSLASTPASS
#include "compiler/lowering/cpu/Passes.h.inc"
} // namespace boostc

using namespace mlir;
using namespace boostc;

static bool isImage(Type type) {
  auto memref = dyn_cast<MemRefType>(type);
  return memref && memref.getRank() == 4 && memref.getLayout().isIdentity();
}

namespace {

/// Buffers with the channels and pixels of inputs and outputs of convolutions.
/// Others of four dimensions have none, such as the heads of an attention.
class ConvolutionData {
public:
  explicit ConvolutionData(func::FuncOp function) {
    for (auto convolution : function.getOps<rt::ConvolutionOp>()) {
      add(convolution.getInput());
      add(convolution.getOutput());
    }
    while (!waiting.empty())
      follow(waiting.pop_back_val());
  }

  bool contains(Value value) const { return known.contains(value); }

private:
  void add(Value value) {
    auto type = dyn_cast<MemRefType>(value.getType());
    if (!type || type.getRank() != 4 || !known.insert(value).second)
      return;
    waiting.push_back(value);
    if (auto slice = value.getDefiningOp<memref::SubViewOp>())
      add(slice.getSource());
  }

  void follow(Value buffer) {
    for (OpOperand &use : buffer.getUses()) {
      if (auto slice = dyn_cast<memref::SubViewOp>(use.getOwner())) {
        add(slice);
      } else if (auto copy = dyn_cast<memref::CopyOp>(use.getOwner())) {
        add(copy.getSource());
        add(copy.getTarget());
      } else if (auto op = dyn_cast<linalg::LinalgOp>(use.getOwner())) {
        for (OpOperand &other : op->getOpOperands())
          if (sharesDimensions(op, use, other))
            add(other.get());
      }
    }
  }

  /// Whether each dimension of `a` runs with the same one of `b`, as in
  /// elementwise ops and in pooling, or has one element.
  static bool sharesDimensions(linalg::LinalgOp op, OpOperand &a,
                               OpOperand &b) {
    auto aType = dyn_cast<MemRefType>(a.get().getType());
    auto bType = dyn_cast<MemRefType>(b.get().getType());
    if (!aType || !bType || aType.getRank() != bType.getRank())
      return false;
    AffineMap aMap = op.getMatchingIndexingMap(&a);
    AffineMap bMap = op.getMatchingIndexingMap(&b);
    return llvm::all_of(llvm::seq(aType.getRank()), [&](int64_t dim) {
      if (aType.getDimSize(dim) == 1 || bType.getDimSize(dim) == 1)
        return true;
      return llvm::any_of(llvm::seq(aMap.getNumDims()), [&](unsigned loop) {
        return aMap.getResult(dim).isFunctionOfDim(loop) &&
               bMap.getResult(dim).isFunctionOfDim(loop);
      });
    });
  }

  llvm::DenseSet<Value> known;
  SmallVector<Value> waiting;
};

} // namespace

static bool mayMove(memref::AllocOp alloc) {
  return isImage(alloc.getType()) &&
         llvm::all_of(alloc->getUses(), followsStridesInSlices);
}

/// Whether rows of channels and rows of pixels are different.
static bool hasPixels(MemRefType type) {
  return type.getDimSize(1) > 1 && type.getDimSize(2) * type.getDimSize(3) > 1;
}

static bool isOnlyRead(Operation *view) {
  return llvm::all_of(view->getUses(), [](OpOperand &use) {
    return followsStrides(use) && !isWritten(use);
  });
}

/// An image that a flatten makes a matrix of has to lie in the order of the
/// model there, and only there: everything else has a twin of it.
static void moveFlattened(memref::AllocOp alloc) {
  if (!isImage(alloc.getType()) || !hasPixels(alloc.getType()))
    return;
  Operation *view = nullptr;
  SmallVector<OpOperand *> others;
  for (OpOperand &use : alloc->getUses()) {
    auto collapse = dyn_cast<memref::CollapseShapeOp>(use.getOwner());
    if (!collapse) {
      others.push_back(&use);
      if (!followsStrides(use))
        return;
    } else if (!isOnlyRead(collapse) ||
               collapse->getBlock() != alloc->getBlock()) {
      return;
    } else if (!view || collapse->isBeforeInBlock(view)) {
      view = collapse;
    }
  }
  if (!view || llvm::any_of(others, [&](OpOperand *use) {
        return isWritten(*use) && !use->getOwner()->isBeforeInBlock(view);
      }))
    return;
  OpBuilder builder(alloc);
  Value twin = memref::AllocOp::create(builder, alloc.getLoc(),
                                       getChannelsLast(alloc.getType()));
  for (OpOperand *use : others)
    use->set(twin);
  builder.setInsertionPoint(view);
  memref::CopyOp::create(builder, view->getLoc(), twin, alloc);
}

/// The gradient of such an image.
static void moveUnflattened(memref::ExpandShapeOp view) {
  MemRefType type = view.getType();
  if (!isImage(type) || !hasPixels(type) || !isOnlyRead(view))
    return;
  OpBuilder builder(view);
  builder.setInsertionPointAfter(view);
  Value twin =
      memref::AllocOp::create(builder, view.getLoc(), getChannelsLast(type));
  view.getResult().replaceAllUsesWith(twin);
  memref::CopyOp::create(builder, view.getLoc(), view, twin);
}

namespace {

struct AssignChannelsLast
    : boostc::impl::AssignChannelsLastPassBase<AssignChannelsLast> {
  void runOnOperation() override {
    train::ProgramOp program = getOperation();
    auto target = program->getAttrOfType<rt::CpuTargetAttr>(kCpuTargetAttrName);
    if (getCudaTarget(program) || !target)
      return;
    registers = getVectorRegisters(target);
    for (auto function : program.getOps<func::FuncOp>()) {
      if (!prefersChannelsLast(function, registers))
        continue;
      ConvolutionData data(function);
      for (auto alloc : function.getOps<memref::AllocOp>())
        if (data.contains(alloc) && mayMove(alloc))
          setStrides(alloc, getChannelsLast(alloc.getType()));
      for (auto alloc :
           llvm::make_early_inc_range(function.getOps<memref::AllocOp>()))
        if (data.contains(alloc))
          moveFlattened(alloc);
      for (auto view : function.getOps<memref::ExpandShapeOp>())
        if (data.contains(view))
          moveUnflattened(view);
      copies.clear();
      for (auto convolution :
           llvm::make_early_inc_range(function.getOps<rt::ConvolutionOp>()))
        adapt(convolution);
    }
  }

  /// Gives a convolution its operands in the wanted order.
  void adapt(rt::ConvolutionOp op) {
    ChannelsLastForm wanted = getChannelsLast(op, registers);
    const auto &[input, weight, output] = wanted.types;
    bool isForward = op.getKind() == rt::ConvolutionKind::Forward;
    bool isOfWeight = op.getKind() == rt::ConvolutionKind::BackwardWeight;
    MemRefType a = isForward ? input : output;
    MemRefType b = isOfWeight ? input : weight;
    MemRefType c = isForward ? output : isOfWeight ? weight : input;
    if (!isAs(op.getA().getType(), a))
      copyIn(op, op.getAMutable(), a, wanted.border.before);
    if (!isAs(op.getB().getType(), b))
      copyIn(op, op.getBMutable(), b, wanted.border.before);
    if (!isAs(op.getC().getType(), c))
      copyOut(op, op.getCMutable(), c);
    op.setPadding(wanted.geometry.padding);
  }

  /// Whether elements lie as `wanted` says, whatever strides dimensions of one
  /// element have.
  static bool isAs(Type type, MemRefType wanted) {
    if (cast<MemRefType>(type).getShape() != wanted.getShape())
      return false;
    auto [strides, offset] = cast<MemRefType>(type).getStridesAndOffset();
    auto [expected, none] = wanted.getStridesAndOffset();
    for (auto [dim, extent] : llvm::enumerate(wanted.getShape()))
      if (extent > 1 && strides[dim] != expected[dim])
        return false;
    return offset == 0;
  }

  /// An argument that is only read has the same values throughout and is copied
  /// once for each order. Where `type` is wider, zeros lie around its rows, of
  /// which `before` come first.
  void copyIn(rt::ConvolutionOp op, OpOperand &operand, MemRefType type,
              int64_t before) {
    Value from = operand.get();
    int64_t width = cast<MemRefType>(from.getType()).getDimSize(3);
    if (type.getDimSize(3) == width)
      before = 0;
    Value &known = copies[{from, type, before}];
    if (!known || !isa<BlockArgument>(from) ||
        llvm::any_of(from.getUses(), isWritten)) {
      OpBuilder builder(op);
      known = memref::AllocOp::create(builder, op->getLoc(), type);
      int64_t after = type.getDimSize(3) - before - width;
      clear(builder, op->getLoc(), known, 0, before);
      clear(builder, op->getLoc(), known, before + width, after);
      memref::CopyOp::create(
          builder, op->getLoc(), from,
          getColumns(builder, op->getLoc(), known, before, width));
    }
    operand.set(known);
  }

  static void clear(OpBuilder &builder, Location loc, Value image,
                    int64_t first, int64_t count) {
    if (count == 0)
      return;
    Type element = cast<MemRefType>(image.getType()).getElementType();
    Value zero =
        arith::ConstantOp::create(builder, loc, builder.getZeroAttr(element));
    linalg::FillOp::create(builder, loc, zero,
                           getColumns(builder, loc, image, first, count));
  }

  static Value getColumns(OpBuilder &builder, Location loc, Value image,
                          int64_t first, int64_t count) {
    SmallVector<OpFoldResult> offsets(4, builder.getIndexAttr(0)), sizes;
    SmallVector<OpFoldResult> steps(4, builder.getIndexAttr(1));
    auto type = cast<MemRefType>(image.getType());
    if (type.getDimSize(3) == count)
      return image;
    for (int64_t extent : type.getShape())
      sizes.push_back(builder.getIndexAttr(extent));
    offsets.back() = builder.getIndexAttr(first);
    sizes.back() = builder.getIndexAttr(count);
    return memref::SubViewOp::create(builder, loc, image, offsets, sizes,
                                     steps);
  }

  static void copyOut(rt::ConvolutionOp op, OpOperand &operand,
                      MemRefType type) {
    OpBuilder builder(op);
    Value result = memref::AllocOp::create(builder, op->getLoc(), type);
    builder.setInsertionPointAfter(op);
    memref::CopyOp::create(builder, op->getLoc(), result, operand.get());
    operand.set(result);
  }

  VectorRegisters registers;
  llvm::DenseMap<std::tuple<Value, Type, int64_t>, Value> copies;
};

} // namespace
