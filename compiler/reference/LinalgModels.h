// LinalgModels.h - structured linalg ops in the interpreter.
#pragma once

namespace mlir {
class MLIRContext;
}

namespace boostc {

/// Gives linalg's structured ops on tensors their ReferenceOpInterface.
void attachLinalgModels(mlir::MLIRContext &context);

} // namespace boostc
