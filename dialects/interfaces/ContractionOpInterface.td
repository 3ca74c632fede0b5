#ifndef BOOSTC_INTERFACES_CONTRACTION
#define BOOSTC_INTERFACES_CONTRACTION

include "dialects/interfaces/LibraryOpInterface.td"

def ContractionOpInterface
    : OpInterface<"ContractionOpInterface", [LibraryOpInterface]> {
  let description = [{
    A matmul or a convolution: a contraction, written to `c` by a call of a
    vendor library or by a kernel. With scratch memory it is a call, and on a GPU with
    that alone. What is multiplied, and so what the library and the kernels are told of
    it, each op says itself.
  }];
  let cppNamespace = "::boostc";
  let methods = [
    InterfaceMethod<"The first factor.", "::mlir::Value", "getA", (ins)>,
    InterfaceMethod<"The second factor.", "::mlir::Value", "getB", (ins)>,
    InterfaceMethod<"What is added to the sums; null: nothing.",
      "::mlir::Value", "getBias", (ins)>,
    InterfaceMethod<"Where the sums are written.", "::mlir::Value", "getC", (ins)>,
    InterfaceMethod<"Memory for partial sums; null: the sums are computed as a whole.",
      "::mlir::Value", "getPartials", (ins)>,
    InterfaceMethod<"The same, to be given.",
      "::mlir::MutableOperandRange", "getPartialsMutable", (ins)>,
    InterfaceMethod<"What the library may round factors to.",
      "::boostc::rt::Precision", "getPrecision", (ins)>,
    InterfaceMethod<"Allows it.",
      "void", "setPrecision", (ins "::boostc::rt::Precision":$precision)>,
    InterfaceMethod<[{
        Whether a GPU's library may write a result of f32 where factors are of 16 bits.
      }],
      "bool", "canWidenResult", (ins), "", [{ return true; }]>,
    InterfaceMethod<[{
        Whether a GPU's library brings operands into another order, in scratch memory, for
        tensor cores.
      }],
      "bool", "reordersForTensorCores", (ins), "", [{ return false; }]>,
  ];
  let verify = [{ return ::boostc::rt::verifyContraction($_op); }];
}

#endif // BOOSTC_INTERFACES_CONTRACTION
