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

def AverageWeightsPass
    : Pass<"boostc-average-weights", "::boostc::train::ProgramOp"> {
  let summary = "Adds exponential moving averages of weights to a step";
  let description = [{
    Where a program has `train.ema`, each parameter and each state that is saved with the
    weights gets a state that averages it, called "<name>.ema" and of f32 alone. Every update
    moves it by `train.moving_average` towards the value that it leaves, whatever boost has
    made that value; a step that is not applied moves nothing. With `evaluate`, `@eval` takes
    the averages as arguments in the place of what they average, and is not changed else.

    Averages belong to no parameter: ranks that have optimizer states of their own share
    them, as they share weights. This pass comes after the passes that change updates and
    before `boostc-complete-step`, which starts averages as the weights start.

    Before:
    ```mlir
    func.func @update(...) -> (tensor<4x3xf32> {rt.binding = #rt.binding<parameter, "w">}, ...)
    ```
    After:
    ```mlir
    train.state @w.ema "ema" average @w evaluated saved with_weights : tensor<4x3xf32>
    func.func @update(..., %a: tensor<4x3xf32> {rt.binding = #rt.binding<state, "w.ema">})
        -> (tensor<4x3xf32> {rt.binding = #rt.binding<parameter, "w">}, ...,
            tensor<4x3xf32> {rt.binding = #rt.binding<state, "w.ema">}) {
      ...
      %b = train.moving_average %a of %w1 decay 9.999000e-01 if %applied : tensor<4x3xf32>
      return %w1, ..., %b
    }
    ```
  }];
}

def ApplyPrecisionPass
    : Pass<"boostc-apply-precision", "::boostc::train::ProgramOp"> {
  let summary = "Places casts for mixed precision";
  let description = [{
    Where a program has `train.amp`, ops of the functions that `train.value_and_grad` and
    `train.evaluate` name compute on bf16 or f16. Each op's PrecisionOpInterface says what
    becomes of it:

    | kind | examples | O1 | O2, O3 |
    |---|---|---|---|
    | low | convolution, dense, matmul, relu | low | low |
    | other | add, gelu, softmax, pooling by mean | f32 | low |
    | normalize | batch_norm, layer_norm | f32 | low, parameters in f32 |
    | move | max_pool, reshape, concat | as their operands | as their operands |
    | float32 | losses, metrics, embedding | f32 | f32 |

    `nn.cast` goes where an operand is of another type than its op takes. Parameters stay in
    f32 and are cast where they are used; a bias is added in f32. With `keep_batchnorm_fp32
    = false` the weight and the bias of an op that normalises are rounded, too. Results of
    the function have the types they had.

    An op computes in f32 whatever it reads, and rounds its result once. So what is low is
    what is stored, and gradients of parameters, which autodiff makes after this pass, are
    sums in f32.

    Before:
    ```mlir
    %y = nn.dense %x, %w, %b : tensor<32x784xf32>, tensor<512x784xf32>, tensor<512xf32>
    ```
    After:
    ```mlir
    %0 = nn.cast %x : tensor<32x784xf32> to tensor<32x784xbf16>
    %1 = nn.cast %w : tensor<512x784xf32> to tensor<512x784xbf16>
    %y = nn.dense %0, %1, %b : tensor<32x784xbf16>, tensor<512x784xbf16>, tensor<512xf32>
    ```
  }];
  let dependentDialects = ["::boostc::nn::NnDialect"];
}

#endif // BOOSTC_TRANSFORMS_PASSES
