#ifndef BOOSTC_INTERFACES_LIBRARY_CALL
#define BOOSTC_INTERFACES_LIBRARY_CALL

include "mlir/IR/OpBase.td"

def LibraryCallOpInterface : OpInterface<"LibraryCallOpInterface"> {
  let description = [{
    An op that a vendor library can execute. Optional: an op without it, or for which
    no candidate is chosen, becomes generated code through LowerToLinalgOpInterface.
  }];
  let cppNamespace = "::boostc";
  let methods = [
    InterfaceMethod<[{
        Builds the library call (an rt op on tensors) before this op and returns one
        value per result, or failure, silently and before anything was built, when
        the library cannot execute this instance.
      }],
      "::llvm::FailureOr<::llvm::SmallVector<::mlir::Value>>", "buildLibraryCall",
      (ins "::mlir::OpBuilder &":$builder)>,
  ];
}

#endif // BOOSTC_INTERFACES_LIBRARY_CALL
