#ifndef BOOSTC_INTERFACES_LOWER_TO_LINALG
#define BOOSTC_INTERFACES_LOWER_TO_LINALG

include "mlir/IR/OpBase.td"

def LowerToLinalgOpInterface : OpInterface<"LowerToLinalgOpInterface"> {
  let description = [{
    An op that knows its own lowering to linalg on tensors. Sums whose order is free
    carry `fastmath<reassoc>`, so that the vectoriser may split them into lanes; the
    order is fixed once the code is generated.
  }];
  let cppNamespace = "::boostc";
  let methods = [
    InterfaceMethod<[{
        Builds the lowering before this op and returns one value per result. Fails,
        with a diagnostic, before it has built anything.
      }],
      "::llvm::FailureOr<::llvm::SmallVector<::mlir::Value>>", "lowerToLinalg",
      (ins "::mlir::OpBuilder &":$builder)>,
  ];
}

#endif // BOOSTC_INTERFACES_LOWER_TO_LINALG
