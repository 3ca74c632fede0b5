#ifndef BOOSTC_RT_DAMPED_INVERSE
#define BOOSTC_RT_DAMPED_INVERSE

include "dialects/rt/RtBase.td"

def Rt_DampedInverseOp : Rt_Op<"damped_inverse", [
    DestinationStyleOpInterface, LibraryOpInterface,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
    DeclareOpInterfaceMethods<CostOpInterface,
                              ["getFlops", "getBytesRead", "getBytesWritten"]>,
    DeclareOpInterfaceMethods<ReferenceOpInterface>]> {
  let summary = "inverses of symmetric matrices that are made definite";
  let description = [{
    `inverse[b] = (weight[b] * m[b] + damping * I)^-1`, by elimination in f32. Where a pivot is
    below half of the damping, below 2^-21 of its element on the diagonal, below 2^-40, or not
    finite, which rounding or a matrix that is not positive semidefinite makes of it, the matrix
    is tried again with ten times the damping, up to four times in all. A matrix that has no
    inverse then has zeros for it, and `failed[b] = 1`, else 0. One whose weight is not finite is
    not tried.

    BoostDampedInverse in the ABI: on a CPU a matrix that is large is inverted by matmuls of
    oneDNN, with `scratch` for its factors; without it by a kernel.

    Constraints:
    * (rt_damped_inverse_c1) `m` and `inverse` are `[n, d, d]`, `weight` and `failed` are `[n]`.
    * (rt_damped_inverse_c2) all operands are tensors, with the types of the two destinations
      as results, or all are memrefs.

    Example:
    ```mlir
    %x, %failed = rt.damped_inverse ins(%m weight %w damping %s
          : tensor<9x128x128xf32>, tensor<9xf32>, tensor<f32>)
        outs(%e, %f : tensor<9x128x128xf32>, tensor<9xi32>)
        -> tensor<9x128x128xf32>, tensor<9xi32>
    ```
  }];
  let arguments = (ins TensorOrMemRef<[F32]>:$matrices, TensorOrMemRef<[F32]>:$weight,
                       TensorOrMemRef<[F32]>:$damping, TensorOrMemRef<[F32]>:$inverses,
                       TensorOrMemRef<[I32]>:$failed,
                       Optional<MemRefOf<[I8]>>:$scratch);
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let assemblyFormat = [{
    `ins` `(` $matrices `weight` $weight `damping` $damping
    `:` type($matrices) `,` type($weight) `,` type($damping) `)`
    `outs` `(` $inverses `,` $failed `:` type($inverses) `,` type($failed) `)`
    (`scratch` `(` $scratch^ `:` type($scratch) `)`)? attr-dict (`->` type($results)^)?
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    ::mlir::MutableOperandRange getDpsInitsMutable() {
      return ::mlir::MutableOperandRange(getOperation(), 3, 2);
    }
    // LibraryOpInterface.
    ::llvm::SmallVector<::mlir::Value> getLibraryOperands() {
      return {getMatrices(), getWeight(), getDamping(), getInverses(), getFailed()};
    }
    ::boostc::MatmulShape getMatmulShape();
    bool isLegalOn(::BoostTargetKind target);
    void describeCall(::BoostLibraryCall &call);
  }];
}

#endif // BOOSTC_RT_DAMPED_INVERSE
