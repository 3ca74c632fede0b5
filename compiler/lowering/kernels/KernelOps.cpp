#include "compiler/lowering/kernels/KernelOps.h"
#include "dialects/interfaces/LinalgHelpers.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;
using namespace boostc;

static linalg::GenericOp generalizeCopy(RewriterBase &rewriter,
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

linalg::GenericOp boostc::generalizeToLoops(RewriterBase &rewriter,
                                            Operation *op) {
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(op);
  if (auto copy = dyn_cast<memref::CopyOp>(op))
    return generalizeCopy(rewriter, copy);
  if (auto generic = dyn_cast<linalg::GenericOp>(op))
    return generic;
  auto named = dyn_cast<linalg::LinalgOp>(op);
  if (!named)
    return nullptr;
  FailureOr<linalg::GenericOp> general =
      linalg::generalizeNamedOp(rewriter, named);
  assert(succeeded(general) && "every named linalg op is a loop nest");
  return *general;
}

bool boostc::isBufferOrConstant(Operation *op) {
  return isa<rt::BufferOp, arith::ConstantOp, ViewLikeOpInterface>(op);
}

void boostc::forEachUser(Value buffer,
                         llvm::function_ref<void(Operation *)> act) {
  for (Operation *user : buffer.getUsers())
    if (isa<ViewLikeOpInterface>(user))
      forEachUser(user->getResult(0), act);
    else
      act(user);
}

Value boostc::getViewedBuffer(Value value) {
  while (auto view = value.getDefiningOp<ViewLikeOpInterface>())
    value = view.getViewSource();
  return value;
}

rt::BufferOp boostc::getBase(Value value) {
  return getViewedBuffer(value).getDefiningOp<rt::BufferOp>();
}

bool boostc::overlap(rt::BufferOp a, rt::BufferOp b) {
  if (a.getArena() != b.getArena())
    return false;
  if (a.getOffset() > b.getOffset())
    std::swap(a, b);
  auto distance = static_cast<int64_t>(b.getOffset() - a.getOffset());
  return distance == 0 || distance < countBytes(a->getResultTypes());
}

bool boostc::hasManyRules(train::ProgramOp program) {
  constexpr size_t kMany = 100;
  size_t parameters =
      llvm::count_if(program.getOps<rt::SlotOp>(), [](rt::SlotOp slot) {
        return slot.getArena() == rt::Arena::Parameter;
      });
  return parameters * program.getUpdates().size() > kMany;
}

bool boostc::isAboutParameters(rt::BufferOp buffer, bool isWritten) {
  switch (buffer.getArena()) {
  case rt::Arena::Parameter:
    return isWritten;
  case rt::Arena::State: // counts and scales are scalars
    return isWritten && buffer.getType().getRank() > 0;
  case rt::Arena::GradientOther:
    return true;
  case rt::Arena::Gradient: // and so is the number of samples
    return !isWritten && buffer.getType().getRank() > 0;
  default:
    return false;
  }
}

static void cloneView(OpBuilder &builder, Value value, IRMapping &mapping) {
  Operation *op = value.getDefiningOp();
  if (mapping.contains(value) || !op || isa<rt::BufferOp>(op))
    return;
  // A part of an op needs none of the buffers that the kernel lacks.
  if (rt::BufferOp base = getBase(value); base && !mapping.contains(base))
    return;
  for (Value operand : op->getOperands())
    cloneView(builder, operand, mapping);
  builder.clone(*op, mapping);
}

void boostc::cloneViews(OpBuilder &builder, Operation *op, IRMapping &mapping) {
  llvm::SetVector<Value> outer(op->getOperands().begin(),
                               op->getOperands().end());
  getUsedValuesDefinedAbove(op->getRegions(), outer);
  for (Value value : outer)
    cloneView(builder, value, mapping);
}
