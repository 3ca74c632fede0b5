#ifndef BOOSTC_THOR_BASE
#define BOOSTC_THOR_BASE

include "mlir/IR/OpBase.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "dialects/interfaces/BatchReducingOpInterface.td"
include "dialects/interfaces/CostOpInterface.td"
include "dialects/interfaces/ErrorBoundOpInterface.td"
include "dialects/interfaces/LayerOpInterface.td"
include "dialects/interfaces/LibraryCallOpInterface.td"
include "dialects/interfaces/LowerToLinalgOpInterface.td"
include "dialects/interfaces/ReferenceOpInterface.td"
include "dialects/interfaces/ScalarTypes.td"

def Thor_Dialect : Dialect {
  let name = "thor";
  let summary = "Second-order preconditioning";
  let description = [{
    THOR (Chen et al., AAAI 2021): a weight moves against its gradient times the inverse of an
    approximate Fisher matrix of its layer. For a layer with outputs `y = W x` that matrix is
    the Kronecker product of A, the mean of `x x^t`, and G, the mean of `d d^t` with d the
    gradient of one sample's loss in y, so that the product with its inverse is
    `G^-1 g A^-1` for a gradient g of the shape of W (Martens and Grosse, ICML 2015). Both
    matrices are block-diagonal, and are computed in some steps only: those that *refresh* the
    inverses. The steps between use the inverses of the last refresh.

    A convolution has a row x for each window of each sample (Grosse and Martens, ICML 2016).
    Its Fisher matrix is `positions` times as large as that of one window, so that damping
    is divided by `positions` under the root, and so is the product.

    In phase `input`, `thor.natural_gradient` in `@update` says which gradients are to be
    preconditioned. In phase `step`, `boostc-precondition-gradients` has replaced it: factors
    are accumulators of the `@micro` of steps that refresh, inverses are states.
  }];
  let cppNamespace = "::boostc::thor";
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::math::MathDialect", "::mlir::tensor::TensorDialect",
    "::boostc::rt::RtDialect", "::boostc::train::TrainDialect"
  ];
}

def Thor_Values : StaticShapeTensorOf<[F32, BF16, F16]>;
def Thor_Tensor : StaticShapeTensorOf<[F32]>;
def Thor_Blocks : TensorRankOf<[F32], [3]>;      // [blocks, size, size]
def Thor_Number : Boost_Scalar<F32, "getF32Type">;
def Thor_Count : Boost_Scalar<I64, "getI64Type">; // a number of samples
def Thor_Flag : Boost_Scalar<I32, "getI32Type">;
def Thor_Valid : Boost_Scalar<I32, "getI32Type">; // real samples of a padded batch

class Thor_Op<string mnemonic, list<Trait> traits = []>
    : Op<Thor_Dialect, mnemonic, traits>;

/// A pure op that the interpreter runs, that lowers to linalg and knows the error of its
/// result.
class Thor_Computation<string mnemonic, list<Trait> traits = []>
    : Thor_Op<mnemonic, [
        Pure, DeclareOpInterfaceMethods<ErrorBoundOpInterface>,
        DeclareOpInterfaceMethods<LowerToLinalgOpInterface>,
        DeclareOpInterfaceMethods<ReferenceOpInterface>] # traits>;

#endif // BOOSTC_THOR_BASE
