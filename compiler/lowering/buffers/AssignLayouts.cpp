// The order of dimensions in memory around convolutions; see Passes.td.

#include "compiler/lowering/buffers/Passes.h"
#include "compiler/lowering/kernels/Strides.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace boostc {
#define GEN_PASS_DEF_ASSIGNLAYOUTSPASS
#include "compiler/lowering/buffers/Passes.h.inc"
} // namespace boostc

using namespace mlir;
using namespace boostc;

/// Samples that lie side by side fill at least a small vector.
constexpr int64_t kMinBatch = 4;

/// `type`, [N, ...], with n innermost and the rest row-major.
static MemRefType getBatchInnermost(MemRefType type) {
  auto order = llvm::to_vector(llvm::seq<unsigned>(1, type.getRank()));
  order.push_back(0);
  return getOrdered(type, order);
}

static bool isFeatureMapType(Type type) {
  auto memref = dyn_cast<MemRefType>(type);
  return memref && memref.getRank() == 4 && memref.getDimSize(0) >= kMinBatch;
}

/// A matrix [N, everything else]: the view that a flatten becomes.
static bool isMatrixView(memref::CollapseShapeOp view) {
  SmallVector<ReassociationIndices> groups = view.getReassociationIndices();
  return groups.size() == 2 && groups.front().size() == 1;
}

static bool mayMove(memref::AllocOp alloc) {
  if (!isFeatureMapType(alloc.getType()) ||
      !alloc.getType().getLayout().isIdentity())
    return false;
  for (OpOperand &use : alloc->getUses()) {
    auto view = dyn_cast<memref::CollapseShapeOp>(use.getOwner());
    bool isFine = view ? isMatrixView(view) &&
                             llvm::all_of(view->getUses(), followsStrides)
                       : followsStridesInSlices(use);
    if (!isFine)
      return false;
  }
  return true;
}

/// Whether an image of `op` has a layout already.
static bool isChosen(rt::ConvolutionOp op) {
  return llvm::any_of(op->getOperandTypes(), [](Type type) {
    return !cast<MemRefType>(type).getLayout().isIdentity();
  });
}

namespace {

struct AssignLayouts : boostc::impl::AssignLayoutsPassBase<AssignLayouts> {
  void runOnOperation() override {
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      SmallVector<rt::ConvolutionOp> convolutions(
          function.getOps<rt::ConvolutionOp>());
      // A library reads inputs as they are, and other passes may have chosen.
      if (convolutions.empty() ||
          llvm::any_of(convolutions, [](rt::ConvolutionOp convolution) {
            return convolution.getScratch() || isChosen(convolution);
          }))
        continue;
      for (auto alloc : function.getOps<memref::AllocOp>())
        if (mayMove(alloc))
          setStrides(alloc, getBatchInnermost(alloc.getType()));
      llvm::DenseMap<Value, Value> copies;
      for (rt::ConvolutionOp convolution : convolutions)
        for (OpOperand &operand : convolution->getOpOperands())
          if (operand.get() != convolution.getC() && followsStrides(operand))
            copyOutsider(operand, copies);
    }
  }

  /// Inputs that arrive in another order are copied. An argument that is only
  /// read has the same values throughout and is copied once.
  static void copyOutsider(OpOperand &operand,
                           llvm::DenseMap<Value, Value> &copies) {
    Value input = operand.get();
    if (!isFeatureMapType(input.getType()))
      return;
    MemRefType wanted = getBatchInnermost(cast<MemRefType>(input.getType()));
    if (input.getType() == wanted)
      return;
    if (Value copy = copies.lookup(input)) {
      operand.set(copy);
      return;
    }
    OpBuilder builder(operand.getOwner());
    Location loc = operand.getOwner()->getLoc();
    Value copy = memref::AllocOp::create(builder, loc, wanted);
    memref::CopyOp::create(builder, loc, input, copy);
    operand.set(copy);
    if (isa<BlockArgument>(input) && llvm::none_of(input.getUses(), isWritten))
      copies[input] = copy;
  }
};

} // namespace
