#ifndef BOOSTC_NN_ENUMS
#define BOOSTC_NN_ENUMS

include "mlir/IR/EnumAttr.td"

def Nn_Reduction : I32EnumAttr<"Reduction", "what a reduction computes", [
  I32EnumAttrCase<"Sum", 0, "sum">,
  I32EnumAttrCase<"Mean", 1, "mean">,
  I32EnumAttrCase<"Max", 2, "max">]> {
  let cppNamespace = "::boostc::nn";
}

#endif // BOOSTC_NN_ENUMS
