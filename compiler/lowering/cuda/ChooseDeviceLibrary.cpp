// Which products a library computes on a GPU; see Passes.td.

#include "compiler/lowering/Passes.h"
#include "compiler/lowering/cuda/CudaTarget.h"
#include "compiler/lowering/kernels/KernelOps.h"
#include "compiler/lowering/kernels/LibraryCalls.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace boostc {
#define GEN_PASS_DEF_CHOOSEDEVICELIBRARYPASS
#include "compiler/lowering/Passes.h.inc"
} // namespace boostc

using namespace mlir;
using namespace boostc;

/// What cuBLASLt may use of the device's memory beside the operands: what its
/// manual recommends for sm_90. Calls share it.
static constexpr int64_t kScratchBytes = int64_t{32} << 20;

/// Products of fewer terms stay kernels. A generated kernel needs some ten
/// microseconds for so many, which is what makes up for the launches that are
/// lost when a product does not share one with its bias, activation or
/// neighbours. An estimate, which no device has confirmed; what is a call is
/// measured where it runs, and its kernel taken where that is faster.
static constexpr int64_t kFewestTerms = int64_t{1} << 26;

/// With fewer rows, columns or terms than this a product is one of vectors,
/// which memory bounds: no tile of a library's is full.
static constexpr int64_t kSmallestExtent = 16;

static bool isWorthACall(const BoostMatmul &call) {
  return call.m * call.n * call.k >= kFewestTerms &&
         std::min({call.m, call.n, call.k}) >= kSmallestExtent;
}

/// Whether the library can read a matrix: the elements of its rows or of its
/// columns are neighbours.
static bool isReadable(const int64_t *strides, int64_t rows, int64_t columns) {
  return (strides[1] == 1 && strides[0] >= columns) ||
         (strides[0] == 1 && strides[1] >= rows);
}

static bool isReadable(rt::MatmulOp op, const BoostMatmul &call) {
  // What begins inside of a buffer is left to kernels.
  for (Value operand : {op.getA(), op.getB(), op.getBias(), op.getC()})
    if (operand &&
        cast<MemRefType>(operand.getType()).getStridesAndOffset().second != 0)
      return false;
  // A kernel that stands in takes each buffer once.
  return getViewedBuffer(op.getA()) != getViewedBuffer(op.getB()) &&
         isReadable(call.a_strides, call.m, call.k) &&
         isReadable(call.b_strides, call.k, call.n);
}

namespace {

struct ChooseDeviceLibrary
    : boostc::impl::ChooseDeviceLibraryPassBase<ChooseDeviceLibrary> {
  using ChooseDeviceLibraryPassBase::ChooseDeviceLibraryPassBase;

  void runOnOperation() override {
    if (library != "auto" && library != "always" && library != "never") {
      getOperation().emitError("library '")
          << library << "': expected auto, always or never";
      return signalPassFailure();
    }
    if (!getCudaTarget(getOperation()) || library == "never")
      return;
    getOperation().walk([&](rt::MatmulOp op) {
      if (!isa<MemRefType>(op.getC().getType()) || op.getScratch())
        return;
      BoostMatmul call = describeMatmul(op);
      if (!isReadable(op, call) || (library == "auto" && !isWorthACall(call)))
        return;
      OpBuilder builder(op);
      auto type = MemRefType::get({kScratchBytes}, builder.getI8Type());
      op.getScratchMutable().assign(
          memref::AllocOp::create(builder, op.getLoc(), type));
    });
  }
};

} // namespace
