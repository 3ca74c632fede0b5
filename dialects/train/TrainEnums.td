#ifndef BOOSTC_TRAIN_ENUMS
#define BOOSTC_TRAIN_ENUMS

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
  I32EnumAttrCase<"Constant", 0, "constant">,
  I32EnumAttrCase<"Step", 1, "step">,
  I32EnumAttrCase<"Exponential", 2, "exponential">,
  I32EnumAttrCase<"Polynomial", 3, "polynomial">,
  I32EnumAttrCase<"Cosine", 4, "cosine">,
  I32EnumAttrCase<"RecipeLinear", 5, "recipe_linear">,
  I32EnumAttrCase<"RecipePoly", 6, "recipe_poly">,
  I32EnumAttrCase<"RecipeCosine", 7, "recipe_cosine">,
  I32EnumAttrCase<"RecipeSteps", 8, "recipe_steps">,
  I32EnumAttrCase<"RecipeStep", 9, "recipe_step">]> {
  let cppNamespace = "::boostc::train";
}

def Train_ScheduleUnit : I32EnumAttr<"ScheduleUnit", "what lengths of a schedule count", [
  I32EnumAttrCase<"Epochs", 0, "epochs">,
  I32EnumAttrCase<"Steps", 1, "steps">]> {
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
