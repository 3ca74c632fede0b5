#ifndef BOOSTC_INTERFACES_LIBRARY
#define BOOSTC_INTERFACES_LIBRARY

include "mlir/IR/OpBase.td"

def LibraryOpInterface : OpInterface<"LibraryOpInterface"> {
  let description = [{
    What a library of a device may compute by one call, and a kernel where there is no
    library, or a slower one. An op says what passes and the descriptor need to know of the
    call; its cost, its result in double precision and its kernels are those of any op.
    Unless stated otherwise, operands are memrefs.
  }];
  let cppNamespace = "::boostc";
  let methods = [
    InterfaceMethod<[{
        The operands of the call but its scratch memory, in the order of the ABI (the struct
        of the call's kind); null where there is none.
      }],
      "::llvm::SmallVector<::mlir::Value>", "getLibraryOperands", (ins)>,
    InterfaceMethod<"Memory that the library may use; null: none.",
      "::mlir::Value", "getScratch", (ins)>,
    InterfaceMethod<"The same, to be given.",
      "::mlir::MutableOperandRange", "getScratchMutable", (ins)>,
    InterfaceMethod<"The matmul with as many multiply-adds. Also on tensors.",
      "::boostc::MatmulShape", "getMatmulShape", (ins)>,
    InterfaceMethod<[{
        Whether a library of such a device can execute it with operands of these types, as
        they lie in memory.
      }],
      "bool", "isLegalOn", (ins "::BoostTargetKind":$target)>,
    InterfaceMethod<[{
        Whether libraries and kernels of CPUs take a slice of a buffer, with gaps or from
        its middle on, for an operand. Others get a copy.
      }],
      "bool", "takesSlice", (ins "::mlir::OpOperand &":$operand), "", [{ return false; }]>,
    InterfaceMethod<[{
        Writes to `call` its kind, the struct of that kind and the types.
      }],
      "void", "describeCall", (ins "::BoostLibraryCall &":$call)>,
  ];
}

#endif // BOOSTC_INTERFACES_LIBRARY
