#include "compiler/lowering/cpu/StepEstimate.h"
#include "compiler/lowering/kernels/KernelWork.h"

using namespace mlir;
using namespace boostc;

/// What kernels of all sizes reach in a cycle; small ones reach less.
static constexpr double kFlops = 32.0, kBytes = 16.0;

static double estimateCycles(func::FuncOp function) {
  double cycles = 0.0;
  function.walk([&](Operation *op) {
    rt::WorkAttr work;
    if (auto launch = dyn_cast<rt::LaunchOp>(op))
      work = launch.getWorkAttr();
    else if (isa<ContractionOpInterface>(op))
      work = describeWork(op);
    if (work)
      cycles +=
          static_cast<double>(work.getFlops()) / kFlops +
          static_cast<double>(work.getRead() + work.getWritten()) / kBytes;
  });
  return cycles;
}

double boostc::estimateStep(train::ProgramOp program) {
  double most = 0.0;
  for (const train::StepVariant &variant : program.getVariants()) {
    double cycles = 0.0;
    for (const train::StepPhase &phase : variant.getPhases())
      for (func::FuncOp function : {phase.micro, phase.combine, phase.ending})
        if (function)
          cycles += estimateCycles(function);
    most = std::max(most, cycles);
  }
  return most;
}
