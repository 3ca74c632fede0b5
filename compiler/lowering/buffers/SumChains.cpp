#include "compiler/lowering/buffers/SumChains.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "runtime/abi/boost_abi.h"

using namespace mlir;
using namespace boostc;

/// Shorter ones are no work for bufferization.
static constexpr size_t kMinLength = 8;

/// The op that writes over the only result of `op`, when nothing else uses it.
static linalg::GenericOp getNext(Operation *op) {
  Value result = op->getResult(0);
  if (!result.hasOneUse())
    return {};
  OpOperand &use = *result.getUses().begin();
  auto next = dyn_cast<linalg::GenericOp>(use.getOwner());
  return next && next->getNumResults() == 1 && next.isDpsInit(&use)
             ? next
             : linalg::GenericOp();
}

/// Whether `value` is read where it is: nothing writes over it.
static bool isOnlyRead(Value value) {
  return llvm::all_of(value.getUses(), [](OpOperand &use) {
    auto user = dyn_cast<linalg::LinalgOp>(use.getOwner());
    return user && !user.isDpsInit(&use);
  });
}

static void place(ArrayRef<Operation *> chain) {
  Value value = chain.front()->getResult(0);
  auto type = cast<RankedTensorType>(value.getType());
  OpBuilder builder(chain.front());
  Value buffer = memref::AllocOp::create(
      builder, chain.front()->getLoc(),
      MemRefType::get(type.getShape(), type.getElementType()),
      builder.getI64IntegerAttr(BOOSTC_ALIGNMENT));
  // `restrict` is promised of each tensor though all are of one buffer: no op
  // reads one of them after a later one was stored, so that none needs a copy.
  for (Operation *op : chain) {
    value = op->getResult(0);
    Location loc = op->getLoc();
    builder.setInsertionPointAfter(op);
    auto store = bufferization::MaterializeInDestinationOp::create(
        builder, loc, Type(), value, buffer);
    store.setRestrict(true);
    store.setWritable(true);
    Value stored =
        bufferization::ToTensorOp::create(builder, loc, type, buffer,
                                          /*restrict=*/true, /*writable=*/true);
    value.replaceAllUsesExcept(stored, store);
  }
}

void boostc::placeSumChains(func::FuncOp function) {
  SmallVector<SmallVector<Operation *>> chains;
  // A chain begins in fresh memory.
  for (auto fill : function.getOps<linalg::FillOp>()) {
    if (fill->getNumResults() != 1 ||
        !fill.getOutputs()[0].getDefiningOp<tensor::EmptyOp>() ||
        !fill.getOutputs()[0].hasOneUse())
      continue;
    SmallVector<Operation *> chain = {fill};
    while (linalg::GenericOp next = getNext(chain.back()))
      chain.push_back(next);
    if (chain.size() >= kMinLength && isOnlyRead(chain.back()->getResult(0)))
      chains.push_back(std::move(chain));
  }
  for (ArrayRef<Operation *> chain : chains)
    place(chain);
}
