#ifndef BOOSTC_NN_BASE
#define BOOSTC_NN_BASE

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/OpBase.td"
include "mlir/IR/Properties.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "dialects/interfaces/BatchReducingOpInterface.td"
include "dialects/interfaces/CostOpInterface.td"
include "dialects/interfaces/DifferentiableOpInterface.td"
include "dialects/interfaces/ErrorBoundOpInterface.td"
include "dialects/interfaces/LayerKindOpInterface.td"
include "dialects/interfaces/LayerOpInterface.td"
include "dialects/interfaces/LibraryCallOpInterface.td"
include "dialects/interfaces/LowerToLinalgOpInterface.td"
include "dialects/interfaces/PrecisionOpInterface.td"
include "dialects/interfaces/PreconditionableOpInterface.td"
include "dialects/interfaces/ReferenceOpInterface.td"
include "dialects/interfaces/ScalarFunctionOpInterface.td"
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
  let useDefaultAttributePrinterParser = 1;
}

// Values of the model. Parameters and sums over samples are of f32; what lies between
// layers may be of a low type, bf16 or f16 (PrecisionOpInterface).
def Nn_Tensor : StaticShapeTensorOf<[F32, BF16, F16]>;
def Nn_Bias : TensorRankOf<[F32, BF16, F16], [1]>;
def Nn_Float32Tensor : StaticShapeTensorOf<[F32]>;
def Nn_Labels : StaticShapeTensorOf<[I32]>;
def Nn_Pixels : StaticShapeTensorOf<[I8]>;       // without a sign: 0 to 255
def Nn_Sum : Boost_Scalar<F32, "getF32Type">;    // a sum over samples
def Nn_Count : Boost_Scalar<I64, "getI64Type">;  // a number of samples
def Nn_Weights : StaticShapeTensorOf<[F32]>;     // sample weights [batch, ...]
def Nn_Valid : Boost_Scalar<I32, "getI32Type">;  // real samples of a padded batch

// dialects/interfaces/Traits.h
def Nn_Monotonic : NativeOpTrait<"MonotonicTrait"> {
  let cppNamespace = "::boostc";
}

// The first two operands are factors of a contraction (dialects/interfaces/Traits.h).
def Nn_Contraction : NativeOpTrait<"ContractionTrait"> {
  let cppNamespace = "::boostc";
}

// What mixed precision makes of an op, see PrecisionKind: contractions of two operands;
// losses and metrics; layers that normalise; ops that move elements.
class Nn_ComputesLow<int operands> : Boost_Precision<"Low", operands>;
def Nn_ComputesFloat32 : Boost_Precision<"Float32", 0>;
def Nn_Normalizes : Boost_Precision<"Normalize", 1>;
def Nn_Moves : Boost_Precision<"Move", 255>;

// What an op is to the structure of a network, see LayerKind.
def Nn_IsContraction : Boost_LayerKind<"Contraction">;
def Nn_IsBatchNorm : Boost_LayerKind<"BatchNorm">;
def Nn_IsAdd : Boost_LayerKind<"Add">;
def Nn_IsConcat : Boost_LayerKind<"Concat">;
def Nn_IsPool : Boost_LayerKind<"Pool">;

// What every nn op has: it is pure, runs in the interpreter, lowers to linalg, and knows
// its cost and the error of its result.
class Nn_Op<string mnemonic, list<Trait> traits = []>
    : Op<Nn_Dialect, mnemonic, !listconcat([
        Pure,
        DeclareOpInterfaceMethods<ErrorBoundOpInterface>,
        DeclareOpInterfaceMethods<ReferenceOpInterface>,
        DeclareOpInterfaceMethods<LowerToLinalgOpInterface>], traits)>;

// An op that only moves elements.
class Nn_MovementOp<string mnemonic, list<Trait> traits = []>
    : Nn_Op<mnemonic, !listconcat([
        Nn_Moves, DeclareOpInterfaceMethods<CostOpInterface, ["getFlops"]>], traits)> {
  code movementMethods = [{
    int64_t $cppClass::getFlops() { return 0; }
    ::boostc::ErrorBounds $cppClass::boundErrors(
        ::boostc::ReferenceContext &context, ::llvm::ArrayRef<::boostc::Bounded> operands,
        ::llvm::ArrayRef<::boostc::ReferenceValue>) {
      return boundMovement(*this, context, operands);
    }
  }];
  let extraClassDefinition = movementMethods;
}

// The same elements in row-major order under another shape (dialects/nn/Reshape.h). Moves
// no data. Backward: a reshape of `dy` to the input's shape.
class Nn_ReshapeLikeOp<string mnemonic, list<Trait> traits = []>
    : Nn_MovementOp<mnemonic, !listconcat([
        DeclareOpInterfaceMethods<DifferentiableOpInterface>,
        DeclareOpInterfaceMethods<LayerOpInterface>], traits)> {
  let arguments = (ins Nn_Tensor:$input);
  let results = (outs Nn_Tensor:$result);
  let extraClassDefinition = movementMethods # [{
    ::llvm::LogicalResult $cppClass::evaluate(
        ::boostc::ReferenceContext &,
        ::llvm::ArrayRef<::boostc::ReferenceValue> operands,
        ::llvm::SmallVectorImpl<::boostc::ReferenceValue> &results) {
      return evaluateReshape(getType(), operands[0], results);
    }
    ::llvm::LogicalResult $cppClass::buildBackward(::boostc::BackwardContext &context) {
      context.gradOperands[0] = ReshapeOp::create(
          context.builder, context.loc, getInput().getType(), context.gradResults[0]);
      return ::llvm::success();
    }
    ::llvm::FailureOr<::llvm::SmallVector<::mlir::Value>> $cppClass::lowerToLinalg(
        ::mlir::OpBuilder &builder) {
      return ::llvm::SmallVector<::mlir::Value>{
          lowerReshape(builder, getLoc(), getInput(), getType())};
    }
  }];
}

// An op that applies one rule, its getScalarRule(), to the elements of its operands, all
// of one shape.
class Nn_ElementwiseOp<string mnemonic, list<Trait> traits = []>
    : Nn_Op<mnemonic, !listconcat([
        SameOperandsAndResultType,
        DeclareOpInterfaceMethods<CostOpInterface, ["getFlops"]>], traits)> {
  code elementwiseMethods = [{
    ::llvm::LogicalResult $cppClass::evaluate(
        ::boostc::ReferenceContext &,
        ::llvm::ArrayRef<::boostc::ReferenceValue> operands,
        ::llvm::SmallVectorImpl<::boostc::ReferenceValue> &results) {
      return evaluateElementwise(getScalarRule(), operands, results);
    }
    ::llvm::FailureOr<::llvm::SmallVector<::mlir::Value>> $cppClass::lowerToLinalg(
        ::mlir::OpBuilder &builder) {
      return lowerElementwise(*this, builder, getScalarRule());
    }
    int64_t $cppClass::getFlops() {
      return getScalarRule().flops * getType().getNumElements();
    }
    ::boostc::ErrorBounds $cppClass::boundErrors(
        ::boostc::ReferenceContext &, ::llvm::ArrayRef<::boostc::Bounded> operands,
        ::llvm::ArrayRef<::boostc::ReferenceValue>) {
      return boundElementwise(getScalarRule(), operands);
    }
  }];
  let extraClassDeclaration = "::boostc::ScalarRule getScalarRule();";
  let extraClassDefinition = elementwiseMethods;
}

// An elementwise function of one tensor, with the backward nn.elementwise_grad. Its folder
// gives getScalarRule() and getGradientRule(); with `attributes`, its assembly format,
// getLayerSpecs() and buildLayer() too.
class Nn_ActivationOp<string mnemonic, list<Trait> traits = [], dag attributes = (ins)>
    : Nn_ElementwiseOp<mnemonic, !listconcat([
        DeclareOpInterfaceMethods<ScalarFunctionOpInterface>,
        DeclareOpInterfaceMethods<DifferentiableOpInterface, ["savedForBackward"]>,
        DeclareOpInterfaceMethods<LayerOpInterface>], traits)> {
  // What the backward reads: Input, or Result, so that the input need not stay alive.
  string saved = "Input";
  // Without attributes: what the model file's reference says of it, in one sentence.
  string layer = "";

  let arguments = !con((ins Nn_Tensor:$input), attributes);
  let results = (outs Nn_Tensor:$result);
  let assemblyFormat = "$input attr-dict `:` type($result)";
  // ScalarFunctionOpInterface declares getScalarRule().
  let extraClassDeclaration = "";
  let extraClassDefinition = elementwiseMethods # [{
    ::llvm::SmallVector<::mlir::Value> $cppClass::savedForBackward() {
      return {get}] # saved # [{()};
    }
    ::llvm::LogicalResult $cppClass::buildBackward(::boostc::BackwardContext &context) {
      context.gradOperands[0] = ElementwiseGradOp::create(
          context.builder, context.loc, context.gradResults[0], get}] # saved # [{(),
          FunctionAttr::get(*this));
      return ::llvm::success();
    }
  }] # !if(!empty(attributes), [{
    std::vector<::boostc::LayerSpec> $cppClass::getLayerSpecs() {
      return {{"}] # mnemonic # [{", ::boostc::LayerSpec::Kind::Layer, "}] # layer # [{"}};
    }
    ::llvm::FailureOr<::llvm::SmallVector<::mlir::Value>> $cppClass::buildLayer(
        ::boostc::LayerBuilder &layer) {
      return buildUnaryLayer<$cppClass>(layer);
    }
  }], "");
}

// A loss that compares each output with a number: the mean of a function of both over a
// sample's elements, with the backward nn.pointwise_loss_grad. Its folder gives
// getScalarRule() and getGradientRule().
class Nn_PointwiseLossOp<string mnemonic>
    : Nn_Op<mnemonic, [
        DeclareOpInterfaceMethods<ScalarFunctionOpInterface>,
        DeclareOpInterfaceMethods<CostOpInterface, ["getFlops"]>,
        DeclareOpInterfaceMethods<DifferentiableOpInterface,
                                  ["isActiveOperand", "savedForBackward"]>,
        DeclareOpInterfaceMethods<LayerOpInterface>, BatchReducingOpInterface,
        Nn_ComputesFloat32]> {
  // What the model file's reference says of it, in one sentence.
  string layer = "";

  let arguments = (ins Nn_Tensor:$outputs, Nn_Tensor:$targets, Nn_Valid:$valid,
                       Optional<Nn_Weights>:$weights);
  let results = (outs Nn_Sum:$sum, Nn_Count:$count);
  let assemblyFormat = [{
    $outputs `,` $targets `,` $valid (`weights` $weights^)? attr-dict
    `:` type($outputs) `,` type($targets) (`,` type($weights)^)?
  }];
  let hasVerifier = 1;
  let extraClassDefinition = [{
    ::llvm::LogicalResult $cppClass::verify() {
      ::llvm::ArrayRef<int64_t> shape = getOutputs().getType().getShape();
      return ::llvm::failure(
          failed(verifyTargets(getLoc(), getOutputs().getType(), getTargets().getType())) ||
          failed(verifyWeights(getLoc(), shape.take_front(), getWeights())));
    }
    ::llvm::LogicalResult $cppClass::evaluate(
        ::boostc::ReferenceContext &,
        ::llvm::ArrayRef<::boostc::ReferenceValue> operands,
        ::llvm::SmallVectorImpl<::boostc::ReferenceValue> &results) {
      return evaluateLoss(getScalarRule(), SampleLoss::Mean, operands, results);
    }
    ::llvm::FailureOr<::llvm::SmallVector<::mlir::Value>> $cppClass::lowerToLinalg(
        ::mlir::OpBuilder &builder) {
      return lowerLoss(getScalarRule(), SampleLoss::Mean, builder, getLoc(), getOperands());
    }
    int64_t $cppClass::getFlops() {
      return getScalarRule().flops * getOutputs().getType().getNumElements();
    }
    ::boostc::ErrorBounds $cppClass::boundErrors(
        ::boostc::ReferenceContext &, ::llvm::ArrayRef<::boostc::Bounded> operands,
        ::llvm::ArrayRef<::boostc::ReferenceValue>) {
      return boundLoss(getScalarRule(), SampleLoss::Mean, operands);
    }
    bool $cppClass::isActiveOperand(unsigned index) { return index == 0; }
    ::llvm::SmallVector<::mlir::Value> $cppClass::savedForBackward() {
      ::llvm::SmallVector<::mlir::Value> saved = {getOutputs(), getTargets()};
      if (getWeights())
        saved.push_back(getWeights());
      return saved;
    }
    ::llvm::LogicalResult $cppClass::buildBackward(::boostc::BackwardContext &context) {
      // Nothing differentiable flows through the count.
      if (context.gradResults[0] && context.needed[0])
        context.gradOperands[0] = PointwiseLossGradOp::create(
            context.builder, context.loc, context.gradResults[0], getOutputs(),
            getTargets(), context.valid, getWeights(), FunctionAttr::get(*this));
      return ::llvm::success();
    }
    std::vector<::boostc::LayerSpec> $cppClass::getLayerSpecs() {
      return {{"}] # mnemonic # [{", ::boostc::LayerSpec::Kind::Loss, "}] # layer # [{"}};
    }
    ::llvm::FailureOr<::llvm::SmallVector<::mlir::Value>> $cppClass::buildLayer(
        ::boostc::LayerBuilder &layer) {
      return buildLossLayer<$cppClass>(layer);
    }
  }];
}

// The function of a backward op, with its attributes.
def Nn_FunctionAttr : AttrDef<Nn_Dialect, "Function"> {
  let mnemonic = "function";
  let summary = "an op that is a function of numbers, without its operands";
  let description = [{
    Names the op whose gradient `nn.elementwise_grad` or `nn.pointwise_loss_grad` computes,
    and holds that op's attributes.
  }];
  let parameters = (ins AttrParameter<"::mlir::OperationName", "the op">:$name,
                        AttrParameter<"::mlir::DictionaryAttr", "its attributes">:$attributes);
  let builders = [AttrBuilderWithInferredContext<(ins "::mlir::Operation *":$op), [{
    auto attributes = ::llvm::dyn_cast_or_null<::mlir::DictionaryAttr>(
        op->getPropertiesAsAttribute());
    if (!attributes)
      attributes = ::mlir::DictionaryAttr::get(op->getContext());
    return $_get(op->getContext(), op->getName(), attributes);
  }]>];
  let hasCustomAssemblyFormat = 1;
  let extraClassDeclaration = [{
    /// Calls `visit` with the op, on operands and results of these types.
    void visitOp(::mlir::Location loc, ::mlir::TypeRange operands,
                 ::mlir::TypeRange results,
                 ::llvm::function_ref<void(::mlir::Operation *)> visit);
    /// The rule for the gradient of such an op.
    ::boostc::ScalarRule getGradientRule(::mlir::TypeRange operands,
                                         ::mlir::TypeRange results);
    /// Whether the op exists, has a gradient rule, and is valid; emits why not.
    ::llvm::LogicalResult verifyOp(::mlir::Location loc, ::mlir::TypeRange operands,
                                   ::mlir::TypeRange results);
  }];
}

#endif // BOOSTC_NN_BASE
