// Descriptor.td - the tables of a program: the one place that says what they
// hold.
//
// tools/dev/update-abi makes of it
//   boost_descriptor.h   the enums and structs, in C, with their sizes asserted
//   DescriptorSchema.inc what C++ walks: every field with its name, type and
//                        place. The compiler writes the image of a program with
//                        it, the runtime checks a program with it and prints
//                        `boost-run info --json`.
// Enums are in DescriptorEnums.td. So a field, a case or a table is added in
// one place.
//
// A change of any name, value or place changes BOOSTC_ABI_LAYOUT, which every
// program carries. Raise AbiVersion with it: messages name it.
//
// Units: all sizes and offsets are bytes, all shapes are elements.
#ifndef BOOSTC_DESCRIPTOR
#define BOOSTC_DESCRIPTOR

include "runtime/abi/DescriptorEnums.td"

def AbiVersion { int value = 24; }

//===----------------------------------------------------------------------===//
// The language of this file.
//===----------------------------------------------------------------------===//

class Field<string name_, string kind_, string doc_, bit optional_ = 0,
            bit hidden_ = 0, int length_ = 1> {
  string name = name_;
  string kind = kind_;
  string doc = doc_;
  /// JSON leaves it out where all its bytes are 0, or the text is empty.
  bit optional = optional_;
  /// JSON leaves it out: it says nothing to a reader.
  bit hidden = hidden_;
  /// More than 1: an array of so many.
  int length = length_;
}

class Struct<string doc_, list<Field> fields_> {
  string doc = doc_;
  list<Field> fields = fields_;
}

class I32<string name, string doc = "", bit opt = 0>
    : Field<name, "I32", doc, opt>;
class I64<string name, string doc = "", bit opt = 0, int count = 1>
    : Field<name, "I64", doc, opt, 0, count>;
class U32<string name, string doc = "", bit opt = 0, bit hide = 0>
    : Field<name, "U32", doc, opt, hide>;
class U64<string name, string doc = "", bit hide = 0, int count = 1>
    : Field<name, "U64", doc, 0, hide, count>;
class F64<string name, string doc = "", bit opt = 0>
    : Field<name, "F64", doc, opt>;
/// uint32_t, 0 or 1.
class Bool<string name, string doc = ""> : Field<name, "Bool", doc>;
/// uint32_t
class EnumField<string name, AbiEnum type_, string doc = "">
    : Field<name, "Enum", doc> {
  AbiEnum type = type_;
}
/// const char *, never null.
class Text<string name, string doc = "", bit opt = 0, bit hide = 0>
    : Field<name, "Text", doc, opt, hide>;
/// uint64_t for each case; JSON has them by the names of the cases.
class PerCase<string name, AbiEnum type_, string doc = "">
    : Field<name, "U64", doc, 0, 0, !size(type_.cases)> {
  AbiEnum type = type_;
}
/// A text that can be printed, be a key of JSON and be compared: not empty, not
/// long.
class Name<string name, string doc = ""> : Field<name, "Name", doc>;
/// A struct inside this one. `flat`: JSON has its fields among this struct's.
class Inline<string name, Struct type_, string doc = "", bit flat = 0,
             bit opt = 0> : Field<name, "Inline", doc, opt> {
  Struct type = type_;
  bit isFlat = flat;
}
/// A pointer to as many of a struct, or int64_t, as the field `count` says.
class Table<string name, string type_, string count_, string doc = "",
            bit opt = 0> : Field<name, "Table", doc, opt> {
  string type = type_;
  string count = count_;
}
/// uint32_t: the number of entries of a table of this struct.
class Count<string name> : Field<name, "U32", "", 0, 1>;
/// A pointer to a table that ends with an entry of zeros, or null. The linker
/// sets it, and so it does the next two.
class Linked<string name, string type_, string doc = "">
    : Field<name, "Linked", doc, 1> {
  string type = type_;
}
/// A function of the program, by its type in C.
class Code<string name, string type_, string doc = "">
    : Field<name, "Code", doc, 0, 1> {
  string type = type_;
}
/// const void *
class Data<string name, string doc = ""> : Field<name, "Data", doc, 0, 1>;
/// uint32_t: the place of an entry in a table of the program; JSON has its
/// name. UINT32_MAX: none.
class Index<string name, string type_, string doc = "">
    : Field<name, "Index", doc> {
  string type = type_;
}
/// 0; fills a gap that C would leave.
def Reserved : Field<"reserved", "U32", "0", 0, 1>;

//===----------------------------------------------------------------------===//
// Tables.
//===----------------------------------------------------------------------===//

def BoostTensor : Struct<"", [
  Name<"name", "\"fc1.weight\"; unique in its table">,
  Text<"location", "\"model.json:14:5\"">,
  Table<"shape", "int64_t", "rank", "`rank` extents, row-major">,
  Count<"rank">,
  EnumField<"dtype", BoostDType>,
  EnumField<"arena", BoostArenaKind>,
  Reserved,
  U64<"offset", "inside the arena; multiple of BOOSTC_ALIGNMENT">,
  U64<"bytes">]>;

def BoostParameter : Struct<"", [
  Inline<"tensor", BoostTensor, "in PARAMETER", flat = 1>,
  EnumField<"role", BoostRole>,
  EnumField<"initializer", BoostInitializerKind>,
  F64<"a", "see BoostInitializerKind">,
  F64<"b">]>;

def BoostAccumulator : Struct<[{
  A sum over the samples of a step: of its micro-batches by combine or in place,
  of its ranks by the collectives of update. A rank without samples has 0 of an
  i64 and -0.0 of an f32, which adds nothing to any number, down to the bit. A
  program has one LOSS_SUM, an f32 scalar, and one LOSS_COUNT, an i64 scalar.
  The loss is LOSS_SUM / LOSS_WEIGHT, an f32 scalar, where there is one, else
  LOSS_SUM / LOSS_COUNT.}], [
  Inline<"tensor", BoostTensor,
         "in GRADIENT; f32 or i64; a gradient is called as its parameter",
         flat = 1>,
  EnumField<"kind", BoostAccumulatorKind>,
  Index<"parameter", "BoostParameter", "the one it belongs to">]>;

def BoostState : Struct<"", [
  Inline<"tensor", BoostTensor, [{
    in STATE, or in PARAMETER where it is saved with the weights; named
    "<parameter>.<slot>" or by itself}], flat = 1>,
  Name<"slot", "\"momentum\"">,
  Text<"averaged", [{
    the parameter or state whose moving average it is; empty where it is none}],
       1>,
  Index<"parameter", "BoostParameter", "the one it belongs to">,
  EnumField<"saved", BoostSaved>,
  Bool<"is_evaluated", [{
    1: EVAL reads it in the place of what it averages, and a file of weights has
    it under that name}]>,
  Reserved]>;

def BoostInput : Struct<"", [
  Inline<"tensor", BoostTensor, "in BATCH", flat = 1>,
  EnumField<"kind", BoostInputKind>,
  Reserved,
  I64<"classes", "labels, indices: number of values; else 0", opt = 1>]>;

def BoostMetric : Struct<[{
  A pair (sum over samples, number of samples or sum of their weights); the
  value is sum / count, divided by the host over as many calls as it
  likes.}], [
  Name<"name", "\"loss\", \"top_1\", \"top_5\"">,
  Inline<"sum", BoostTensor, "f32 scalar in RESULT">,
  Inline<"count", BoostTensor,
         "scalar in RESULT; i64, or f32 where samples have weights">]>;

def BoostStepNumber : Struct<"", [
  Inline<"tensor", BoostTensor, [{
    i32 scalar in RESULT, written by update: what the metrics of a step say under
    its name}], flat = 1>]>;

class ScheduleNumber<string name> : F64<name, "", 1>;

def BoostSchedule : Struct<"", [
  Name<"name", "\"learning_rate\"">,
  EnumField<"kind", BoostScheduleKind>,
  EnumField<"unit", BoostScheduleUnit, "of warmup, every and length">,
  F64<"value", "see boost_schedule.h for this and the next">,
  ScheduleNumber<"initial">,
  ScheduleNumber<"end">,
  ScheduleNumber<"factor">,
  ScheduleNumber<"warmup">,
  ScheduleNumber<"every">,
  ScheduleNumber<"length">,
  Inline<"control", BoostTensor,
         "f32 scalar in CONTROL that receives the value">]>;

class Extents<string name, int count, string doc = "">
    : I64<name, doc, 0, count>;

def BoostMatmul : Struct<[{
  C[m,n] = A[m,k] * B[k,n] + bias[n]. A and B are read through strides (in
  elements: row, column), C is row-major and dense.
  Operands: A, B, bias (null when has_bias is 0), C, scratch.}], [
  I64<"m">, I64<"n">, I64<"k">,
  Extents<"a_strides", 2>,
  Extents<"b_strides", 2>,
  Bool<"has_bias">,
  Reserved]>;

def BoostConvolution : Struct<[{
  A two-dimensional convolution or one of its adjoints. With x an input
  [N, C, H, W], w a weight [O, C / groups, KH, KW] and y an output [N, O, OH,
  OW]:

    y[n, o, i, j] = bias[o] + sum over c, k, l of w[o, c, k, l] *
        x[n, c, i * strides[0] + k * dilations[0] - padding[0],
                j * strides[1] + l * dilations[1] - padding[1]]

  where x is zero outside the input and c runs over the channels of o's group.
  The adjoints, in x and in w, are sums over the same products. Tensors are read
  and written through strides (in elements) that put them in some order of their
  dimensions without gaps. Operands: what is read, bias (null when has_bias is
  0), what is written, scratch: x, w, bias, y; y, w, null, x; y, x, null, w.}],
  [
  Extents<"input", 4, "extents of x">,
  Extents<"weight", 4, "of w">,
  Extents<"output", 4, "of y">,
  Extents<"input_strides", 4>,
  Extents<"weight_strides", 4>,
  Extents<"output_strides", 4>,
  Extents<"strides", 2, "vertical, horizontal">,
  Extents<"padding", 4, "top, left, bottom, right">,
  Extents<"dilations", 2>,
  Bool<"has_bias">,
  Reserved]>;

def BoostDampedInverse : Struct<[{
  What rt.damped_inverse does. Operands: m [matrices, extent, extent], weight
  [matrices], damping, an f32 scalar, inverse, shaped as m, failed [matrices] of
  i32, scratch.}], [
  I64<"matrices">,
  I64<"extent">]>;

def BoostWork : Struct<[{
  What a launch or a library call does, from shapes alone: what its time is
  compared with.}], [
  Text<"positions", [{
    of the ops that it computes: "model.json:14:5, model.json:20:5"; of many,
    the first four and how many others there are}]>,
  U64<"flops", "a multiply-add is two">,
  U64<"bytes_read", [{
    each operand once; without what it has written itself}]>,
  U64<"bytes_written", "each operand once">]>;

def BoostLibraryCall : Struct<[{
  Operands are those of the kind's struct, in its order, null where absent.}], [
  EnumField<"kind", BoostLibraryCallKind>,
  U32<"fallback_launch", [{
    CUDA: the launch that computes the same, with the operands that are there
    but for scratch; CPU: 0}]>,
  U64<"scratch_bytes", [{
    CPU: what the library asked for when compiling; CUDA: what it may use at
    most}]>,
  Text<"location">,
  Text<"layers", "as those of a launch">,
  Inline<"matmul", BoostMatmul, "zeros where the call is another", flat = 1,
         opt = 1>,
  U64<"operand_bytes", [{
    of the memory planned for each operand but scratch; 0: absent}], count = 5>,
  Inline<"convolution", BoostConvolution, "likewise", flat = 1, opt = 1>,
  Inline<"damped_inverse", BoostDampedInverse, "likewise", flat = 1, opt = 1>,
  EnumField<"precision", BoostPrecision, [{
    CUDA: the program's; CPU: FLOAT32. What computes the same in more is as
    good: the fallback does}]>,
  EnumField<"factor_type", BoostFloatType, [{
    of what is multiplied, or inverted; CPU: F32 or BF16}]>,
  EnumField<"result_type", BoostFloatType, [{
    of a bias and of the result, to which sums are rounded once: F32 or
    factor_type}]>,
  Reserved,
  Inline<"work", BoostWork, "", flat = 1>]>;

def BoostSum : Struct<"An accumulator that a function writes.", [
  Index<"accumulator", "BoostAccumulator">,
  Reserved]>;

def BoostFunction : Struct<
    "All targets have the same functions in the same order.", [
  Name<"name">,
  Code<"entry", "BoostEntry">,
  U64<"transient_bytes", "what this function uses of TRANSIENT">,
  EnumField<"role", BoostFunctionRole>,
  U32<"first_collective", [{
    PROBE and UPDATE call so many collectives from this one on, in their order;
    others call none}]>,
  U32<"collective_count">,
  Count<"sum_count">,
  Table<"sums", "BoostSum", "sum_count", [{
    MICRO of a variant with phases before its last: the accumulators that it
    writes; else null}], 1>]>;

def BoostStepRange : Struct<[{
  Steps `first`, `first + every`, ... up to `last`, or without end where that is
  0. Steps are those of the run, counted from 1.}], [
  I64<"first", "1 or more">,
  I64<"last", opt = 1>,
  I64<"every", "1 or more">]>;

def BoostPhase : Struct<[{
  A part of a step before its last: MICRO for each micro-batch of the window,
  COMBINE to add what two of them left, then PROBE. An accumulator that MICRO
  does not write keeps what the phases before have left in it.}], [
  Index<"micro", "BoostFunction">,
  Index<"combine", "BoostFunction",
        "none where the program is not reproducible">,
  Index<"probe", "BoostFunction">,
  Bool<"repeats", [{
    1: all of it again while PROBE leaves another number than 0 in `repeat` of
    the program}]>]>;

def BoostVariant : Struct<[{
  A kind of step: its phases, in their order; then MICRO for each micro-batch,
  COMBINE to add what two of them left, then UPDATE. A step is of the first
  variant of the program that has it in a range. A selector chooses the variant
  of the steps that are left; without one it is the last variant, which has no
  range.}], [
  Name<"name">,
  Index<"micro", "BoostFunction",
        "none: UPDATE reads the sums that the phases have left">,
  Index<"combine", "BoostFunction",
        "none where the program is not reproducible, or without MICRO">,
  Index<"update", "BoostFunction">,
  Count<"range_count">,
  Table<"ranges", "BoostStepRange", "range_count">,
  Table<"phases", "BoostPhase", "phase_count", "those before the last", 1>,
  Count<"phase_count">,
  Reserved]>;

def BoostChoice : Struct<"A variant that a selector may choose.", [
  Index<"variant", "BoostVariant">,
  Reserved]>;

def BoostSelector : Struct<[{
  Chooses the variant of each step that is in no range. `function` is called
  with `step` s + lag after the update of step s, and with the steps 1 to lag
  after init. It leaves in `choice` an index into `choices`; any other number
  means the last variant of the program. It writes nothing else.}], [
  Index<"function", "BoostFunction", "of role SELECT">,
  U32<"lag", "1 or 2">,
  Table<"choices", "BoostChoice", "choice_count", "1 or more">,
  Count<"choice_count">,
  Reserved,
  Inline<"step", BoostTensor, "i64 scalar in CONTROL: from 1">,
  Inline<"length", BoostTensor,
         "i64 scalar in CONTROL: the last step of the run">,
  Inline<"choice", BoostTensor, "i32 scalar in RESULT">]>;

def BoostOperand : Struct<"A buffer that a launch is given.", [
  U64<"bytes">,
  Bool<"is_written", "0: only read">,
  Reserved,
  Text<"name", [{"parameter fc1.weight", "buffer of relu1": for reports}]>]>;

def BoostLaunch : Struct<[{
  A call of a kernel. CUDA: with its grid; the kernel's parameters are the
  operands' addresses.}], [
  Name<"kernel", "its name; CUDA: in the modules">,
  Text<"location", "\"model.json:14:5\", of the op it comes from">,
  Text<"layers", "\"relu1, backward of fc2\": what it computes">,
  Table<"operands", "BoostOperand", "operand_count", "CUDA; CPU: none">,
  Count<"operand_count">,
  U32<"blocks", "CUDA: in x; y and z are 1", 1>,
  U32<"threads", "CUDA: of a block, in x", 1>,
  Reserved,
  Inline<"work", BoostWork, "", flat = 1>]>;

def BoostModule : Struct<
  "Code for a GPU; cubins of one architecture share the kernels.", [
  EnumField<"kind", BoostModuleKind>,
  U32<"architecture",
      "80: sm_80. The oldest that runs PTX, the one of a cubin">,
  Data<"data">,
  U64<"bytes">]>;

def BoostCollectiveOperand : Struct<"Something that is exchanged.", [
  U64<"elements">,
  U64<"rows", "its first extent, or 1; a slice has whole rows">,
  EnumField<"dtype", BoostDType>,
  Index<"parameter", "BoostParameter", "the one it serves">,
  U32<"group", "operands of one number are one vector of Adasum">,
  Reserved]>;

def BoostCollective : Struct<[{
  A collective of a probe or an update. All ranks execute the same ones in the
  same order.}], [
  EnumField<"kind", BoostCollectiveKind>,
  EnumField<"ranks", BoostRankGroup>,
  U32<"index", "order in the program, from 0">,
  Count<"operand_count">,
  Table<"operands", "BoostCollectiveOperand", "operand_count">,
  Text<"location", "\"model.json:14:5\", of the first parameter it serves">,
  I32<"root", "BROADCAST: modulo the group's ranks; else 0", opt = 1>,
  Reserved]>;

def BoostTarget : Struct<"The program for one kind of device.", [
  EnumField<"kind", BoostTargetKind>,
  U32<"threads", "CPU: planned for; else 0", opt = 1>,
  Text<"requirements", [{
    CPU: "avx2,fma,...", all must be there; CUDA: "sm_80", the oldest
    device}]>,
  Text<"library_version",
       "CPU: \"oneDNN 2.6.3\", asked for scratch sizes; else empty", opt = 1>,
  U64<"transient_bytes", "of arena TRANSIENT">,
  Table<"library_calls", "BoostLibraryCall", "library_call_count">,
  Table<"launches", "BoostLaunch", "launch_count",
        "of all functions: each call of a kernel once">,
  Linked<"modules", "BoostModule",
         "CUDA: ends with BOOSTC_MODULE_END; CPU: null">,
  Count<"library_call_count">,
  Count<"launch_count">,
  Count<"function_count">,
  Reserved,
  Table<"functions", "BoostFunction", "function_count">]>;

def BoostProgram : Struct<"", [
  U64<"magic", "BOOSTC_ABI_MAGIC", hide = 1>,
  U32<"abi_version", "BOOSTC_ABI_VERSION of the compiler">,
  U32<"abi_layout", "BOOSTC_ABI_LAYOUT of the compiler", hide = 1>,

  Name<"name", "of the model">,
  Text<"compiler_version", "\"boostc 0.1.0\"">,
  Text<"recipe_json", "the resolved recipe; see docs/model-format.md",
       hide = 1>,
  Text<"recipe_hash", "sha256 in hex; leaves out ranks, accumulation">,
  U32<"batch_size", "per rank and micro-batch">,
  U32<"micro_batches", "per optimizer step">,
  U64<"seed">,

  PerCase<"arena_bytes", BoostArenaKind, [{
    of one copy of each arena. TRANSIENT is 0 here: targets differ in it.}]>,

  Table<"parameters", "BoostParameter", "parameter_count">,
  Table<"accumulators", "BoostAccumulator", "accumulator_count">,
  Table<"states", "BoostState", "state_count">,
  Table<"inputs", "BoostInput", "input_count">,
  Table<"metrics", "BoostMetric", "metric_count">,
  Table<"step_numbers", "BoostStepNumber", "step_number_count">,
  Table<"schedules", "BoostSchedule", "schedule_count">,
  Table<"targets", "BoostTarget", "target_count",
        "1 or more, one of each kind at most, by kind">,
  Table<"collectives", "BoostCollective", "collective_count",
        "by index; the same ones for all targets">,
  Table<"variants", "BoostVariant", "variant_count", "1 or more">,
  Table<"selectors", "BoostSelector", "selector_count", "0 or 1">,
  Count<"parameter_count">,
  Count<"accumulator_count">,
  Count<"state_count">,
  Count<"input_count">,
  Count<"metric_count">,
  Count<"step_number_count">,
  Count<"schedule_count">,
  Count<"target_count">,
  Count<"collective_count">,
  Count<"variant_count">,
  Count<"selector_count">,
  U32<"min_samples", [{
    a micro-batch of fewer real samples leaves no gradient before a layer that
    normalises over samples; 1 where any leaves one}]>,
  EnumField<"adasum_scope", BoostAdasumScope>,
  Bool<"state_is_private", [{
    1: each inner group's ranks have states of parameters of their own; 0: all
    ranks have the same}]>,
  EnumField<"reproducible", BoostReproducible>,
  EnumField<"matmul_precision", BoostPrecision, "of the library calls on GPUs">,

  Inline<"valid", BoostTensor,
         "i32 scalar in BATCH: real samples, the rest pads">,
  Inline<"applied", BoostTensor, [{
    i32 scalar in RESULT, written by update: 1 where the step was applied, else
    0}]>,
  Inline<"failed", BoostTensor, [{
    i32 scalar in RESULT: init writes 0, update 1 where the step was not applied
    and the program does not skip such steps; 1 stays until the next init}]>,
  Inline<"seed_control", BoostTensor, "i64 scalar in CONTROL, read by init">,
  Inline<"gradient_norm", BoostTensor, [{
    f32 scalar in RESULT, written by update: of the mean gradients, before
    clipping; zeros where the program does not compute it}], opt = 1>,
  Inline<"loss_scale", BoostTensor, [{
    f32 scalar in RESULT, written by update: by what the gradients of this step
    were scaled, or a vector with one number for each group of parameters that
    has a scale of its own; zeros where a program scales none}], opt = 1>,
  Inline<"overflows", BoostTensor, [{
    i64 vector in RESULT, written by update: for each of these groups, the steps
    so far in which a gradient of it was not finite; zeros where a program has
    no groups}], opt = 1>,
  Inline<"repeat", BoostTensor, [{
    i32 scalar in RESULT, written by the probe of a phase that repeats: not 0
    where it is to be repeated, the same on all ranks; zeros where no phase
    repeats}], opt = 1>]>;

#endif // BOOSTC_DESCRIPTOR
