#ifndef BOOSTC_AUTODIFF_PASSES
#define BOOSTC_AUTODIFF_PASSES

include "mlir/Pass/PassBase.td"

def BuildBackwardPass
    : Pass<"boostc-build-backward", "::boostc::train::ProgramOp"> {
  let summary = "Replaces the gradients asked for by the ops that compute them";
  let description = [{
    Replaces every `train.value_and_grad` by a copy of its function's body followed by
    the backward, and every `train.evaluate` by a copy of the body. The backward visits
    the forward ops in reverse order and asks each for its own through
    `DifferentiableOpInterface`; the pass knows no op. Gradients of a value with several
    uses are summed. Only what is between a requested argument and the loss gets a
    gradient (compiler/autodiff/Activity.h).

    * A parameter that the loss does not depend on gets a zero gradient and a warning.
    * An op without the interface on the way of a gradient is an error.
    * The argument bound to `#rt.binding<valid>` is the number of real samples for ops
      that reduce over the batch; needing it without having it is an error.
    * Forward ops that neither loss nor gradients read (metrics, in `@micro`) are gone
      afterwards, and so are forward functions that nothing names any more.

    The functions must be straight-line: one block, no `train.value_and_grad` and no
    `train.evaluate` in it.

    Before:
    ```mlir
    %sum, %count, %dw = train.value_and_grad @forward(%x, %t, %valid, %w) wrt [3] : ...
    ```
    After, with `@forward` = `nn.dense`, then `nn.softmax_cross_entropy`:
    ```mlir
    %y = nn.dense %x, %w : ...
    %sum, %count = nn.softmax_cross_entropy %y, %t, %valid : ...
    %one = arith.constant dense<1.0> : tensor<f32>
    %dy = nn.softmax_cross_entropy_grad %one, %y, %t, %valid : ...
    %dw = nn.dense_grad_weight %dy, %x : ...
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::boostc::nn::NnDialect"
  ];
}

#endif // BOOSTC_AUTODIFF_PASSES
