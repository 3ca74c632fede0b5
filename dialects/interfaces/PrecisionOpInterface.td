#ifndef BOOSTC_INTERFACES_PRECISION
#define BOOSTC_INTERFACES_PRECISION

include "mlir/IR/OpBase.td"

def PrecisionOpInterface : OpInterface<"PrecisionOpInterface"> {
  let description = [{
    What mixed precision makes of an op (compiler/transforms/ApplyPrecision.cpp). An op
    without this interface computes in the low type at levels O2 and O3, on all operands
    of floating point, and in f32 at level O1.

    Whatever the types of its tensors, an op computes in f32: operands are extended,
    which is exact, and a result is rounded once, where it is stored.
  }];
  let cppNamespace = "::boostc";
  let methods = [
    InterfaceMethod<"Which operands may be of a low type, and when they are.",
      "::boostc::PrecisionRule", "getPrecision", (ins)>,
  ];
}

// Gives an op that rule, for its first `operands` operands (dialects/interfaces/Precision.h).
class Boost_PrecisionTrait<string kind, int operands>
    : ParamNativeOpTrait<"PrecisionTrait",
                         "::boostc::PrecisionKind::" # kind # ", " # operands> {
  let cppNamespace = "::boostc";
}
class Boost_Precision<string kind, int operands>
    : TraitList<[PrecisionOpInterface, Boost_PrecisionTrait<kind, operands>]>;

#endif // BOOSTC_INTERFACES_PRECISION
