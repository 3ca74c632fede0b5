#ifndef BOOSTC_RT_ENUMS
#define BOOSTC_RT_ENUMS

include "mlir/IR/EnumAttr.td"

// The values of these enums are those of the ABI; RtDialect.cpp asserts it.

def Rt_Arena : I32EnumAttr<"Arena", "one of the arenas of BoostArenaKind", [
  I32EnumAttrCase<"Parameter", 0, "parameter">,
  I32EnumAttrCase<"State", 1, "state">,
  I32EnumAttrCase<"Gradient", 2, "gradient">,
  I32EnumAttrCase<"GradientOther", 3, "gradient_other">,
  I32EnumAttrCase<"Batch", 4, "batch">,
  I32EnumAttrCase<"Control", 5, "control">,
  I32EnumAttrCase<"Result", 6, "result">,
  I32EnumAttrCase<"Transient", 7, "transient">]> {
  let cppNamespace = "::boostc::rt";
}

def Rt_InitializerKind : I32EnumAttr<"InitializerKind", "distribution of initial values", [
  I32EnumAttrCase<"Constant", 0, "constant">,
  I32EnumAttrCase<"Uniform", 1, "uniform">,
  I32EnumAttrCase<"Normal", 2, "normal">,
  I32EnumAttrCase<"TruncatedNormal", 3, "truncated_normal">]> {
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
  I32EnumAttrCase<"Accumulator", 14, "accumulator">]> {
  let cppNamespace = "::boostc::rt";
}

def Rt_ConvolutionKind : I32EnumAttr<"ConvolutionKind", "a convolution or one of its gradients", [
  I32EnumAttrCase<"Forward", 0, "forward">,
  I32EnumAttrCase<"BackwardData", 1, "backward_data">,
  I32EnumAttrCase<"BackwardWeight", 2, "backward_weight">]> {
  let cppNamespace = "::boostc::rt";
}

def Rt_CollectiveKind : I32EnumAttr<"CollectiveKind", "what ranks do together", [
  I32EnumAttrCase<"AllReduce", 0, "all_reduce">,
  I32EnumAttrCase<"Adasum", 1, "adasum">,
  I32EnumAttrCase<"ReduceScatter", 2, "reduce_scatter">,
  I32EnumAttrCase<"AllGather", 3, "all_gather">,
  I32EnumAttrCase<"Broadcast", 4, "broadcast">]> {
  let cppNamespace = "::boostc::rt";
}

def Rt_RankGroup : I32EnumAttr<"RankGroup", "which ranks do it together", [
  I32EnumAttrCase<"All", 0, "all">,
  I32EnumAttrCase<"IntraGroup", 1, "intra_group">,
  I32EnumAttrCase<"InterGroup", 2, "inter_group">]> {
  let cppNamespace = "::boostc::rt";
}

def Rt_AdasumScope : I32EnumAttr<"AdasumScope", "what Adasum combines", [
  I32EnumAttrCase<"Auto", 0, "auto">,
  I32EnumAttrCase<"Servers", 1, "servers">,
  I32EnumAttrCase<"Ranks", 2, "ranks">]> {
  let cppNamespace = "::boostc::rt";
}

def Rt_Reproducibility : I32EnumAttr<"Reproducibility", "what the bits of a run may depend on", [
  I32EnumAttrCase<"On", 0, "on">,
  I32EnumAttrCase<"Off", 1, "off">,
  I32EnumAttrCase<"Strict", 2, "strict">]> {
  let cppNamespace = "::boostc::rt";
}

def Rt_Precision : I32EnumAttr<"Precision", "what the factors of matmuls and convolutions are rounded to", [
  I32EnumAttrCase<"Float32", 0, "float32">,
  I32EnumAttrCase<"Tf32", 1, "tf32">]> {
  let cppNamespace = "::boostc::rt";
}

#endif // BOOSTC_RT_ENUMS
