#ifndef BOOST_TRAIN_BASE
#define BOOST_TRAIN_BASE

include "mlir/IR/OpBase.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/BuiltinAttributeInterfaces.td"
include "mlir/IR/EnumAttr.td"
include "dialects/train/TrainEnums.td"
include "mlir/IR/Properties.td"
include "mlir/IR/RegionKindInterface.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "dialects/interfaces/LayerOpInterface.td"
include "dialects/interfaces/LibraryCallOpInterface.td"
include "dialects/interfaces/LowerToLinalgOpInterface.td"
include "dialects/interfaces/ReferenceOpInterface.td"
include "dialects/interfaces/ScalarTypes.td"
include "dialects/interfaces/ScalarUpdateOpInterface.td"
include "dialects/rt/RtBase.td"

def Train_Dialect : Dialect {
  let name = "train";
  let summary = "What one training step does";
  let description = [{
    A `train.program` holds the parameters, the state, the inputs, the schedules and the
    functions of a step:

    | function | phase | arguments -> results |
    |---|---|---|
    | `@forward` | input | inputs, valid, parameters -> loss sum, loss count, metrics |
    | `@micro` | input | inputs, valid, parameters -> gradient sums, loss sum, count |
    | `@update` | input | gradients, loss, count, controls, parameters, state -> the same parameters and state, finite |
    | `@eval` | input | inputs, valid, parameters -> loss and metric sums and counts |
    | `@combine` | step | two results of micro -> their sum |
    | `@init` | step | seed -> parameters, state |

    Arguments and results carry `rt.binding` attributes that say what memory they are.
    Weights and state change in `@update` only, behind the commit point of
    `train.update`.
  }];
  let cppNamespace = "::boostc::train";
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::tensor::TensorDialect", "::mlir::func::FuncDialect",
    "::boostc::rt::RtDialect"
  ];
  let useDefaultAttributePrinterParser = 1;
}

def Train_ScheduleAttr : AttrDef<Train_Dialect, "Schedule"> {
  let mnemonic = "schedule";
  let summary = "a hyper-parameter as a function of the step";
  let description = "`constant`: the value `a` at every step.";
  let parameters = (ins EnumParameter<Train_ScheduleKind>:$kind, "::mlir::FloatAttr":$a);
  let assemblyFormat = "`<` $kind `,` $a `>`";
}

def Train_Sum : Boost_Scalar<F32, "getF32Type">;
def Train_Count : Boost_Scalar<I64, "getI64Type">;
def Train_Seed : Boost_Scalar<I64, "getI64Type">;
def Train_Flag : Boost_Scalar<I32, "getI32Type">;
def Train_Tensor : StaticShapeTensorOf<[F32]>;

class Train_Op<string mnemonic, list<Trait> traits = []>
    : Op<Train_Dialect, mnemonic, traits>;

#endif // BOOST_TRAIN_BASE
