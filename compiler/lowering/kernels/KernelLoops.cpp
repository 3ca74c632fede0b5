#include "compiler/lowering/kernels/KernelLoops.h"
#include "compiler/lowering/kernels/LinearIndex.h"
#include "mlir/Dialect/Affine/Utils.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace boostc;

/// The dimension of `type` whose elements are neighbours in memory.
static std::optional<unsigned> findContiguousDim(MemRefType type) {
  auto [strides, offset] = type.getStridesAndOffset();
  for (unsigned dim = type.getRank(); dim-- > 0;)
    if (strides[dim] == 1 && type.getDimSize(dim) > 1)
      return dim;
  return std::nullopt;
}

/// The loop that goes through dimension `dim` of `operand` element by element:
/// the longest one in it, as that of the columns of a window that is as wide as
/// the image is.
static std::optional<unsigned>
findElementLoop(linalg::GenericOp op, OpOperand &operand, unsigned dim) {
  AffineExpr expr = op.getMatchingIndexingMap(&operand).getResult(dim);
  SmallVector<int64_t> extents = op.getStaticLoopRanges();
  std::optional<unsigned> longest;
  expr.walk([&](AffineExpr part) {
    if (auto loop = dyn_cast<AffineDimExpr>(part);
        loop && (!longest || extents[loop.getPosition()] > extents[*longest]))
      longest = loop.getPosition();
  });
  std::optional<LinearIndex> offset = getOffset(op, operand);
  return longest && offset && (*offset)[*longest] == 1 ? longest : std::nullopt;
}

/// The loop that runs along the contiguous dimension of most of the memory that
/// the op touches; the op's last loop when none does.
static unsigned findContiguousLoop(linalg::GenericOp op) {
  SmallVector<int64_t> votes(op.getNumLoops(), 0);
  for (OpOperand &operand : op->getOpOperands()) {
    auto type = dyn_cast<MemRefType>(operand.get().getType());
    std::optional<unsigned> contiguous =
        type ? findContiguousDim(type) : std::nullopt;
    bool isTouched = op.isDpsInit(&operand) ||
                     !op.getMatchingBlockArgument(&operand).use_empty();
    if (!contiguous || !isTouched)
      continue;
    if (std::optional<unsigned> loop =
            findElementLoop(op, operand, *contiguous))
      votes[*loop] += type.getNumElements();
  }
  unsigned best = op.getNumLoops() - 1;
  for (unsigned loop = 0; loop < votes.size(); ++loop)
    if (votes[loop] > votes[best])
      best = loop;
  return best;
}

double boostc::estimateIdling(int64_t pieces, int64_t threads) {
  return static_cast<double>(llvm::alignTo(pieces, threads)) /
         static_cast<double>(pieces);
}

LoopOrder boostc::chooseLoopOrder(linalg::GenericOp op, int64_t threads) {
  // What another loop than the outermost must gain: ops around share that one.
  constexpr double kGain = 1.25;
  LoopOrder order;
  if (op.getNumLoops() == 0)
    return order;
  SmallVector<utils::IteratorType> iterators = op.getIteratorTypesArray();
  SmallVector<int64_t> extents = op.getStaticLoopRanges();
  unsigned contiguous = findContiguousLoop(op);
  for (unsigned loop = 0; loop < iterators.size(); ++loop) {
    if (loop == contiguous ||
        iterators[loop] != utils::IteratorType::parallel || extents[loop] == 1)
      continue;
    if (!order.shared || estimateIdling(extents[*order.shared], threads) >
                             kGain * estimateIdling(extents[loop], threads))
      order.shared = loop;
  }
  if (!order.shared && iterators[contiguous] == utils::IteratorType::parallel)
    order.shared = contiguous;
  if (order.shared && *order.shared != contiguous)
    order.loops.push_back(*order.shared);
  for (unsigned loop = 0; loop < iterators.size(); ++loop)
    if (loop != contiguous && loop != order.shared)
      order.loops.push_back(loop);
  order.loops.push_back(contiguous);
  return order;
}

namespace {

/// Emits the innermost code of one op.
class BodyEmitter {
public:
  BodyEmitter(linalg::GenericOp op, const IRMapping &buffers)
      : op(op), buffers(buffers), loops(op.getNumLoops()) {}

  void setLoop(unsigned loop, Value variable) { loops[loop] = variable; }

  void emit(OpBuilder &builder) {
    IRMapping mapping = buffers; // also maps what the body reads from outside
    for (OpOperand &operand : op->getOpOperands()) {
      BlockArgument element = op.getMatchingBlockArgument(&operand);
      if (element.use_empty())
        continue;
      Value buffer = buffers.lookup(operand.get());
      // A scalar operand is its own element.
      if (isa<MemRefType>(buffer.getType()))
        buffer = memref::LoadOp::create(builder, op.getLoc(), buffer,
                                        getIndices(builder, &operand));
      mapping.map(element, buffer);
    }
    for (Operation &inner : op.getBody()->without_terminator()) {
      if (auto index = dyn_cast<linalg::IndexOp>(inner))
        mapping.map(index.getResult(), loops[index.getDim()]);
      else
        builder.clone(inner, mapping);
    }
    auto yield = cast<linalg::YieldOp>(op.getBody()->getTerminator());
    for (auto [i, value] : llvm::enumerate(yield.getOperands())) {
      OpOperand *output = op.getDpsInitOperand(i);
      memref::StoreOp::create(
          builder, op.getLoc(), mapping.lookupOrDefault(value),
          buffers.lookup(output->get()), getIndices(builder, output));
    }
  }

private:
  SmallVector<Value> getIndices(OpBuilder &builder, OpOperand *operand) {
    SmallVector<Value> indices;
    for (AffineExpr expr : op.getMatchingIndexingMap(operand).getResults()) {
      if (auto dim = dyn_cast<AffineDimExpr>(expr))
        indices.push_back(loops[dim.getPosition()]);
      else
        indices.push_back(affine::expandAffineExpr(builder, op.getLoc(), expr,
                                                   loops, /*symbols=*/{}));
    }
    return indices;
  }

  linalg::GenericOp op;
  const IRMapping &buffers;
  SmallVector<Value> loops;
};

} // namespace

void boostc::disableUnrolling(scf::ForOp loop) {
  MLIRContext *context = loop.getContext();
  auto unroll = LLVM::LoopUnrollAttr::get(
      context, /*disable=*/BoolAttr::get(context, true), /*count=*/{},
      /*runtimeDisable=*/{}, /*full=*/{}, /*followupUnrolled=*/{},
      /*followupRemainder=*/{}, /*followupAll=*/{});
  auto annotation = LLVM::LoopAnnotationAttr::get(
      context, /*disableNonforced=*/{}, /*vectorize=*/{}, /*interleave=*/{},
      unroll, /*unrollAndJam=*/{}, /*licm=*/{}, /*distribute=*/{},
      /*pipeline=*/{}, /*peeled=*/{}, /*unswitch=*/{}, /*mustProgress=*/{},
      /*isVectorized=*/{}, /*startLoc=*/{}, /*endLoc=*/{},
      /*parallelAccesses=*/{});
  loop->setAttr("llvm.loop_annotation", annotation);
}

LogicalResult boostc::emitLoops(OpBuilder &builder, linalg::GenericOp op,
                                const IRMapping &buffers,
                                const LoopOrder &order, Value begin,
                                Value end) {
  for (AffineMap map : op.getIndexingMapsArray())
    for (AffineExpr expr : map.getResults())
      if (!isLinear(expr))
        return op.emitOpError("indexes an operand by the map ")
               << AffineMapAttr::get(map)
               << "; kernels index by sums of loops, factors and constants";

  OpBuilder::InsertionGuard guard(builder);
  Location loc = op.getLoc();
  SmallVector<int64_t> extents = op.getStaticLoopRanges();
  SmallVector<utils::IteratorType> iterators = op.getIteratorTypesArray();
  constexpr int64_t kLong = 16;
  BodyEmitter body(op, buffers);
  if (!order.loops.empty()) {
    Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
    Value one = arith::ConstantIndexOp::create(builder, loc, 1);
    for (unsigned loop : order.loops) {
      bool isShared = begin && loop == order.shared;
      Value lower = isShared ? begin : zero;
      Value upper =
          isShared ? end
                   : arith::ConstantIndexOp::create(builder, loc, extents[loop])
                         .getResult();
      auto forOp = scf::ForOp::create(builder, loc, lower, upper, one);
      // Copies of an outer loop's body cost compile time and save nothing; a
      // long innermost loop that is unrolled first is not vectorised any more.
      bool isInnermost = loop == order.loops.back();
      if (isInnermost ? extents[loop] >= kLong
                      : iterators[loop] == utils::IteratorType::parallel)
        disableUnrolling(forOp);
      body.setLoop(loop, forOp.getInductionVar());
      builder.setInsertionPointToStart(forOp.getBody());
    }
  }
  body.emit(builder);
  return success();
}
