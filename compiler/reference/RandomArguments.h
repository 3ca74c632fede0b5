// RandomArguments.h - numbers to try a function on.
#pragma once

#include "dialects/interfaces/ReferenceValue.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include <vector>

namespace boostc {

/// Argument lists for `function` on rank `rank`, always the same ones. Floats
/// are uniform in
/// [-1, 1), integers in {0, 1, 2}, so that they serve as labels of three or
/// more classes. An argument bound to #rt.binding<valid> takes the values 0, 1,
/// B - 1 and B in turn, B being the batch size of the program around; otherwise
/// there is one list. Failure, with a diagnostic at the function, when an
/// argument has no static shape.
llvm::FailureOr<std::vector<llvm::SmallVector<ReferenceValue>>>
randomArguments(mlir::func::FuncOp function, uint64_t rank = 0);

} // namespace boostc
