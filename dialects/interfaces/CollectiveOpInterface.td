#ifndef BOOSTC_INTERFACES_COLLECTIVE
#define BOOSTC_INTERFACES_COLLECTIVE

include "mlir/IR/OpBase.td"

def CollectiveOpInterface : OpInterface<"CollectiveOpInterface"> {
  let description = [{
    An op that ranks execute together, in place: what is exchanged has the same type
    before and after. All ranks execute the same collectives in the same order, which
    their indices state. The first of the exchanged values serve one parameter each,
    those after them (losses, counts) serve none.
  }];
  let cppNamespace = "::boostc";
  let methods = [
    InterfaceMethod<"Its index in the order of a step, from 0.",
      "uint32_t", "getIndex", (ins)>,
    InterfaceMethod<"Sets the index.",
      "void", "setIndex", (ins "uint32_t":$index)>,
    InterfaceMethod<"What is exchanged: tensors, or buffers.",
      "::mlir::OperandRange", "getOperands", (ins)>,
    InterfaceMethod<"The parameters that the first of these serve, one each.",
      "::mlir::ArrayAttr", "getParameters", (ins)>,
    InterfaceMethod<[{
        Its results on every rank, by definition and in double precision, from the
        operands of all, by rank. ReferenceOpInterface is for one rank, with which
        every collective leaves its operands as they are.
      }],
      "std::vector<::boostc::RankValues>", "evaluateOnRanks",
      (ins "::llvm::ArrayRef<::boostc::RankValues>":$operands)>,
  ];
  let verify = [{ return ::boostc::verifyCollective($_op); }];
  let extraClassDeclaration = [{
    /// Name of the parameter that exchanged value `index` serves; empty: of none.
    ::llvm::StringRef getParameter(unsigned index);
  }];
}

#endif // BOOSTC_INTERFACES_COLLECTIVE
