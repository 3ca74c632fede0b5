#ifndef BOOSTC_INTERFACES_REFERENCE
#define BOOSTC_INTERFACES_REFERENCE

include "mlir/IR/OpBase.td"

def ReferenceOpInterface : OpInterface<"ReferenceOpInterface"> {
  let description = [{
    Evaluates the op in double precision, written for clarity: the oracle of all
    tests. compiler/reference is only a driver over this interface.
  }];
  let cppNamespace = "::boostc";
  let methods = [
    InterfaceMethod<[{
        Computes the results from `operands`, one value per operand, and appends one
        value per result, of the result's shape. On failure it has emitted a
        diagnostic at this op.
      }],
      "::llvm::LogicalResult", "evaluate",
      (ins "::boostc::ReferenceContext &":$context,
           "::llvm::ArrayRef<::boostc::ReferenceValue>":$operands,
           "::llvm::SmallVectorImpl<::boostc::ReferenceValue> &":$results)>,
  ];
}

#endif // BOOSTC_INTERFACES_REFERENCE
