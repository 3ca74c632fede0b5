#ifndef BOOSTC_LOWERING_LINALG_PASSES
#define BOOSTC_LOWERING_LINALG_PASSES

include "mlir/Pass/PassBase.td"

def LowerToLinalgPass : Pass<"boostc-lower-to-linalg", "::boostc::train::ProgramOp"> {
  let summary = "replaces nn and train ops by library calls and linalg";
  let description = [{
    Asks every op of every function for a library call (`LibraryCallOpInterface`) and, when
    there is none, for its lowering (`LowerToLinalgOpInterface`). Tensors keep value
    semantics. Splat constants become fills, so that no constant needs memory. Users come
    before what they read: a rule takes the transforms of its gradient into its own loop.

    Before and after:
    ```mlir
    %y = nn.relu %x : tensor<32x512xf32>
    ```
    ```mlir
    %e = tensor.empty() : tensor<32x512xf32>
    %y = linalg.generic {...} ins(%x) outs(%e) { ... }
    ```
  }];
  let options = [
    Option<"useLibrary", "use-library", "bool", "true",
           "Use the vendor library where it has the op">
  ];
  let dependentDialects = ["::mlir::linalg::LinalgDialect", "::mlir::arith::ArithDialect",
    "::mlir::math::MathDialect", "::mlir::tensor::TensorDialect",
    "::boostc::rt::RtDialect"];
}

def FuseElementwisePass : Pass<"boostc-fuse-elementwise", "::boostc::train::ProgramOp"> {
  let summary = "fuses elementwise producers into their users";
  let description = [{
    Upstream's elementwise fusion for producers with one use. What several ops read is
    computed once, unless bytes are saved by computing it in its users. That is so

    - for all users, if each can be fused with it and they all together read and write
      less than before: then it is not written at all. Its operands are kept longer
      instead of it, at most as many bytes as it has, besides the function's arguments;
    - for one user, if it reads what the value is computed from in any case: it reads the
      value no more.

    Only values of at most 16 scalar operations, none of them a division or a function,
    are computed twice. So relu's gradient, read by the sums of a normalisation's backward and
    by the gradient of its input, is computed in both, and its mask from the
    normalisation's input, which both read.

    With `conversions`, one of the two does nothing but convert elements to another type:
    such a fusion changes no bit of a result, where others let a sum take a product before
    it is rounded.

    An operand that is a fill of a scalar becomes that scalar in the
    body. Indices of loops that a body asks for become arithmetic on those of the op it
    ends up in.

    Before:
    ```mlir
    %a = linalg.generic {...} ins(%x) outs(%e) { ^bb0(%in: f32, %out: f32): // negf }
    %b = linalg.generic {...} ins(%a) outs(%e) { ^bb0(%in: f32, %out: f32): // exp }
    ```
    After, when `%b` is the only reader of `%a`:
    ```mlir
    %b = linalg.generic {...} ins(%x) outs(%e) { ^bb0(%in: f32, %out: f32): // negf, exp }
    ```
  }];
  let options = [
    Option<"conversions", "conversions", "bool", "false",
           "Fuse only what converts elements with what is next to it">
  ];
  let dependentDialects = ["::mlir::linalg::LinalgDialect", "::mlir::affine::AffineDialect"];
}

def AssignCollectiveIndicesPass
    : Pass<"boostc-assign-collective-indices", "::boostc::train::ProgramOp"> {
  let summary = "numbers the collectives of @update in their order";
  let description = [{
    A collective without uses is removed with other dead code, and leaves a gap in the
    indices, by which ranks match their collectives.

    Before:
    ```mlir
    %a = rt.collective all_reduce index(0) ...
    %b = rt.collective all_reduce index(2) ...
    ```
    After:
    ```mlir
    %a = rt.collective all_reduce index(0) ...
    %b = rt.collective all_reduce index(1) ...
    ```
  }];
}

#endif // BOOSTC_LOWERING_LINALG_PASSES
