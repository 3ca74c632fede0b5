#ifndef BOOSTC_RT_MATMUL
#define BOOSTC_RT_MATMUL

include "dialects/rt/RtBase.td"

def Rt_MatmulOp : Rt_Op<"matmul", [
    AttrSizedOperandSegments, DestinationStyleOpInterface, ContractionOpInterface,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
    DeclareOpInterfaceMethods<CostOpInterface, ["getFlops"]>,
    DeclareOpInterfaceMethods<ReferenceOpInterface>]> {
  let summary = "matrix multiplication by the vendor library";
  let description = [{
    `c = op(a) op(b) (+ bias)`, summed in f32, written over whatever `c` held; op transposes when
    the attribute of that operand is set: `a` is then stored as `[k, m]`, `b` as
    `[n, k]`. BoostMatmul in the ABI; oneDNN on a CPU. On tensors the result is the new
    value of `c`; on memrefs there is none and `scratch` is what the library asked for. In
    a program for GPUs `scratch` is what cuBLASLt may use, and a matmul without it is
    computed by a kernel. With `precision tf32` cuBLASLt may round `a` and `b`, see
    `rt.matmul_precision`. With `partials`, [s, elements of c], a GPU splits the sum into s partial sums,
    puts them there and adds them up in their order.

    Constraints:
    * (rt_matmul_c1) `op(a)` is `[m, k]`, `op(b)` is `[k, n]`, `c` is `[m, n]`.
    * (rt_matmul_c2) `bias`, when given, has n elements.
    * (rt_matmul_c3) all operands are tensors or all are memrefs.
    * (rt_matmul_c4) `partials` comes with a dense memref `c` and without `scratch`, and has
      two rows or more of as many elements as `c`.
    * (rt_matmul_c5) `precision tf32` comes with `scratch`.
    * (rt_matmul_c6) `a` and `b` have elements of one type, `c` of that or of f32;
      of any type where they are f32. Those of `bias` are of f32 or of the type of `c`.

    Example:
    ```mlir
    %y = rt.matmul ins(%x, transposed %w : tensor<32x784xf32>, tensor<512x784xf32>)
                   bias(%b : tensor<512xf32>) outs(%e : tensor<32x512xf32>)
                   -> tensor<32x512xf32>
    ```
  }];
  let arguments = (ins TensorOrMemRef<[F32, BF16, F16]>:$a,
                       TensorOrMemRef<[F32, BF16, F16]>:$b,
                       Optional<TensorOrMemRef<[F32, BF16, F16]>>:$bias,
                       TensorOrMemRef<[F32, BF16, F16]>:$c,
                       Optional<MemRefOf<[I8]>>:$scratch,
                       Optional<MemRefOf<[F32]>>:$partials,
                       UnitProp:$transposeA, UnitProp:$transposeB,
                       DefaultValuedAttr<Rt_Precision,
                         "::boostc::rt::Precision::Float32">:$precision);
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let assemblyFormat = [{
    `ins` `(` (`transposed` $transposeA^ ` `)? `` $a `,` (`transposed` $transposeB^)? $b
    `:` type($a) `,` type($b) `)` (`bias` `(` $bias^ `:` type($bias) `)`)?
    `outs` `(` $c `:` type($c) `)` (`scratch` `(` $scratch^ `:` type($scratch) `)`)?
    (`partials` `(` $partials^ `:` type($partials) `)`)? (`precision` $precision^)?
    attr-dict (`->` type($results)^)?
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    ::mlir::MutableOperandRange getDpsInitsMutable() { return getCMutable(); }
    // LibraryOpInterface.
    ::llvm::SmallVector<::mlir::Value> getLibraryOperands() {
      return {getA(), getB(), getBias(), getC()};
    }
    ::boostc::MatmulShape getMatmulShape();
    bool takesSlice(::mlir::OpOperand &operand);
    bool isLegalOn(::BoostTargetKind target);
    void describeCall(::BoostLibraryCall &call);
  }];
}

#endif // BOOSTC_RT_MATMUL
