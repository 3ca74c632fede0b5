#ifndef BOOSTC_INTERFACES_SCALAR_UPDATE
#define BOOSTC_INTERFACES_SCALAR_UPDATE

include "mlir/IR/OpBase.td"

def ScalarUpdateOpInterface : OpInterface<"ScalarUpdateOpInterface"> {
  let description = [{
    A first-order optimizer: an elementwise rule that maps (parameter, gradient,
    state...) to (parameter, state...). Because it gives its arithmetic for one
    element, `train.update` becomes one pass over memory per parameter: mean, rule
    and commit together.

    Operands of such an op: parameter, gradient, the control scalars, then the state
    tensors; results: parameter, then the state tensors in the same order.
  }];
  let cppNamespace = "::boostc";
  let methods = [
    InterfaceMethod<"How many scalar control operands (learning rate, ...) it has.",
      "unsigned", "getNumControls", (ins), "", [{ return 1; }]>,
    InterfaceMethod<[{
        Emits the rule for one element. `operands` are f32 scalars in the order of the
        op's operands; returns one scalar per result.
      }],
      "::llvm::SmallVector<::mlir::Value>", "buildScalarRule",
      (ins "::mlir::OpBuilder &":$builder, "::mlir::ValueRange":$operands)>,
  ];
}

def GradientTransformOpInterface : OpInterface<"GradientTransformOpInterface"> {
  let description = [{
    An elementwise change of a mean gradient before a rule sees it. It becomes part of the
    rule's own pass over memory.

    Operands of such an op: the gradient, then control scalars; result: the gradient.
  }];
  let cppNamespace = "::boostc";
  let methods = [
    InterfaceMethod<[{
        Emits the change of one element. `operands` are f32 scalars in the order of the
        op's operands.
      }],
      "::mlir::Value", "buildScalarTransform",
      (ins "::mlir::OpBuilder &":$builder, "::mlir::ValueRange":$operands)>,
  ];
}

#endif // BOOSTC_INTERFACES_SCALAR_UPDATE
