// Scratch memory of library calls; see Passes.td.

#include "compiler/lowering/cpu/ContractionChoice.h"
#include "compiler/lowering/cpu/Passes.h"
#include "compiler/lowering/kernels/LibraryCalls.h"
#include "compiler/lowering/target/CpuTarget.h"
#include "compiler/lowering/target/CudaTarget.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "runtime/device/cpu/CpuOperation.h"

namespace boostc {
#define GEN_PASS_DEF_RESERVESCRATCHPASS
#include "compiler/lowering/cpu/Passes.h.inc"
} // namespace boostc

using namespace mlir;
using namespace boostc;

/// From so many rows on a library inverts a matrix. A kernel passes over it for
/// each panel of its rows, which is fast while it lies in a core's cache; what
/// was measured is in docs/benchmarks.md, "THOR".
static constexpr int64_t kMinRows = 640;

namespace {

struct ReserveScratch : boostc::impl::ReserveScratchPassBase<ReserveScratch> {
  using ReserveScratchPassBase::ReserveScratchPassBase;

  void runOnOperation() override {
    if (getCudaTarget(getOperation()))
      return;
    FailureOr<rt::CpuTargetAttr> target = getCpuTarget(getOperation());
    if (failed(target))
      return signalPassFailure();
    bool isStrict =
        rt::getReproducibility(getOperation()) == rt::Reproducibility::Strict;
    boostrt::Result<std::unique_ptr<boostrt::CpuLibraries>> libraries =
        boostrt::CpuLibraries::create();
    if (!libraries.ok()) {
      getOperation().emitError(libraries.status().message());
      return signalPassFailure();
    }
    WalkResult result = getOperation().walk([&](LibraryOpInterface op) {
      if (op.getScratch() || !isCall(op, *target))
        return WalkResult::advance();
      boostrt::Result<uint64_t> bytes =
          (*libraries)
              ->queryScratchBytes(describeLibraryCall(op), target->getThreads(),
                                  isStrict);
      if (!bytes.ok()) {
        op->emitError(bytes.status().message());
        return WalkResult::interrupt();
      }
      if (*bytes == 0)
        return WalkResult::advance();
      OpBuilder builder(op);
      auto type =
          MemRefType::get({static_cast<int64_t>(*bytes)}, builder.getI8Type());
      Value scratch = memref::AllocOp::create(builder, op->getLoc(), type);
      op.getScratchMutable().assign(scratch);
      return WalkResult::advance();
    });
    if (result.wasInterrupted())
      signalPassFailure();
  }

  /// Whether a library computes `op`, which is not on tensors.
  bool isCall(LibraryOpInterface op, rt::CpuTargetAttr target) const {
    if (!isForLibrary(op) ||
        !llvm::all_of(op->getOperandTypes(), llvm::IsaPred<MemRefType>))
      return false;
    if (!isa<ContractionOpInterface>(*op))
      return useLibrary && op.getMatmulShape().rows >= kMinRows;
    // A candidate that does not exist is reported where kernels are made.
    std::optional<ContractionCandidate> candidate = getCandidate(op, target);
    return !candidate || !candidate->plan;
  }
};

} // namespace
