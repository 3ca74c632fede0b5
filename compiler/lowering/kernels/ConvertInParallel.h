// ConvertInParallel.h - conversion of kernels on all threads.
#pragma once

#include "mlir/IR/Operation.h"

namespace boostc {

/// Calls `convert` on the threads of the context, each time with a module like
/// `module` that holds some of the functions `kernels` of it, which refer to
/// nothing else in it. What is then in these modules is moved to the end of
/// `module`, in the order of the kernels. A conversion replaces functions: in
/// one module, threads would change its list of functions at once. Which
/// kernels are converted together does not depend on the number of threads.
llvm::LogicalResult convertInParallel(
    mlir::Operation *module, llvm::ArrayRef<mlir::Operation *> kernels,
    llvm::function_ref<llvm::LogicalResult(mlir::Operation *)> convert);

} // namespace boostc
