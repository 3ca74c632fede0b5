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

    Or the gradients of vectors whose elements count for one element of each row, such as the
    scale and shift of a normalisation: they have no such matrices.
  }];
  let cppNamespace = "::boostc";
  let methods = [
    InterfaceMethod<"Whether this gradient is preconditioned.", "bool", "isPreconditionable",
      (ins), "", [{ return true; }]>,
    InterfaceMethod<"What the products are of; nothing where there are none.",
      "::std::optional<::boostc::KroneckerLayer>", "getKroneckerLayer", (ins)>,
    InterfaceMethod<[{
      For a table in which rows are looked up (KroneckerLayer::isLookup): emits how often each
      is, `[rows, 1, 1]`, by the first `valid` samples.}],
      "::mlir::Value", "buildLookupCounts", (ins "::mlir::OpBuilder &":$builder), "",
      [{ llvm_unreachable("no rows are looked up"); }]>,
  ];
}

#endif // BOOSTC_INTERFACES_PRECONDITIONABLE
