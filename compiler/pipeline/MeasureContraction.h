// MeasureContraction.h - how long the candidates of a contraction take on
// this machine.
#pragma once

#include "compiler/lowering/cpu/ContractionChoice.h"

namespace boostc {

/// The least time of each of the first `candidates` candidates of `op`, in
/// microseconds. Compiles a program for each, which does nothing else, and runs
/// them in turn inside this process, so that what else the machine does hits
/// all of them. `op` is one that ContractionChooser is asked about.
llvm::FailureOr<std::vector<double>>
measureContraction(mlir::Operation *op, size_t candidates, int codegenLevel);

} // namespace boostc
