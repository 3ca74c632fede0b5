#ifndef BOOSTC_INTERFACES_SCALAR_FUNCTION
#define BOOSTC_INTERFACES_SCALAR_FUNCTION

include "mlir/IR/OpBase.td"

def ScalarFunctionOpInterface : OpInterface<"ScalarFunctionOpInterface"> {
  let description = [{
    A function of numbers that an op applies to the elements of its tensors, an activation
    or the loss of one output: the function and its derivative, each as a rule for one
    element (ScalarRule.h). Evaluation, lowering, backward, cost and error bound follow from
    the two. The rules depend on the op's attributes alone.
  }];
  let cppNamespace = "::boostc";
  let methods = [
    InterfaceMethod<"The function: its numbers are elements of the operands.",
      "::boostc::ScalarRule", "getScalarRule", (ins)>,
    InterfaceMethod<[{
        The gradient with respect to the function's first number: the gradient of the
        result times the derivative. Its numbers are the gradient of the result, then what
        the op saves for its backward: its own numbers or its result.
      }],
      "::boostc::ScalarRule", "getGradientRule", (ins)>,
  ];
}

#endif // BOOSTC_INTERFACES_SCALAR_FUNCTION
