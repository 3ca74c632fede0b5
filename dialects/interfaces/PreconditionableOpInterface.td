#ifndef BOOSTC_INTERFACES_PRECONDITIONABLE
#define BOOSTC_INTERFACES_PRECONDITIONABLE

include "mlir/IR/OpBase.td"

def PreconditionableOpInterface : OpInterface<"PreconditionableOpInterface"> {
  let description = [{
    The gradient of a weight that is a sum of outer products, `sum over rows r of d(r) x(r)^t`:
    d is the gradient of what a layer gives for a row, x what the layer reads there. The
    curvature of the loss in such a weight is close to a Kronecker product of two matrices,
    the sums of `x x^t` and of `d d^t` (Martens and Grosse, ICML 2015; Grosse and Martens,
    ICML 2016). The op says what its x and d are; THOR computes the matrices.
  }];
  let cppNamespace = "::boostc";
  let methods = [
    InterfaceMethod<"What the products are of.",
      "::boostc::KroneckerLayer", "getKroneckerLayer", (ins)>,
  ];
}

#endif // BOOSTC_INTERFACES_PRECONDITIONABLE
