#ifndef BOOSTC_INTERFACES_SCALAR_UPDATE
#define BOOSTC_INTERFACES_SCALAR_UPDATE

include "mlir/IR/OpBase.td"

def ScalarUpdateOpInterface : OpInterface<"ScalarUpdateOpInterface"> {
  let description = [{
    A first-order optimizer: an elementwise rule that maps (parameter, gradient,
    state...) to (parameter, state...). Because it gives its arithmetic for one
    element, a rule is one pass over memory per parameter: what is done with the gradient
    before (`GradientTransformOpInterface`), the rule, and the choice between new and
    old values by `applied`.

    Operands of such an op: parameter, gradient, the control scalars, the state tensors,
    then `applied`, the flag of `train.commit`; results: parameter, then the state tensors in
    the same order. Each result is written over its operand; where `applied` is 0 it is
    the operand.

    With `delta` the first result is the change of the parameter, `new - old`, 0 where
    `applied` is 0, written over the gradient, whose value nothing needs any more.
  }];
  let cppNamespace = "::boostc";
  let methods = [
    InterfaceMethod<"How many scalar control operands (learning rate, ...) it has.",
      "unsigned", "getNumControls", (ins), [{
        // Parameter, gradient and `applied` aside, what is not a state is a control.
        return $_op->getNumOperands() - $_op->getNumResults() - 2;
      }]>,
    InterfaceMethod<"Whether the step is applied, i32.",
      "::mlir::Value", "getAppliedFlag", (ins), [{ return $_op.getApplied(); }]>,
    InterfaceMethod<"Whether the first result is the change of the parameter.",
      "bool", "givesDelta", (ins), [{ return $_op.getDelta(); }]>,
    InterfaceMethod<"Makes the first result the change of the parameter.",
      "void", "giveDelta", (ins), [{ $_op.setDelta(true); }]>,
    InterfaceMethod<[{
        Emits the rule for one element. `operands` are f32 scalars in the order of the
        op's operands, without `applied`; returns one scalar per result.
      }],
      "::llvm::SmallVector<::mlir::Value>", "buildScalarRule",
      (ins "::mlir::OpBuilder &":$builder, "::mlir::ValueRange":$operands)>,
    InterfaceMethod<[{
        Appends one result per result of a step that is applied, in double precision.
      }],
      "void", "evaluateRule",
      (ins "::llvm::ArrayRef<::boostc::ReferenceValue>":$operands,
           "::llvm::SmallVectorImpl<::boostc::ReferenceValue> &":$results)>,
  ];
}

def GradientTransformOpInterface : OpInterface<"GradientTransformOpInterface"> {
  let description = [{
    An elementwise change of a gradient before a rule sees it. It becomes part of the
    rule's own pass over memory.

    Operands of such an op: the gradient, then controls, a scalar for all elements or a
    vector with one for each index of dimension 0; result: the gradient.
  }];
  let cppNamespace = "::boostc";
  let methods = [
    InterfaceMethod<[{
        Emits the change of one element. `operands` are the scalars that the op's operands
        have for it, in their order.
      }],
      "::mlir::Value", "buildScalarTransform",
      (ins "::mlir::OpBuilder &":$builder, "::mlir::ValueRange":$operands)>,
  ];
}

#endif // BOOSTC_INTERFACES_SCALAR_UPDATE
