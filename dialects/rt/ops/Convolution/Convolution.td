#ifndef BOOSTC_RT_CONVOLUTION
#define BOOSTC_RT_CONVOLUTION

include "dialects/rt/RtBase.td"

def Rt_ConvolutionOp : Rt_Op<"convolution", [
    AttrSizedOperandSegments, DestinationStyleOpInterface, ContractionOpInterface,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
    DeclareOpInterfaceMethods<CostOpInterface, ["getFlops"]>,
    DeclareOpInterfaceMethods<ReferenceOpInterface>]> {
  let summary = "two-dimensional convolution or one of its gradients";
  let description = [{
    Written over whatever the output held. With x an input `[N, C, H, W]`, w a weight
    `[O, C / groups, KH, KW]` and y an output `[N, O, OH, OW]`:

    * `forward`: ins(x, w) outs(y), `y[n, o, i, j] = (b[o] +) sum over c, k, l of
      x[n, c, i * strides[0] + k * dilations[0] - padding[0],
              j * strides[1] + l * dilations[1] - padding[1]] * w[o, c, k, l]`,
      x being zero outside the input and c running over the channels of o's group;
    * `backward_data`: ins(y, w) outs(x), the adjoint in x;
    * `backward_weight`: ins(y, x) outs(w), the adjoint in w.

    Padding is top, left, bottom, right. On tensors the result is the new value of the
    output; on memrefs there is none, and operands may lie in memory in any order of
    their dimensions. BoostConvolution in the ABI: in a program for GPUs `scratch` is what
    cuDNN may use, and a convolution without it is computed by a kernel. With `precision
    tf32` cuDNN may round what it multiplies, see `rt.matmul_precision`. With `partials`, [s,
    elements of c], that kernel splits the sum into s partial sums, stores them there and adds them up
    in their order.

    Constraints:
    * (rt_convolution_c1) shapes, strides, padding, dilations and groups fit together.
    * (rt_convolution_c2) `bias` has O elements and comes with `forward` only.
    * (rt_convolution_c3) all operands are tensors or all are memrefs.
    * (rt_convolution_c4) `partials` comes with a dense memref `c` and without `scratch`, and
      has two rows or more of as many elements as `c`.
    * (rt_convolution_c5) `precision tf32` comes with `scratch`.
    * (rt_convolution_c6) `a` and `b` have elements of one type, `c` of that or of f32,
      of any type where they are f32; those of `bias` are of f32 or of the type of `c`;
      the sums are of f32.

    Example:
    ```mlir
    %y = rt.convolution forward ins(%x, %w : tensor<32x1x32x32xf32>, tensor<6x1x5x5xf32>)
           outs(%e : tensor<32x6x28x28xf32>)
           strides [1, 1] padding [0, 0, 0, 0] dilations [1, 1] groups 1
           -> tensor<32x6x28x28xf32>
    ```
  }];
  let arguments = (ins Rt_ConvolutionKind:$kind,
                       TensorOrMemRef<[F32, BF16, F16]>:$a,
                       TensorOrMemRef<[F32, BF16, F16]>:$b,
                       Optional<TensorOrMemRef<[F32, BF16, F16]>>:$bias,
                       TensorOrMemRef<[F32, BF16, F16]>:$c,
                       Optional<MemRefOf<[I8]>>:$scratch,
                       Optional<MemRefOf<[F32]>>:$partials,
                       DenseI64ArrayAttr:$strides, DenseI64ArrayAttr:$padding,
                       DenseI64ArrayAttr:$dilations, I64Attr:$groups,
                       DefaultValuedAttr<Rt_Precision,
                         "::boostc::rt::Precision::Float32">:$precision);
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let assemblyFormat = [{
    $kind `ins` `(` $a `,` $b `:` type($a) `,` type($b) `)`
    (`bias` `(` $bias^ `:` type($bias) `)`)? `outs` `(` $c `:` type($c) `)`
    (`scratch` `(` $scratch^ `:` type($scratch) `)`)?
    (`partials` `(` $partials^ `:` type($partials) `)`)?
    `strides` $strides `padding` $padding `dilations` $dilations `groups` $groups
    (`precision` $precision^)? attr-dict (`->` type($results)^)?
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    ::mlir::MutableOperandRange getDpsInitsMutable() { return getCMutable(); }
    // LibraryOpInterface.
    ::llvm::SmallVector<::mlir::Value> getLibraryOperands() {
      return {getA(), getB(), getBias(), getC()};
    }
    ::boostc::MatmulShape getMatmulShape();
    bool isLegalOn(::BoostTargetKind target);
    bool canWidenResult();
    bool reordersForTensorCores();
    void describeCall(::BoostLibraryCall &call);

    /// The operands by what they are in the convolution.
    ::mlir::OpOperand &getInputMutable(), &getWeightMutable(), &getOutputMutable();
    ::mlir::Value getInput() { return getInputMutable().get(); }
    ::mlir::Value getWeight() { return getWeightMutable().get(); }
    ::mlir::Value getOutput() { return getOutputMutable().get(); }
    ::boostc::ConvolutionGeometry getGeometry();
  }];
}

#endif // BOOSTC_RT_CONVOLUTION
