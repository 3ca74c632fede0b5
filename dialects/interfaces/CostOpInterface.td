#ifndef BOOSTC_INTERFACES_COST
#define BOOSTC_INTERFACES_COST

include "mlir/IR/OpBase.td"

def CostOpInterface : OpInterface<"CostOpInterface"> {
  let description = [{
    What executing the op once costs, from its shapes alone; feeds reports and
    choices. Defaults: one operation per result element, every operand read and every
    result written once.
  }];
  let cppNamespace = "::boostc";
  let methods = [
    InterfaceMethod<"Floating-point operations (a multiply-add is two).",
      "int64_t", "getFlops", (ins), "",
      [{ return ::boostc::countElements($_op->getResultTypes()); }]>,
    InterfaceMethod<"Bytes read.", "int64_t", "getBytesRead", (ins), "",
      [{ return ::boostc::countBytes($_op->getOperandTypes()); }]>,
    InterfaceMethod<"Bytes written.", "int64_t", "getBytesWritten", (ins), "",
      [{ return ::boostc::countBytes($_op->getResultTypes()); }]>,
  ];
}

#endif // BOOSTC_INTERFACES_COST
