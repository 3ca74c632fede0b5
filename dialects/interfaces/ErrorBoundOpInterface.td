#ifndef BOOSTC_INTERFACES_ERROR_BOUND
#define BOOSTC_INTERFACES_ERROR_BOUND

include "mlir/IR/OpBase.td"

def ErrorBoundOpInterface : OpInterface<"ErrorBoundOpInterface"> {
  let description = [{
    Bounds what rounding to single precision may do to the op's results. The tests compare
    compiled programs with the double-precision reference within these bounds
    (test/e2e/ErrorAnalysis.h), so they are derived from the op's arithmetic, by the
    standard model of floating point (ErrorBound.h, Approximate.h), never from measurements.
  }];
  let cppNamespace = "::boostc";
  let methods = [
    InterfaceMethod<[{
        Bounds of the absolute error of each element, one list for each result; results
        that are not listed are exact. `operands` come with their own bounds, `results`
        are exact.
      }],
      "::boostc::ErrorBounds", "boundErrors",
      (ins "::boostc::ReferenceContext &":$context,
           "::llvm::ArrayRef<::boostc::Bounded>":$operands,
           "::llvm::ArrayRef<::boostc::ReferenceValue>":$results)>,
  ];
}

#endif // BOOSTC_INTERFACES_ERROR_BOUND
