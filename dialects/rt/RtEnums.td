#ifndef BOOSTC_RT_ENUMS
#define BOOSTC_RT_ENUMS

include "dialects/interfaces/AbiEnum.td"

def Rt_Arena : Boost_AbiEnum<"Arena", "one of the arenas of BoostArenaKind", BoostArenaKind> {
  let cppNamespace = "::boostc::rt";
}

def Rt_InitializerKind : Boost_AbiEnum<"InitializerKind", "distribution of initial values",
    BoostInitializerKind> {
  let cppNamespace = "::boostc::rt";
}

def Rt_BindingKind : I32EnumAttr<"BindingKind", "what a buffer is to the training step", [
  I32EnumAttrCase<"Parameter", 0, "parameter">,
  I32EnumAttrCase<"State", 1, "state">,
  I32EnumAttrCase<"Gradient", 2, "gradient">,
  I32EnumAttrCase<"LossSum", 3, "loss_sum">,
  I32EnumAttrCase<"LossCount", 4, "loss_count">,
  I32EnumAttrCase<"Input", 5, "input">,
  I32EnumAttrCase<"Valid", 6, "valid">,
  I32EnumAttrCase<"Control", 7, "control">,
  I32EnumAttrCase<"Seed", 8, "seed">,
  I32EnumAttrCase<"MetricSum", 9, "metric_sum">,
  I32EnumAttrCase<"MetricCount", 10, "metric_count">,
  I32EnumAttrCase<"Applied", 11, "applied">,
  I32EnumAttrCase<"Failed", 12, "failed">,
  I32EnumAttrCase<"GradientNorm", 13, "gradient_norm">,
  I32EnumAttrCase<"Accumulator", 14, "accumulator">,
  I32EnumAttrCase<"Step", 15, "step">,
  I32EnumAttrCase<"RunLength", 16, "run_length">,
  I32EnumAttrCase<"Choice", 17, "choice">,
  I32EnumAttrCase<"Repeat", 18, "repeat">,
  I32EnumAttrCase<"LossWeight", 19, "loss_weight">,
  I32EnumAttrCase<"LossScale", 20, "loss_scale">,
  I32EnumAttrCase<"Overflows", 21, "overflows">,
  I32EnumAttrCase<"StepNumber", 22, "step_number">]> {
  let cppNamespace = "::boostc::rt";
}

def Rt_ConvolutionKind : I32EnumAttr<"ConvolutionKind", "a convolution or one of its gradients", [
  I32EnumAttrCase<"Forward", 0, "forward">,
  I32EnumAttrCase<"BackwardData", 1, "backward_data">,
  I32EnumAttrCase<"BackwardWeight", 2, "backward_weight">]> {
  let cppNamespace = "::boostc::rt";
}

def Rt_CollectiveKind : Boost_AbiEnum<"CollectiveKind", "what ranks do together",
    BoostCollectiveKind> {
  let cppNamespace = "::boostc::rt";
}

def Rt_RankGroup : Boost_AbiEnum<"RankGroup", "which ranks do it together", BoostRankGroup> {
  let cppNamespace = "::boostc::rt";
}

def Rt_AdasumScope : Boost_AbiEnum<"AdasumScope", "what Adasum combines", BoostAdasumScope> {
  let cppNamespace = "::boostc::rt";
}

def Rt_Reproducibility : Boost_AbiEnum<"Reproducibility", "what the bits of a run may depend on",
    BoostReproducible> {
  let cppNamespace = "::boostc::rt";
}

def Rt_Precision : Boost_AbiEnum<"Precision", "what the factors of matmuls and convolutions are rounded to",
    BoostPrecision> {
  let cppNamespace = "::boostc::rt";
}

def Rt_WinogradUse : I32EnumAttr<"WinogradUse", "which convolutions Winograd's algorithm computes", [
  I32EnumAttrCase<"Off", 0, "off">,
  I32EnumAttrCase<"Auto", 1, "auto">,
  I32EnumAttrCase<"Always", 2, "always">]> {
  let cppNamespace = "::boostc::rt";
}

#endif // BOOSTC_RT_ENUMS
