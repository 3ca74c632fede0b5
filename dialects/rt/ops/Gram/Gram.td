#ifndef BOOSTC_RT_GRAM
#define BOOSTC_RT_GRAM

include "dialects/rt/RtBase.td"

def Rt_GramOp : Rt_Op<"gram", [
    DestinationStyleOpInterface,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
    DeclareOpInterfaceMethods<CostOpInterface,
                              ["getFlops", "getBytesRead", "getBytesWritten"]>,
    DeclareOpInterfaceMethods<ReferenceOpInterface>]> {
  let summary = "Gram matrices of the columns of windows";
  let description = [{
    `c[b, i, j] = sum over w of u[w, b, i] * u[w, b, j]`, in f32, written over whatever `c`
    held. u has a row for each window w of the first `valid` samples, and a column for each tap
    of each channel: channels first, then rows and columns of the kernel. The columns of a
    channel group are cut into blocks of the size of `c`, and only columns of the same block
    are multiplied with each other; the columns that a last block lacks are zeros. u is never
    in memory: kernels read the input where it is.

    The input is [N, C, H, W], or with `channels_last` [N, H, W, C]; a row of a matrix is a
    window of one pixel.

    Constraints:
    * (rt_gram_c1) kernel, strides, padding, dilations and groups match the input, see
      `nn.conv2d`.
    * (rt_gram_c2) `c` has a square for each block, of the size of the blocks.
    * (rt_gram_c3) all operands are tensors, with the destination's type as result, or all are
      memrefs.

    Example:
    ```mlir
    %a = rt.gram ins(%x, %valid : tensor<32x16x8x8xf32>, tensor<i32>)
           kernel [3, 3] strides [1, 1] padding [1, 1, 1, 1] dilations [1, 1] groups 1
           outs(%e : tensor<2x128x128xf32>) -> tensor<2x128x128xf32>
    ```
  }];
  let arguments = (ins TensorOrMemRef<[F32, BF16, F16]>:$input,
                       TensorOrMemRef<[I32]>:$valid,
                       TensorOrMemRef<[F32]>:$destination,
                       DenseI64ArrayAttr:$kernel, DenseI64ArrayAttr:$strides,
                       DenseI64ArrayAttr:$padding, DenseI64ArrayAttr:$dilations,
                       I64Attr:$groups, UnitAttr:$channels_last);
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let assemblyFormat = [{
    `ins` `(` $input `,` $valid `:` type($input) `,` type($valid) `)` `kernel` $kernel
    `strides` $strides `padding` $padding `dilations` $dilations `groups` $groups
    (`channels_last` $channels_last^)?
    `outs` `(` $destination `:` type($destination) `)` attr-dict (`->` type($results)^)?
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    ::mlir::MutableOperandRange getDpsInitsMutable() { return getDestinationMutable(); }
    /// The op must be correct.
    ::boostc::rt::GramShape getShape();
  }];
}

#endif // BOOSTC_RT_GRAM
