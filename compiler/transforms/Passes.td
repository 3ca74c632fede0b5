#ifndef BOOSTC_TRANSFORMS_PASSES
#define BOOSTC_TRANSFORMS_PASSES

include "mlir/Pass/PassBase.td"

def CompleteStepPass
    : Pass<"boostc-complete-step", "::boostc::train::ProgramOp"> {
  let summary = "Adds the functions of a step that follow from its declarations";
  let description = [{
    Closes phase `step` with the functions that are never written by hand:

    * for the micro of each variant that has no combine, `@combine` or
      `@combine_<variant>`, one `train.combine` per result of the micro: first the results
      of one micro-batch, then those of another, whose bindings say `other`; the sums have
      the bindings of the first; variants of one micro share it; the phases before the update
      get theirs likewise, as `@combine` or `@combine_<micro>`; a program with
      `rt.reproducible` off adds where gradients are made and needs none;
    * `@init`, one `train.initialize` per parameter and per state, with its initialiser, from
      the argument bound to `#rt.binding<seed>`; and where an update takes what
      `#rt.binding<failed>` is bound to, its first value, 0.

    The program gets `train.min_samples`, the most real samples that an op of a micro which
    reduces over the batch needs for a gradient, where that is not 1.

    A function that exists already stays as it is. A result of a micro without a binding
    is an error: its memory would be unknown.

    Before:
    ```mlir
    func.func @micro(...) -> (tensor<4x3xf32> {rt.binding = #rt.binding<gradient, "w">})
    ```
    After:
    ```mlir
    func.func @combine(%a: tensor<4x3xf32> {rt.binding = #rt.binding<gradient, "w">},
                       %b: tensor<4x3xf32> {rt.binding = #rt.binding<gradient, "w", other>})
        -> (tensor<4x3xf32> {rt.binding = #rt.binding<gradient, "w">}) {
      %sum = train.combine %a, %b : tensor<4x3xf32>
      return %sum : tensor<4x3xf32>
    }
    ```
  }];
  let dependentDialects = ["::mlir::func::FuncDialect", "::boostc::rt::RtDialect"];
}

#endif // BOOSTC_TRANSFORMS_PASSES
