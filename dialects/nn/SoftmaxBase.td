#ifndef BOOSTC_NN_SOFTMAX_BASE
#define BOOSTC_NN_SOFTMAX_BASE

include "dialects/nn/NnBase.td"

// softmax, log_softmax and their gradients: what is computed on each line along `axis` is
// one rule (dialects/nn/Softmax.h), the rest is the same.

// Its folder gives getLineRule() and getLayerSpecs(); its backward is `gradOp`.
class Nn_SoftmaxLikeOp<string mnemonic, string gradOp>
    : Nn_Op<mnemonic, [
        SameOperandsAndResultType, DeclareOpInterfaceMethods<CostOpInterface, ["getFlops"]>,
        DeclareOpInterfaceMethods<DifferentiableOpInterface, ["savedForBackward"]>,
        DeclareOpInterfaceMethods<LayerOpInterface>]> {
  let arguments = (ins Nn_Tensor:$input, I64Attr:$axis);
  let results = (outs Nn_Tensor:$result);
  let assemblyFormat = "$input `axis` $axis attr-dict `:` type($result)";
  let hasVerifier = 1;
  let extraClassDeclaration = "static const LineRule &getLineRule();";
  let extraClassDefinition = [{
    ::llvm::LogicalResult $cppClass::verify() {
      return verifyAxis(getLoc(), getInput().getType(), getAxis());
    }
    ::llvm::LogicalResult $cppClass::evaluate(
        ::boostc::ReferenceContext &,
        ::llvm::ArrayRef<::boostc::ReferenceValue> operands,
        ::llvm::SmallVectorImpl<::boostc::ReferenceValue> &results) {
      return evaluateLines(operands, getAxis(), results, getLineRule().evaluate);
    }
    ::boostc::ErrorBounds $cppClass::boundErrors(
        ::boostc::ReferenceContext &, ::llvm::ArrayRef<::boostc::Bounded> operands,
        ::llvm::ArrayRef<::boostc::ReferenceValue>) {
      return boundLines(operands, getAxis(), getLineRule().bound);
    }
    ::llvm::FailureOr<::llvm::SmallVector<::mlir::Value>> $cppClass::lowerToLinalg(
        ::mlir::OpBuilder &builder) {
      return lowerLines(getLineRule(), builder, getLoc(), getInput(), getAxis());
    }
    int64_t $cppClass::getFlops() { return 5 * getType().getNumElements(); }
    ::llvm::SmallVector<::mlir::Value> $cppClass::savedForBackward() {
      return {getResult()};
    }
    ::llvm::LogicalResult $cppClass::buildBackward(::boostc::BackwardContext &context) {
      context.gradOperands[0] = }] # gradOp # [{::create(
          context.builder, context.loc, context.gradResults[0], getResult(), getAxis());
      return ::llvm::success();
    }
    ::llvm::FailureOr<::llvm::SmallVector<::mlir::Value>> $cppClass::buildLayer(
        ::boostc::LayerBuilder &layer) {
      ::llvm::FailureOr<int64_t> axis = ::boostc::nn::getAxis(layer);
      if (::llvm::failed(axis))
        return ::llvm::failure();
      return ::llvm::SmallVector<::mlir::Value>{
          $cppClass::create(layer.builder, layer.loc, layer.inputs[0], *axis)};
    }
  }];
}

// Its folder gives getLineRule().
class Nn_SoftmaxLikeGradOp<string mnemonic>
    : Nn_Op<mnemonic, [
        SameOperandsAndResultType,
        DeclareOpInterfaceMethods<CostOpInterface, ["getFlops"]>]> {
  let arguments = (ins Nn_Tensor:$gradient, Nn_Tensor:$output, I64Attr:$axis);
  let results = (outs Nn_Tensor:$result);
  let assemblyFormat =
      "$gradient `,` $output `axis` $axis attr-dict `:` type($result)";
  let hasVerifier = 1;
  let extraClassDeclaration = "static const LineGradientRule &getLineRule();";
  let extraClassDefinition = [{
    ::llvm::LogicalResult $cppClass::verify() {
      return verifyAxis(getLoc(), getGradient().getType(), getAxis());
    }
    ::llvm::LogicalResult $cppClass::evaluate(
        ::boostc::ReferenceContext &,
        ::llvm::ArrayRef<::boostc::ReferenceValue> operands,
        ::llvm::SmallVectorImpl<::boostc::ReferenceValue> &results) {
      return evaluateLines(operands, getAxis(), results, getLineRule().evaluate);
    }
    ::boostc::ErrorBounds $cppClass::boundErrors(
        ::boostc::ReferenceContext &, ::llvm::ArrayRef<::boostc::Bounded> operands,
        ::llvm::ArrayRef<::boostc::ReferenceValue>) {
      return boundLines(operands, getAxis(), getLineRule().bound);
    }
    ::llvm::FailureOr<::llvm::SmallVector<::mlir::Value>> $cppClass::lowerToLinalg(
        ::mlir::OpBuilder &builder) {
      return lowerLineGradient(getLineRule(), builder, getLoc(), getGradient(),
                               getOutput(), getAxis());
    }
    int64_t $cppClass::getFlops() { return 4 * getType().getNumElements(); }
  }];
}

#endif // BOOSTC_NN_SOFTMAX_BASE
