#ifndef BOOSTC_TRAIN_ENUMS
#define BOOSTC_TRAIN_ENUMS

include "dialects/interfaces/AbiEnum.td"

def Train_Role : Boost_AbiEnum<"Role", "what a parameter is to its layer", BoostRole> {
  let cppNamespace = "::boostc::train";
}

def Train_Saved : Boost_AbiEnum<"Saved", "which file of a checkpoint has a state", BoostSaved> {
  let cppNamespace = "::boostc::train";
}

def Train_ScheduleKind : Boost_AbiEnum<"ScheduleKind", "how a hyper-parameter changes",
    BoostScheduleKind> {
  let cppNamespace = "::boostc::train";
}

def Train_ScheduleUnit : Boost_AbiEnum<"ScheduleUnit", "what lengths of a schedule count",
    BoostScheduleUnit> {
  let cppNamespace = "::boostc::train";
}

def Train_Reduction : I32EnumAttr<"Reduction", "how gradients of micro-batches or ranks are combined", [
  I32EnumAttrCase<"Mean", 0, "mean">,
  I32EnumAttrCase<"Sum", 1, "sum">]> {
  let cppNamespace = "::boostc::train";
}

def Train_FailurePolicy : I32EnumAttr<"FailurePolicy", "what follows a step that is not applied", [
  I32EnumAttrCase<"Fail", 0, "fail">,
  I32EnumAttrCase<"Skip", 1, "skip">]> {
  let cppNamespace = "::boostc::train";
}

def Train_AmpLevel : I32EnumAttr<"AmpLevel", "how much of a model mixed precision covers", [
  I32EnumAttrCase<"O1", 1, "O1">,
  I32EnumAttrCase<"O2", 2, "O2">,
  I32EnumAttrCase<"O3", 3, "O3">]> {
  let cppNamespace = "::boostc::train";
}

def Train_FreezeSchedule : I32EnumAttr<"FreezeSchedule", "in which steps layers are frozen", [
  I32EnumAttrCase<"Continuous", 0, "continuous">,
  I32EnumAttrCase<"Interleaved", 1, "interleaved">]> {
  let cppNamespace = "::boostc::train";
}

def Train_AdasumMode : I32EnumAttr<"AdasumMode", "what Adasum combines", [
  I32EnumAttrCase<"Delta", 0, "delta">,
  I32EnumAttrCase<"Gradient", 1, "gradient">]> {
  let cppNamespace = "::boostc::train";
}

def Train_Granularity : I32EnumAttr<"Granularity", "what Adasum takes for one vector", [
  I32EnumAttrCase<"PerTensor", 0, "per_tensor">,
  I32EnumAttrCase<"PerGroup", 1, "per_group">,
  I32EnumAttrCase<"Whole", 2, "whole">]> {
  let cppNamespace = "::boostc::train";
}

#endif // BOOSTC_TRAIN_ENUMS
