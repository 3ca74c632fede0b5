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
    for (auto [operand, type] :
         {std::pair(&op.getInputMutable(), wanted.types.input),
          {&op.getWeightMutable(), wanted.types.weight},
          {&op.getOutputMutable(), wanted.types.output}}) {
      auto given = cast<MemRefType>(operand->get().getType());
      if (isAs(given, type))
        continue;
      bool isWider = type.getShape() != given.getShape();
      if (op.isDpsInit(operand))
        copyOut(op, *operand, type);
      else
        copyIn(op, *operand, type, isWider ? wanted.border : TapBorder());
    }
    op.setPadding(wanted.geometry.padding);
  }

  /// Whether elements lie as `wanted` says, whatever strides dimensions of one
  /// element have.
  static bool isAs(MemRefType type, MemRefType wanted) {
    if (type.getShape() != wanted.getShape())
      return false;
    auto [strides, offset] = type.getStridesAndOffset();
    auto [expected, none] = wanted.getStridesAndOffset();
    for (auto [dim, extent] : llvm::enumerate(wanted.getShape()))
      if (extent > 1 && strides[dim] != expected[dim])
        return false;
    return offset == 0;
  }

  /// An argument that is only read has the same values throughout and is copied
  /// once for each order and border.
  void copyIn(rt::ConvolutionOp op, OpOperand &operand, MemRefType type,
              const TapBorder &border) {
    Value from = operand.get();
    Value &known = copies[{from, type, border.before}];
    if (!known || !isa<BlockArgument>(from) ||
        llvm::any_of(from.getUses(), isWritten)) {
      OpBuilder builder(op);
      Location loc = op->getLoc();
      known = memref::AllocOp::create(builder, loc, type);
      int64_t width = cast<MemRefType>(from.getType()).getDimSize(3);
      clear(builder, loc, known, 0, border.before);
      clear(builder, loc, known, border.before + width, border.after);
      memref::CopyOp::create(
          builder, loc, from,
          getColumns(builder, loc, known, border.before, width));
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
    SmallVector<int64_t> sizes(cast<MemRefType>(image.getType()).getShape());
    if (sizes.back() == count)
      return image;
    sizes.back() = count;
    return memref::SubViewOp::create(builder, loc, image,
                                     ArrayRef<int64_t>{0, 0, 0, first}, sizes,
                                     ArrayRef<int64_t>{1, 1, 1, 1});
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
