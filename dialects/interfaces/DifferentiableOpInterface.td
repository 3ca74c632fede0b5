#ifndef BOOSTC_INTERFACES_DIFFERENTIABLE
#define BOOSTC_INTERFACES_DIFFERENTIABLE

include "mlir/IR/OpBase.td"

def DifferentiableOpInterface : OpInterface<"DifferentiableOpInterface"> {
  let description = [{
    An op that builds its own backward (its vector-Jacobian product). The driver in
    compiler/autodiff knows no op: it visits the forward ops in reverse order, sums
    gradients where a value has several uses and asks this interface for the rest.

    An op without this interface blocks gradients; it is an error when an active
    value (one that depends on a parameter and that the loss depends on) flows
    through it.
  }];
  let cppNamespace = "::boostc";
  let methods = [
    InterfaceMethod<[{
        Whether a gradient can flow to operand `index`. Labels, indices and `valid`
        are not active. Default: floating-point operands are.
      }],
      "bool", "isActiveOperand", (ins "unsigned":$index), /*methodBody=*/"",
      /*defaultImplementation=*/[{
        return ::llvm::isa<::mlir::FloatType>(
            ::mlir::getElementTypeOrSelf($_op->getOperand(index).getType()));
      }]>,
    InterfaceMethod<[{
        The operands and results that buildBackward() reads. Stated apart so that
        recomputation and the memory plan can reason about what stays alive.
      }],
      "::llvm::SmallVector<::mlir::Value>", "savedForBackward", (ins), "",
      /*defaultImplementation=*/[{ return {}; }]>,
    InterfaceMethod<[{
        Builds the gradients of the operands. `context.gradResults[i]` is the
        gradient of result i, null when nothing flows into it (at least one is not
        null). `context.needed[i]` says whether the gradient of operand i is used;
        the implementation sets `context.gradOperands[i]` for those and builds no op
        for the others. The gradient of an operand of a low type is of that type or of
        f32, as those of parameters are. On failure it has emitted a diagnostic at this op.
      }],
      "::llvm::LogicalResult", "buildBackward",
      (ins "::boostc::BackwardContext &":$context)>,
  ];
}

#endif // BOOSTC_INTERFACES_DIFFERENTIABLE
