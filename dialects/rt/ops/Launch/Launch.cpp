#include "dialects/rt/RtDialect.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;
using namespace boostc::rt;

LogicalResult LaunchOp::verify() {
  if (static_cast<int64_t>(getExtent()) < 1 ||
      static_cast<int64_t>(getGrain()) < 1)
    return emitOpError("expected extent and grain of 1 or more, found ")
           << static_cast<int64_t>(getExtent()) << " and "
           << static_cast<int64_t>(getGrain());
  return success();
}

LogicalResult LaunchOp::verifySymbolUses(SymbolTableCollection &symbols) {
  auto kernel = symbols.lookupNearestSymbolFrom<FunctionOpInterface>(
      *this, getKernelAttr());
  if (!kernel)
    return emitOpError("kernel '") << getKernel() << "' is not a function here";
  SmallVector<Type> expected(2, IndexType::get(getContext()));
  llvm::append_range(expected, getBuffers().getTypes());
  if (!llvm::equal(kernel.getArgumentTypes(), expected) ||
      !kernel.getResultTypes().empty()) {
    InFlightDiagnostic diagnostic =
        emitOpError("kernel '")
        << getKernel() << "' expected arguments (index, index, "
        << getBuffers().getTypes() << ") and no results";
    diagnostic.attachNote(kernel->getLoc()) << "the kernel is here";
    return diagnostic;
  }
  return success();
}
