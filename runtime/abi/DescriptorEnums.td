// DescriptorEnums.td - what fields of Descriptor.td choose from. Dialects take
// the cases of their attributes from here (dialects/interfaces/AbiEnum.td).
#ifndef BOOSTC_DESCRIPTOR_ENUMS
#define BOOSTC_DESCRIPTOR_ENUMS

/// `name` is what JSON and IR say; in upper case, after the enum's prefix, it
/// is the constant of C. `symbol` is the case of C++.
class AbiCase<string symbol_, int value_, string name_, string doc_ = ""> {
  string symbol = symbol_;
  int value = value_;
  string name = name_;
  string doc = doc_;
}

/// Values are part of the ABI: append only. `counted`: C has <prefix>_COUNT.
class AbiEnum<string prefix_, string doc_, list<AbiCase> cases_,
              bit counted_ = 0> {
  string prefix = prefix_;
  string doc = doc_;
  list<AbiCase> cases = cases_;
  bit counted = counted_;
}

def BoostDType : AbiEnum<"BOOSTC", "Types of elements.", [
  AbiCase<"F32", 1, "f32">,
  AbiCase<"I32", 2, "i32">,
  AbiCase<"I64", 3, "i64">,
  AbiCase<"U8", 4, "u8", "0 to 255">]>;

def BoostArenaKind : AbiEnum<"BOOSTC_ARENA", [{
  Memory is a handful of arenas. The runtime reserves each once, before the
  first step; functions receive an array of base addresses indexed by this enum.
  GRADIENT and BATCH exist in several copies; the host chooses which copy a call
  sees by the base address it passes.}], [
  AbiCase<"Parameter", 0, "parameter",
          "weights and what is saved with them; init and update write it">,
  AbiCase<"State", 1, "state", "other state; init, probe and update write it">,
  AbiCase<"Gradient", 2, "gradient", [{
    the accumulators of one or more micro-batches: result of micro, destination
    of combine, operand of probe and update}]>,
  AbiCase<"GradientOther", 3, "gradient_other",
          "combine only: the set added to GRADIENT">,
  AbiCase<"Batch", 4, "batch", "inputs of one micro-batch and `valid`">,
  AbiCase<"Control", 5, "control", "scalars the host writes before a call">,
  AbiCase<"Result", 6, "result", "scalars a call leaves for the host">,
  AbiCase<"Transient", 7, "transient",
          "scratch; contents do not survive a call">], 1>;

def BoostFunctionRole : AbiEnum<"BOOSTC_FUNCTION", [{
  What a function does. A program has one INIT and one EVAL; the others are the
  parts of its variants, and its selector's.}], [
  AbiCase<"Init", 0, "init",
          "CONTROL(seed) -> PARAMETER, STATE, RESULT(failed)">,
  AbiCase<"Micro", 1, "micro", [{
    BATCH, PARAMETER -> GRADIENT; where the program is not reproducible and
    micro_batches above 1: GRADIENT += what it computes, or = where GRADIENT's
    loss count is 0}]>,
  AbiCase<"Combine", 2, "combine", "GRADIENT += GRADIENT_OTHER">,
  AbiCase<"Update", 3, "update", [{
    GRADIENT, CONTROL, PARAMETER, STATE, RESULT(failed) -> PARAMETER, STATE,
    RESULT; nothing but RESULT is written when a gradient or the loss is not
    finite, the count is 0 or `failed` was 1 already: no step follows one that
    failed}]>,
  AbiCase<"Eval", 4, "eval", "BATCH, PARAMETER -> RESULT">,
  AbiCase<"Select", 5, "select", [{
    CONTROL(step, length), STATE, PARAMETER(states) -> RESULT(choice); see
    BoostSelector}]>,
  AbiCase<"Probe", 6, "probe", [{
    GRADIENT, CONTROL, PARAMETER, STATE, RESULT(failed) -> GRADIENT, STATE,
    RESULT(repeat); see BoostPhase}]>], 1>;

def BoostRole : AbiEnum<"BOOSTC_ROLE", "What a parameter is to its layer.", [
  AbiCase<"Weight", 0, "weight">,
  AbiCase<"Bias", 1, "bias">,
  AbiCase<"NormScale", 2, "norm_scale">,
  AbiCase<"NormShift", 3, "norm_shift">,
  AbiCase<"Embedding", 4, "embedding">,
  AbiCase<"Multiplier", 5, "multiplier">]>;

def BoostAccumulatorKind : AbiEnum<"BOOSTC_ACCUMULATOR",
    "What an accumulator sums over the samples of a step.", [
  AbiCase<"Gradient", 0, "gradient", "the gradient of its parameter">,
  AbiCase<"LossSum", 1, "loss_sum">,
  AbiCase<"LossCount", 2, "loss_count", "the number of samples">,
  AbiCase<"Other", 3, "other", "update alone knows">,
  AbiCase<"LossWeight", 4, "loss_weight", "the sum of the sample weights">]>;

def BoostSaved : AbiEnum<"BOOSTC_SAVED",
    "Which file of a checkpoint has a state.", [
  AbiCase<"WithState", 0, "with_state">,
  AbiCase<"WithWeights", 1, "with_weights",
          "also in the files of --save and --init">,
  AbiCase<"InBasis", 2, "in_basis", [{
    none: it is a part of the basis that a run is given, and never written}]>,
  AbiCase<"Nowhere", 3, "nowhere",
          "none: each step writes it before it reads it">]>;

def BoostInitializerKind : AbiEnum<"BOOSTC_INIT", [{
  Initialisers. `a` and `b` are the two numbers of BoostParameter. Draws are
  defined by runtime/abi/boost_random.h: a pure function of (seed, parameter
  name, element).}], [
  AbiCase<"Constant", 0, "constant", "every element = a">,
  AbiCase<"Uniform", 1, "uniform", "uniform in [a, b)">,
  AbiCase<"Normal", 2, "normal", "normal, mean a, standard deviation b">,
  AbiCase<"TruncatedNormal", 3, "truncated_normal",
          "the same, drawn again outside a +- 2 b">]>;

def BoostInputKind : AbiEnum<"BOOSTC_INPUT", [{
  A program reads one input of kind FEATURES, PIXELS or INDICES and at most one
  of each other kind. Rows that pad a short batch are zero in all of them.}], [
  AbiCase<"Features", 0, "features",
          "f32 [batch, ...]: samples after the transforms">,
  AbiCase<"Labels", 1, "labels", "i32 [batch, ...], values in [0, classes)">,
  AbiCase<"Indices", 2, "indices", [{
    i32 [batch, ...], values in [0, classes): samples of integers, such as
    tokens}]>,
  AbiCase<"Targets", 3, "targets", [{
    f32 [batch, ...]: what the loss compares with, as the data set states it}]>,
  AbiCase<"SampleKeys", 4, "sample_keys",
          "i32 [batch]: boost_sample_key() of each row">,
  AbiCase<"Weights", 5, "weights", [{
    f32 [batch, ...]: sample weights, finite and 0 or more, by which the loss
    and metrics are weighted}]>,
  AbiCase<"Pixels", 6, "pixels", [{
    u8 [batch, ...]: samples after the transforms that move pixels; the program
    does the others}]>]>;

def BoostScheduleKind : AbiEnum<"BOOSTC_SCHEDULE",
    "The formulas are in runtime/abi/boost_schedule.h.", [
  AbiCase<"Constant", 0, "constant">,
  AbiCase<"Step", 1, "step">,
  AbiCase<"Exponential", 2, "exponential">,
  AbiCase<"Polynomial", 3, "polynomial">,
  AbiCase<"Cosine", 4, "cosine">,
  AbiCase<"RecipeLinear", 5, "recipe_linear">,
  AbiCase<"RecipePoly", 6, "recipe_poly">,
  AbiCase<"RecipeCosine", 7, "recipe_cosine">,
  AbiCase<"RecipeSteps", 8, "recipe_steps">,
  AbiCase<"RecipeStep", 9, "recipe_step">,
  AbiCase<"RecipeThor", 10, "recipe_thor">,
  AbiCase<"RecipeDamping", 11, "recipe_damping">], 1>;

def BoostScheduleUnit : AbiEnum<"BOOSTC_UNIT",
    "What lengths of a schedule count.", [
  AbiCase<"Epochs", 0, "epochs">,
  AbiCase<"Steps", 1, "steps", "optimizer steps">]>;

def BoostTargetKind : AbiEnum<"BOOSTC_TARGET",
    "What a program holds code for; the names are those of boostc --target.", [
  AbiCase<"Cpu", 0, "cpu">,
  AbiCase<"Cuda", 1, "cuda",
          "NVIDIA GPUs; also what the simulated device runs">], 1>;

def BoostModuleKind : AbiEnum<"BOOSTC_MODULE", "Forms of code for a GPU.", [
  AbiCase<"End", 0, "end", "ends a table">,
  AbiCase<"Ptx", 1, "ptx",
          "text, with a terminator that `bytes` does not count">,
  AbiCase<"Cubin", 2, "cubin", "machine code of one architecture">]>;

def BoostLibraryCallKind : AbiEnum<"BOOSTC_LIBRARY", [{
  What a library computes: CPUs matmuls and inverses, GPUs all but inverses.}], [
  AbiCase<"Matmul", 0, "matmul">,
  AbiCase<"Convolution", 1, "convolution", "y from x and w">,
  AbiCase<"ConvolutionBackwardData", 2, "convolution_backward_data",
          "x from y and w">,
  AbiCase<"ConvolutionBackwardWeight", 3, "convolution_backward_weight",
          "w from y and x">,
  AbiCase<"DampedInverse", 4, "damped_inverse">], 1>;

def BoostFloatType : AbiEnum<"BOOSTC_FLOAT", [{
  Types of the matrices and tensors of library calls. What is added up is of
  f32, whatever they are.}], [
  AbiCase<"F32", 0, "f32">,
  AbiCase<"Bf16", 1, "bf16">,
  AbiCase<"F16", 2, "f16">], 1>;

def BoostPrecision : AbiEnum<"BOOSTC_PRECISION", [{
  What the factors of matmuls and convolutions are rounded to; sums are of
  f32.}], [
  AbiCase<"Float32", 0, "float32", "nothing less than they are">,
  AbiCase<"Tf32", 1, "tf32",
          "10 bits after the leading one, the exponents of f32">]>;

def BoostCollectiveKind : AbiEnum<"BOOSTC_COLLECTIVE", [{
  What ranks do together. Dialect coll says it in full, and what slices are.}], [
  AbiCase<"AllReduce", 0, "all_reduce", "sum over the group's ranks">,
  AbiCase<"Adasum", 1, "adasum">,
  AbiCase<"ReduceScatter", 2, "reduce_scatter",
          "the sum of the rank's own slice; the rest stays as it is">,
  AbiCase<"AllGather", 3, "all_gather", "of each slice what its rank has">,
  AbiCase<"Broadcast", 4, "broadcast", "what rank `root` has">,
  AbiCase<"OwnSlice", 5, "own_slice", "zeros outside of the own slice">], 1>;

def BoostRankGroup : AbiEnum<"BOOSTC_RANKS",
    "Which ranks do it. Every rank is in one group of each kind.", [
  AbiCase<"All", 0, "all">,
  AbiCase<"IntraGroup", 1, "intra_group", "those whose gradients are averaged">,
  AbiCase<"InterGroup", 2, "inter_group",
          "one of each inner group, over which Adasum combines">]>;

def BoostAdasumScope : AbiEnum<"BOOSTC_ADASUM_SCOPE",
    "What an inner group is.", [
  AbiCase<"Auto", 0, "auto",
          "as SERVERS where there are several, else as RANKS">,
  AbiCase<"Servers", 1, "servers", "the ranks of a server">,
  AbiCase<"Ranks", 2, "ranks", "a rank alone">]>;

def BoostReproducible : AbiEnum<"BOOSTC_REPRODUCIBLE", [{
  What the bits of a run depend on, besides data, weights, seed and CPU
  type.}], [
  AbiCase<"On", 0, "on", "the number of threads">,
  AbiCase<"Off", 1, "off", [{
    it, and how a step is split into ranks and micro-batches; there is one
    gradient set}]>,
  AbiCase<"Strict", 2, "strict", [{
    nothing else: parallel_for splits, and library calls are cut, without regard
    to threads}]>]>;

#endif // BOOSTC_DESCRIPTOR_ENUMS
