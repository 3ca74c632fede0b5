// Scratch memory of library calls; see Passes.td.

#include "compiler/lowering/cpu/ContractionChoice.h"
#include "compiler/lowering/cpu/Passes.h"
#include "compiler/lowering/kernels/LibraryCalls.h"
#include "compiler/lowering/target/CpuTarget.h"
#include "compiler/lowering/target/CudaTarget.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "runtime/device/cpu/PiecewiseMatmul.h"
#include "runtime/device/cpu/ThreadPool.h"

namespace boostc {
#define GEN_PASS_DEF_RESERVESCRATCHPASS
#include "compiler/lowering/cpu/Passes.h.inc"
} // namespace boostc

using namespace mlir;
using namespace boostc;

namespace {

struct ReserveScratch : boostc::impl::ReserveScratchPassBase<ReserveScratch> {
  void runOnOperation() override {
    if (getCudaTarget(getOperation()))
      return;
    FailureOr<rt::CpuTargetAttr> target = getCpuTarget(getOperation());
    if (failed(target))
      return signalPassFailure();
    bool isStrict =
        rt::getReproducibility(getOperation()) == rt::Reproducibility::Strict;
    // Scratch sizes depend on the number of threads.
    boostrt::LibraryThreads threads(isStrict ? 1 : target->getThreads());
    boostrt::Result<std::unique_ptr<boostrt::DnnlContext>> library =
        boostrt::DnnlContext::create();
    if (!library.ok()) {
      getOperation().emitError(library.status().message());
      return signalPassFailure();
    }
    WalkResult result = getOperation().walk([&](rt::MatmulOp op) {
      if (op.getScratch() || !isa<MemRefType>(op.getC().getType()))
        return WalkResult::advance();
      // A candidate that does not exist is reported where kernels are made.
      std::optional<ContractionCandidate> candidate = getCandidate(op, *target);
      if (candidate && candidate->plan)
        return WalkResult::advance();
      BoostLibraryCall call = describeLibraryCall(op);
      boostrt::Result<uint64_t> bytes =
          boostrt::PiecewiseMatmul::queryScratchBytes(
              **library, call.matmul, isStrict,
              {call.factor_type, call.result_type});
      if (!bytes.ok()) {
        op.emitError(bytes.status().message());
        return WalkResult::interrupt();
      }
      if (*bytes == 0)
        return WalkResult::advance();
      OpBuilder builder(op);
      auto type =
          MemRefType::get({static_cast<int64_t>(*bytes)}, builder.getI8Type());
      Value scratch = memref::AllocOp::create(builder, op.getLoc(), type);
      op.getScratchMutable().assign(scratch);
      return WalkResult::advance();
    });
    if (result.wasInterrupted())
      signalPassFailure();
  }
};

} // namespace
