#ifndef BOOSTC_NN_BASE
#define BOOSTC_NN_BASE

include "mlir/IR/OpBase.td"
include "mlir/IR/Properties.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "dialects/interfaces/BatchReducingOpInterface.td"
include "dialects/interfaces/CostOpInterface.td"
include "dialects/interfaces/DifferentiableOpInterface.td"
include "dialects/interfaces/LayerOpInterface.td"
include "dialects/interfaces/LibraryCallOpInterface.td"
include "dialects/interfaces/LowerToLinalgOpInterface.td"
include "dialects/interfaces/ReferenceOpInterface.td"
include "dialects/interfaces/ScalarTypes.td"

def Nn_Dialect : Dialect {
  let name = "nn";
  let summary = "What a model computes";
  let description = [{
    Tensors with static shapes and value semantics; dimension 0 is the batch. Every op
    is pure. Type inference validates its operands, because parsers and builders call
    it before any verifier; numbered constraints (`dense_c1`) appear in the
    description, in the diagnostic's test and nowhere else.

    Lifetime: `nn` enters with phase `input`, gains backward ops in phase `backward`
    and is gone when phase `linalg` closes.
  }];
  let cppNamespace = "::boostc::nn";
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::math::MathDialect", "::mlir::tensor::TensorDialect",
    "::boostc::rt::RtDialect"
  ];
}

// Values of the model: f32 in this version.
def Nn_Tensor : StaticShapeTensorOf<[F32]>;
def Nn_Labels : StaticShapeTensorOf<[I32]>;
def Nn_Sum : Boost_Scalar<F32, "getF32Type">;    // a sum over samples
def Nn_Count : Boost_Scalar<I64, "getI64Type">;  // a number of samples
def Nn_Valid : Boost_Scalar<I32, "getI32Type">;  // real samples of a padded batch

// dialects/interfaces/Traits.h
def Nn_Monotonic : NativeOpTrait<"MonotonicTrait"> {
  let cppNamespace = "::boostc";
}

// What every nn op has: it is pure, runs in the interpreter, lowers to linalg and
// knows its cost.
class Nn_Op<string mnemonic, list<Trait> traits = []>
    : Op<Nn_Dialect, mnemonic, !listconcat([
        Pure,
        DeclareOpInterfaceMethods<ReferenceOpInterface>,
        DeclareOpInterfaceMethods<LowerToLinalgOpInterface>], traits)>;

#endif // BOOSTC_NN_BASE
