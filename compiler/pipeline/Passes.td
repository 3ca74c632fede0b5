#ifndef BOOSTC_PIPELINE_PASSES
#define BOOSTC_PIPELINE_PASSES

include "mlir/Pass/PassBase.td"

def VerifyPhasePass : Pass<"boostc-verify-phase", "::mlir::ModuleOp"> {
  let summary = "checks that a module is what a phase promises";
  let description = [{
    Closes every phase. Reads only. Checks which dialects may appear, that no op of an
    earlier phase is left, that every op that reduces over the batch is given the
    function's own number of real samples, and that programs hold the functions the next
    phase reads. A failure after one of our own passes is a defect of the compiler; after
    `--compile-from` it is the reader's own IR. docs/phases.md has the table of phases.
  }];
  let options = [
    Option<"phase", "phase", "std::string", "\"input\"", "Name of the phase">
  ];
}

#endif // BOOSTC_PIPELINE_PASSES
