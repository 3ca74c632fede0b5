#ifndef BOOSTC_LOWERING_BUFFERS_PASSES
#define BOOSTC_LOWERING_BUFFERS_PASSES

include "mlir/Pass/PassBase.td"

def RecomputePass : Pass<"boostc-recompute", "::boostc::train::ProgramOp"> {
  let summary = "computes cheap values again instead of keeping them";
  let description = [{
    A value that the forward part and, much later, the backward part read occupies memory in
    between. Where the most bytes are alive at once, in the function that needs most, the pass
    looks for the value that costs the least work for a byte (operations, and bytes read and
    written) among those that are not needed right there, and computes it again before its next
    use. Operands that are alive then are read; small ones are kept until then; others are
    computed again, too, up to four ops for a value. It repeats this until no value lowers the
    peak, or `most` values are computed again. Elementwise ops and small
    reductions (pooling, normalisation) qualify, contractions do not. Results are the same
    bits: the same op runs on the same inputs.

    The program's attribute `rt.recomputed` says how many values there are.

    Before:
    ```mlir
    %y = linalg.generic {...} ins(%x) outs(%e) { ^bb0(%in: f32, %out: f32): // tanh }
    %z = rt.matmul ins(%y, %w) ...
    ...
    %dw = rt.matmul ins(%y, %dz) ...
    %dx = linalg.generic {...} ins(%x, %dy) ...
    ```
    After:
    ```mlir
    %y = linalg.generic {...} ins(%x) outs(%e) { ^bb0(%in: f32, %out: f32): // tanh }
    %z = rt.matmul ins(%y, %w) ...
    ...
    %y2 = linalg.generic {...} ins(%x) outs(%e) { ^bb0(%in: f32, %out: f32): // tanh }
    %dw = rt.matmul ins(%y2, %dz) ...
    %dx = linalg.generic {...} ins(%x, %dy) ...
    ```
  }];
  let options = [
    Option<"most", "most", "uint64_t", "~uint64_t{0}", "Values to compute again at most">
  ];
  let dependentDialects = ["::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect"];
}

def BufferizePass : Pass<"boostc-bufferize", "::boostc::train::ProgramOp"> {
  let summary = "turns tensors into buffers, functions into procedures on them";
  let description = [{
    Every argument becomes a memref; a result becomes a memref argument too, the same one
    when an argument has its binding (parameters of `update`). Values are then placed by
    one-shot bufferization, in place wherever that is legal: an update writes the weights
    themselves, a gradient is computed where `combine` and `update` will read it.

    An argument whose binding no result has is only read: `micro` never writes a
    parameter, even where writing it in place would save a buffer. One whose binding a result has
    keeps its value until the last op has read it.

    Before:
    ```mlir
    func.func @update(%g: tensor<8xf32> {rt.binding = #rt.binding<gradient, "w">},
                      %w: tensor<8xf32> {rt.binding = #rt.binding<parameter, "w">})
        -> (tensor<8xf32> {rt.binding = #rt.binding<parameter, "w">}) {
      %new = linalg.generic {...} ins(%g : tensor<8xf32>) outs(%w : tensor<8xf32>) {...}
      return %new : tensor<8xf32>
    }
    ```
    After:
    ```mlir
    func.func @update(%g: memref<8xf32> {rt.binding = #rt.binding<gradient, "w">},
                      %w: memref<8xf32> {rt.binding = #rt.binding<parameter, "w">}) {
      linalg.generic {...} ins(%g : memref<8xf32>) outs(%w : memref<8xf32>) {...}
      return
    }
    ```
  }];
  let dependentDialects = ["::mlir::bufferization::BufferizationDialect",
    "::mlir::memref::MemRefDialect"];
}

def AssignLayoutsPass : Pass<"boostc-assign-layouts", "::boostc::train::ProgramOp"> {
  let summary = "chooses the order of dimensions in memory around convolutions";
  let description = [{
    A layout is the strides of a memref: shapes keep their meaning, and no op but the one
    that turns loops into code looks at them. Temporary inputs of convolutions have the
    batch innermost, so that a vector holds the same pixel of many samples, whatever the
    numbers of channels and pixels; inputs that come from outside are copied once per
    function. A collapsed view for a matmul stays a view, of a transposed matrix. Programs
    whose batch is smaller than four keep row-major inputs, and so do functions with a
    convolution that a library computes, which reads them so. Functions whose images have a
    layout already, as boostc-assign-channels-last gives them, keep that.

    Before and after:
    ```mlir
    %y = memref.alloc() : memref<32x6x28x28xf32>
    rt.convolution forward ins(%x, %w : ...) outs(%y : ...)
    ```
    ```mlir
    %y = memref.alloc() : memref<32x6x28x28xf32, strided<[1, 25088, 896, 32]>>
    rt.convolution forward ins(%x, %w : ...) outs(%y : ...)
    ```
  }];
  let dependentDialects = ["::mlir::memref::MemRefDialect"];
}

def SpecializeMicrosPass
    : Pass<"boostc-specialize-micros", "::boostc::train::ProgramOp"> {
  let summary = "gives each variant a micro that computes what its update reads";
  let description = [{
    Where variants share a `micro` and have updates of their own, a variant whose update does not
    take all gradients gets copies of `micro` and `combine` without the ops that compute the
    others alone: from the end on, an op goes whose results no later op and no update reads. This
    is where a backward that freezes the first layers ends early. Kernels are the same ones, made
    once (`boostc-merge-kernels`). The pass comes when all buffers are chosen and before they are
    placed, so that ops say what they read and write, and temporaries of a copy are its own.

    Before, with an update of `@late` that takes the gradient of `v` alone:
    ```mlir
    train.variant @late micro(@micro) update(@update_late)
    train.variant @full micro(@micro) update(@update)
    func.func @micro(..., %gw: memref<4x3xf32> {rt.binding = #rt.binding<gradient, "w">},
                     %gv: memref<2x4xf32> {rt.binding = #rt.binding<gradient, "v">}) {
      rt.matmul ins(%dy, %h : ...) outs(%gv : memref<2x4xf32>)
      rt.matmul ins(%dh, %x : ...) outs(%gw : memref<4x3xf32>)
    ```
    After:
    ```mlir
    train.variant @late micro(@micro_late) update(@update_late)
    train.variant @full micro(@micro) update(@update)
    func.func @micro_late(...) {
      rt.matmul ins(%dy, %h : ...) outs(%gv : memref<2x4xf32>)
    ```
  }];
}

def MarkGradientsReadyPass
    : Pass<"boostc-mark-gradients-ready", "::boostc::train::ProgramOp"> {
  let summary = "says where in @micro a collective could begin";
  let description = [{
    Puts an `rt.gradients_ready` after the last op of `@micro` that touches what a collective of
    `@update` exchanges, as long as later ops can overlap with it: the runtime begins
    the all-reduce of the last layers' gradients while those of the first are computed.
    It stops at the first collective whose operands are computed in `@update`. The `micro` and
    the probe of each phase of a step are treated likewise. On a GPU, which
    runs asynchronously to the host, a collective waits for that point instead of for the
    whole of `@micro`.

    Before:
    ```mlir
    func.func @micro() {
      rt.matmul ins(...) outs(%last_layers_gradient : memref<10x84xf32>)
      rt.matmul ins(...) outs(%first_layers_gradient : memref<84x400xf32>)
    ```
    After:
    ```mlir
    func.func @micro() {
      rt.matmul ins(...) outs(%last_layers_gradient : memref<10x84xf32>)
      rt.gradients_ready index(0) (%last_layers_gradient : memref<10x84xf32>)
      rt.matmul ins(...) outs(%first_layers_gradient : memref<84x400xf32>)
    ```
  }];
}

def PlanMemoryPass : Pass<"boostc-plan-memory", "::boostc::train::ProgramOp"> {
  let summary = "gives every buffer an offset in an arena";
  let description = [{
    Bound arguments get slots in the arena of their binding (`rt.slot`), one per binding
    over all functions; temporaries get offsets in the transient arena such that two that
    are alive at the same time do not overlap (largest first, each at the lowest offset that is
    free, then better orders are searched for). Functions lose their arguments; every access goes through `rt.buffer`.
    The second operands of `combine` (bindings with `other`) have the offsets of the
    first, in arena `gradient_other`. Input `X.eval`, which an evaluation reads in the place
    of input `X` where its shape is another one, has the offset of `X`. An argument without a binding, or bound to two
    types, is an error.

    Before:
    ```mlir
    func.func @micro(%x: memref<25xf32> {rt.binding = #rt.binding<input, "x">}, ...) {
      %t = memref.alloc() : memref<25xf32>
    ```
    After:
    ```mlir
    rt.slot <input, "x"> batch[0] : memref<25xf32>
    func.func @micro() {
      %x = rt.buffer batch[0] : memref<25xf32>
      %t = rt.buffer transient[0] : memref<25xf32>
    ```
  }];
  let dependentDialects = ["::boostc::rt::RtDialect"];
}

#endif // BOOSTC_LOWERING_BUFFERS_PASSES
