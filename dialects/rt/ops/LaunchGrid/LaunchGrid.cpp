#include "dialects/rt/RtDialect.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;
using namespace boostc::rt;

LogicalResult LaunchGridOp::verify() {
  auto blocks = static_cast<int64_t>(getBlocks());
  auto threads = static_cast<int64_t>(getThreads());
  if (blocks < 1 || blocks > std::numeric_limits<int32_t>::max() ||
      threads < 1 || threads > 1024)
    return emitOpError("expected 1 to 2^31 - 1 blocks of 1 to 1024 threads, "
                       "found ")
           << blocks << " of " << threads;
  if (getWrites().size() != getBuffers().size())
    return emitOpError("expected a value in 'writes' for each of ")
           << getBuffers().size() << " buffers, found " << getWrites().size();
  if (getFallback()) {
    auto call =
        dyn_cast_or_null<boostc::LibraryOpInterface>((*this)->getPrevNode());
    if (!call || !call.getScratch())
      return emitOpError("is a fallback; expected a library call with scratch "
                         "memory right before it");
  }
  return success();
}

LogicalResult LaunchGridOp::verifySymbolUses(SymbolTableCollection &symbols) {
  auto function = symbols.lookupNearestSymbolFrom<FunctionOpInterface>(
      *this, getKernelAttr());
  auto kernel = dyn_cast_or_null<gpu::GPUFuncOp>(function.getOperation());
  // Kernels are lowered before their launches are.
  if (function && !kernel)
    return success();
  if (!kernel || !kernel.isKernel())
    return emitOpError("kernel '")
           << getKernel() << "' is not a kernel in this module";
  if (!llvm::equal(kernel.getArgumentTypes(), getBuffers().getTypes())) {
    InFlightDiagnostic diagnostic = emitOpError("kernel '")
                                    << getKernel() << "' expected arguments ("
                                    << getBuffers().getTypes() << ")";
    diagnostic.attachNote(kernel->getLoc()) << "the kernel is here";
    return diagnostic;
  }
  return success();
}
