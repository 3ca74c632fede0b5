#ifndef BOOST_TRAIN_ENUMS
#define BOOST_TRAIN_ENUMS

include "mlir/IR/EnumAttr.td"

def Train_Role : I32EnumAttr<"Role", "what a parameter is to its layer", [
  I32EnumAttrCase<"Weight", 0, "weight">,
  I32EnumAttrCase<"Bias", 1, "bias">,
  I32EnumAttrCase<"NormScale", 2, "norm_scale">,
  I32EnumAttrCase<"NormShift", 3, "norm_shift">,
  I32EnumAttrCase<"Embedding", 4, "embedding">,
  I32EnumAttrCase<"Multiplier", 5, "multiplier">]> {
  let cppNamespace = "::boostc::train";
}

def Train_ScheduleKind : I32EnumAttr<"ScheduleKind", "how a hyper-parameter changes", [
  I32EnumAttrCase<"Constant", 0, "constant">]> {
  let cppNamespace = "::boostc::train";
}

#endif // BOOST_TRAIN_ENUMS
