// From linalg on buffers to kernels and launches; see Passes.td.
//
// The body of a function is a straight line of linalg ops, library calls and
// views. The pass walks it once, gathers neighbours into groups and makes each
// group a kernel. An op joins the open group when
//  - both run on one thread, or both are cut along a loop of the same extent
//    and every buffer that one of them writes and the other touches is cut the
//    same way; and
//  - no two buffers of the group overlap in memory, so that the kernel's
//    arguments may be promised not to alias.

#include "compiler/lowering/Passes.h"
#include "compiler/lowering/cpu/Contraction.h"
#include "compiler/lowering/cpu/CpuTarget.h"
#include "compiler/lowering/cpu/EmitRows.h"
#include "compiler/lowering/cpu/KernelLoops.h"
#include "dialects/interfaces/LinalgHelpers.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/SetVector.h"

namespace boostc {
#define GEN_PASS_DEF_OUTLINEKERNELSPASS
#include "compiler/lowering/Passes.h.inc"
} // namespace boostc

using namespace mlir;
using namespace boostc;

/// The buffer behind a chain of views.
static rt::BufferOp getBase(Value value) {
  while (auto view = value.getDefiningOp<ViewLikeOpInterface>())
    value = view.getViewSource();
  return value.getDefiningOp<rt::BufferOp>();
}

static bool overlap(rt::BufferOp a, rt::BufferOp b) {
  if (a.getArena() != b.getArena())
    return false;
  auto begin = [](rt::BufferOp op) {
    return static_cast<int64_t>(op.getOffset());
  };
  auto end = [&](rt::BufferOp op) {
    return begin(op) + countBytes(op->getResultTypes());
  };
  return begin(a) < end(b) && begin(b) < end(a);
}

namespace {

/// An op with the decisions about its loops.
struct KernelPart {
  linalg::GenericOp op;
  LoopOrder order;
  int64_t extent = 1; ///< of the shared loop; 1 = on one thread
  int64_t workPerPiece =
      1; ///< loop iterations per iteration of the shared loop
};

/// Ops that will be one kernel.
struct KernelGroup {
  SmallVector<KernelPart> parts;
  llvm::SetVector<rt::BufferOp> buffers;
};

struct OutlineKernels : boostc::impl::OutlineKernelsPassBase<OutlineKernels> {
  using OutlineKernelsPassBase::OutlineKernelsPassBase;

  void runOnOperation() override {
    SmallVector<func::FuncOp> functions(getOperation().getOps<func::FuncOp>());
    for (func::FuncOp function : functions)
      if (failed(outline(function)))
        return signalPassFailure();
  }

  LogicalResult outline(func::FuncOp function) {
    kernels = 0;
    KernelGroup group;
    IRRewriter rewriter(&getContext());
    for (Operation &op : llvm::make_early_inc_range(function.front())) {
      if (isa<rt::BufferOp, arith::ConstantOp, ViewLikeOpInterface>(op))
        continue; // places and numbers: no work
      rewriter.setInsertionPoint(&op);
      linalg::GenericOp generic;
      if (auto copy = dyn_cast<memref::CopyOp>(op)) {
        generic = generalizeCopy(rewriter, copy);
      } else if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op)) {
        generic = dyn_cast<linalg::GenericOp>(op);
        if (!generic) {
          FailureOr<linalg::GenericOp> general =
              linalg::generalizeNamedOp(rewriter, linalgOp);
          assert(succeeded(general) && "every named linalg op is a loop nest");
          generic = *general;
        }
      }
      if (!generic) {
        if (failed(flush(function, group)))
          return failure();
        if (auto convolution = dyn_cast<rt::ConvolutionOp>(op)) {
          if (failed(outlineConvolution(function, convolution)))
            return failure();
        } else if (auto gather = dyn_cast<rt::GatherOp>(op)) {
          outlineRows(function, gather, planGather(gather), emitGather);
        } else if (auto scatter = dyn_cast<rt::ScatterAddOp>(op)) {
          outlineRows(function, scatter, planScatterAdd(scatter),
                      emitScatterAdd);
        }
        continue;
      }
      KernelPart part = analyze(generic);
      llvm::SetVector<rt::BufferOp> buffers;
      for (Value operand : generic->getOperands()) {
        if (!isa<MemRefType>(operand.getType()))
          continue;
        rt::BufferOp base = getBase(operand);
        if (!base)
          return generic.emitOpError("operand is no planned buffer: ")
                 << operand;
        buffers.insert(base);
      }
      if (!canJoin(group, part, buffers) && failed(flush(function, group)))
        return failure();
      group.parts.push_back(part);
      group.buffers.insert(buffers.begin(), buffers.end());
    }
    return flush(function, group);
  }

  linalg::GenericOp generalizeCopy(RewriterBase &rewriter,
                                   memref::CopyOp copy) {
    auto type = cast<MemRefType>(copy.getTarget().getType());
    AffineMap identity = rewriter.getMultiDimIdentityMap(type.getRank());
    auto generic = linalg::GenericOp::create(
        rewriter, copy.getLoc(), copy.getSource(), copy.getTarget(),
        ArrayRef<AffineMap>{identity, identity},
        SmallVector<utils::IteratorType>(type.getRank(),
                                         utils::IteratorType::parallel),
        [](OpBuilder &b, Location loc, ValueRange args) {
          linalg::YieldOp::create(b, loc, args[0]);
        });
    rewriter.eraseOp(copy);
    return generic;
  }

  KernelPart analyze(linalg::GenericOp op) {
    KernelPart part{op, chooseLoopOrder(op)};
    int64_t work = 1;
    for (int64_t extent : op.getStaticLoopRanges())
      work *= extent;
    part.workPerPiece = work;
    if (part.order.shared && work > serialWork) {
      part.extent = op.getStaticLoopRanges()[*part.order.shared];
      part.workPerPiece = work / part.extent;
    }
    return part;
  }

  /// How `part` cuts `base`: the distance in memory of neighbouring pieces,
  /// when piece [begin, end) touches only elements [begin, end) of one
  /// dimension of each operand that lives in `base`; 0 when it does not.
  static int64_t findCut(const KernelPart &part, rt::BufferOp base) {
    linalg::GenericOp op = part.op;
    int64_t cut = -1;
    for (OpOperand &operand : op->getOpOperands()) {
      auto type = dyn_cast<MemRefType>(operand.get().getType());
      if (!type || getBase(operand.get()) != base)
        continue;
      auto [strides, offset] = type.getStridesAndOffset();
      int64_t own = 0;
      AffineMap map = op.getMatchingIndexingMap(&operand);
      for (auto [dim, expr] : llvm::enumerate(map.getResults()))
        if (auto loop = dyn_cast<AffineDimExpr>(expr);
            loop && loop.getPosition() == *part.order.shared &&
            type.getDimSize(dim) == part.extent)
          own = strides[dim];
      // A view may begin inside of a piece but not behind one.
      if (own == 0 || offset < 0 || offset >= own || (cut != -1 && own != cut))
        return 0;
      cut = own;
    }
    return cut;
  }

  static bool writes(const KernelPart &part, rt::BufferOp base) {
    linalg::GenericOp op = part.op;
    return llvm::any_of(op.getDpsInits(),
                        [&](Value init) { return getBase(init) == base; });
  }

  static bool touches(const KernelPart &part, rt::BufferOp base) {
    linalg::GenericOp op = part.op;
    return llvm::any_of(op->getOperands(), [&](Value operand) {
      return isa<MemRefType>(operand.getType()) && getBase(operand) == base;
    });
  }

  static bool canJoin(const KernelGroup &group, const KernelPart &part,
                      const llvm::SetVector<rt::BufferOp> &buffers) {
    for (const KernelPart &other : group.parts)
      if (other.extent != part.extent)
        return false;
    for (rt::BufferOp buffer : buffers)
      for (rt::BufferOp other : group.buffers)
        if (buffer != other && overlap(buffer, other))
          return false;
    if (part.extent == 1)
      return true; // one thread: in order
    for (const KernelPart &other : group.parts)
      for (rt::BufferOp buffer : buffers)
        if (touches(other, buffer) &&
            (writes(other, buffer) || writes(part, buffer)) &&
            (findCut(other, buffer) == 0 ||
             findCut(other, buffer) != findCut(part, buffer)))
          return false;
    return true;
  }

  /// An empty kernel on `buffers`.
  func::FuncOp createKernel(func::FuncOp function, Location loc,
                            ValueRange buffers) {
    OpBuilder builder(function);
    SmallVector<Type> types(2, builder.getIndexType());
    llvm::append_range(types, buffers.getTypes());
    std::string name =
        (function.getName() + "_kernel_" + llvm::Twine(kernels++)).str();
    auto kernel = func::FuncOp::create(builder, loc, name,
                                       builder.getFunctionType(types, {}));
    kernel.setPrivate();
    kernel->setAttr(rt::kKernelAttrName, builder.getUnitAttr());
    for (unsigned i = 2; i < types.size(); ++i)
      kernel.setArgAttr(i, LLVM::LLVMDialect::getNoAliasAttrName(),
                        builder.getUnitAttr());
    kernel.addEntryBlock();
    return kernel;
  }

  /// Pieces that are too little work for a thread of their own.
  int64_t getGrain(int64_t workPerPiece) const {
    return std::max<int64_t>(1,
                             serialWork / std::max<int64_t>(1, workPerPiece));
  }

  /// A convolution is a kernel of its own.
  LogicalResult outlineConvolution(func::FuncOp function,
                                   rt::ConvolutionOp op) {
    auto target =
        getOperation()->getAttrOfType<rt::CpuTargetAttr>(kCpuTargetAttrName);
    if (!target)
      return op.emitOpError("needs the attribute ")
             << kCpuTargetAttrName
             << " of its program; run boost-lowering-set-cpu-target first";
    bool isWide = target.getFeatures().contains("avx512f");
    Contraction contraction = getContraction(op);
    ContractionPlan plan =
        planContraction(contraction, /*maxLanes=*/isWide ? 16 : 8,
                        /*registers=*/isWide ? 32 : 16, target.getThreads());
    Location loc = op.getLoc();
    llvm::SetVector<Value> buffers(op->operand_begin(), op->operand_end());
    func::FuncOp kernel = createKernel(function, loc, buffers.getArrayRef());
    OpBuilder builder = OpBuilder::atBlockBegin(&kernel.front());
    IRMapping mapping;
    mapping.map(buffers.getArrayRef(), kernel.getArguments().drop_front(2));
    for (Contraction::Access *access : {&contraction.a, &contraction.b,
                                        &contraction.bias, &contraction.result})
      access->buffer = mapping.lookupOrNull(access->buffer);
    emitContraction(builder, loc, contraction, plan, kernel.getArgument(0),
                    kernel.getArgument(1));
    builder.setInsertionPointToEnd(&kernel.front());
    func::ReturnOp::create(builder, loc);
    builder.setInsertionPoint(op);
    rt::LaunchOp::create(builder, loc, kernel.getName(), buffers.getArrayRef(),
                         plan.pieces,
                         getGrain(op.getFlops() / 2 / plan.pieces));
    op.erase();
    return success();
  }

  /// So is a walk over rows.
  template <typename Op>
  void outlineRows(func::FuncOp function, Op op, const RowsPlan &plan,
                   decltype(emitGather) emit) {
    Location loc = op.getLoc();
    llvm::SetVector<Value> buffers(op->operand_begin(), op->operand_end());
    func::FuncOp kernel = createKernel(function, loc, buffers.getArrayRef());
    OpBuilder builder = OpBuilder::atBlockBegin(&kernel.front());
    IRMapping mapping;
    mapping.map(buffers.getArrayRef(), kernel.getArguments().drop_front(2));
    emit(builder, loc, mapping.lookup(op.getSource()),
         mapping.lookup(op.getIndex()), mapping.lookup(op.getDestination()),
         kernel.getArgument(0), kernel.getArgument(1));
    builder.setInsertionPointToEnd(&kernel.front());
    func::ReturnOp::create(builder, loc);
    builder.setInsertionPoint(op);
    rt::LaunchOp::create(
        builder, loc, kernel.getName(), buffers.getArrayRef(), plan.pieces,
        std::max(plan.leastGrain, getGrain(plan.workPerPiece)));
    op->erase();
  }

  /// Makes the group a kernel, its launch in the place of its last op.
  LogicalResult flush(func::FuncOp function, KernelGroup &group) {
    if (group.parts.empty())
      return success();
    KernelGroup done = std::move(group);
    group = KernelGroup();
    SmallVector<Location> locations;
    SmallVector<Value> operands;
    for (const KernelPart &part : done.parts)
      locations.push_back(part.op->getLoc());
    for (rt::BufferOp buffer : done.buffers)
      operands.push_back(buffer);
    Location loc = FusedLoc::get(&getContext(), locations);

    func::FuncOp kernel = createKernel(function, loc, operands);
    Block *body = &kernel.front();
    OpBuilder builder = OpBuilder::atBlockBegin(body);
    IRMapping mapping;
    mapping.map(operands, body->getArguments().drop_front(2));
    int64_t extent = done.parts.front().extent, work = 0;
    Value begin = extent > 1 ? body->getArgument(0) : Value();
    Value end = extent > 1 ? body->getArgument(1) : Value();
    for (const KernelPart &part : done.parts) {
      linalg::GenericOp op = part.op;
      llvm::SetVector<Value> outer(op->getOperands().begin(),
                                   op->getOperands().end());
      getUsedValuesDefinedAbove(op->getRegions(), outer);
      for (Value value : outer)
        cloneView(builder, value, mapping);
      if (failed(emitLoops(builder, op, mapping, part.order, begin, end)))
        return failure();
      work += part.workPerPiece;
    }
    func::ReturnOp::create(builder, loc);

    builder.setInsertionPoint(done.parts.back().op);
    rt::LaunchOp::create(builder, loc, kernel.getName(), operands, extent,
                         getGrain(work));
    for (const KernelPart &part : done.parts)
      linalg::GenericOp(part.op)->erase();
    return success();
  }

  /// Makes `value` available in the kernel: views and constants are cloned into
  /// it.
  static void cloneView(OpBuilder &builder, Value value, IRMapping &mapping) {
    Operation *op = value.getDefiningOp();
    if (mapping.contains(value) || !op || isa<rt::BufferOp>(op))
      return;
    for (Value operand : op->getOperands())
      cloneView(builder, operand, mapping);
    builder.clone(*op, mapping);
  }

  unsigned kernels = 0;
};

} // namespace
