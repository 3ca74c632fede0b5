/* boost_descriptor.h - the tables of a program, as C has them. Written by
 * tools/dev/update-abi from Descriptor.td. Do not edit. */
#ifndef BOOSTC_DESCRIPTOR_H
#define BOOSTC_DESCRIPTOR_H

#include <stdint.h>

#include "runtime/abi/boost_env.h"

#ifdef __cplusplus
extern "C" {
#endif

#define BOOSTC_ABI_VERSION 24u
/* A checksum of all names, values and places below. */
#define BOOSTC_ABI_LAYOUT 0x4da3d7b9u

/* Types of elements. */
typedef enum BoostDType {
  BOOSTC_F32 = 1,
  BOOSTC_I32 = 2,
  BOOSTC_I64 = 3,
  BOOSTC_U8 = 4 /* 0 to 255 */
} BoostDType;

/* Memory is a handful of arenas. The runtime reserves each once, before the
 * first step; functions receive an array of base addresses indexed by this
 * enum. GRADIENT and BATCH exist in several copies; the host chooses which copy
 * a call sees by the base address it passes. */
typedef enum BoostArenaKind {
  /* weights and what is saved with them; init and update write it */
  BOOSTC_ARENA_PARAMETER = 0,
  BOOSTC_ARENA_STATE = 1, /* other state; init, probe and update write it */
  /* the accumulators of one or more micro-batches: result of micro, destination
   * of combine, operand of probe and update */
  BOOSTC_ARENA_GRADIENT = 2,
  BOOSTC_ARENA_GRADIENT_OTHER = 3, /* combine only: the set added to GRADIENT */
  BOOSTC_ARENA_BATCH = 4, /* inputs of one micro-batch and `valid` */
  BOOSTC_ARENA_CONTROL = 5, /* scalars the host writes before a call */
  BOOSTC_ARENA_RESULT = 6, /* scalars a call leaves for the host */
  BOOSTC_ARENA_TRANSIENT = 7, /* scratch; contents do not survive a call */
  BOOSTC_ARENA_COUNT = 8
} BoostArenaKind;

/* What a function does. A program has one INIT and one EVAL; the others are the
 * parts of its variants, and its selector's. */
typedef enum BoostFunctionRole {
  /* CONTROL(seed) -> PARAMETER, STATE, RESULT(failed) */
  BOOSTC_FUNCTION_INIT = 0,
  /* BATCH, PARAMETER -> GRADIENT; where the program is not reproducible and
   * micro_batches above 1: GRADIENT += what it computes, or = where GRADIENT's
   * loss count is 0 */
  BOOSTC_FUNCTION_MICRO = 1,
  BOOSTC_FUNCTION_COMBINE = 2, /* GRADIENT += GRADIENT_OTHER */
  /* GRADIENT, CONTROL, PARAMETER, STATE, RESULT(failed) -> PARAMETER, STATE,
   * RESULT; nothing but RESULT is written when a gradient or the loss is not
   * finite, the count is 0 or `failed` was 1 already: no step follows one that
   * failed */
  BOOSTC_FUNCTION_UPDATE = 3,
  BOOSTC_FUNCTION_EVAL = 4, /* BATCH, PARAMETER -> RESULT */
  /* CONTROL(step, length), STATE, PARAMETER(states) -> RESULT(choice); see
   * BoostSelector */
  BOOSTC_FUNCTION_SELECT = 5,
  /* GRADIENT, CONTROL, PARAMETER, STATE, RESULT(failed) -> GRADIENT, STATE,
   * RESULT(repeat); see BoostPhase */
  BOOSTC_FUNCTION_PROBE = 6,
  BOOSTC_FUNCTION_COUNT = 7
} BoostFunctionRole;

/* What a parameter is to its layer. */
typedef enum BoostRole {
  BOOSTC_ROLE_WEIGHT = 0,
  BOOSTC_ROLE_BIAS = 1,
  BOOSTC_ROLE_NORM_SCALE = 2,
  BOOSTC_ROLE_NORM_SHIFT = 3,
  BOOSTC_ROLE_EMBEDDING = 4,
  BOOSTC_ROLE_MULTIPLIER = 5
} BoostRole;

/* What an accumulator sums over the samples of a step. */
typedef enum BoostAccumulatorKind {
  BOOSTC_ACCUMULATOR_GRADIENT = 0, /* the gradient of its parameter */
  BOOSTC_ACCUMULATOR_LOSS_SUM = 1,
  BOOSTC_ACCUMULATOR_LOSS_COUNT = 2, /* the number of samples */
  BOOSTC_ACCUMULATOR_OTHER = 3, /* update alone knows */
  BOOSTC_ACCUMULATOR_LOSS_WEIGHT = 4 /* the sum of the sample weights */
} BoostAccumulatorKind;

/* Which file of a checkpoint has a state. */
typedef enum BoostSaved {
  BOOSTC_SAVED_WITH_STATE = 0,
  BOOSTC_SAVED_WITH_WEIGHTS = 1, /* also in the files of --save and --init */
  /* none: it is a part of the basis that a run is given, and never written */
  BOOSTC_SAVED_IN_BASIS = 2,
  BOOSTC_SAVED_NOWHERE = 3 /* none: each step writes it before it reads it */
} BoostSaved;

/* Initialisers. `a` and `b` are the two numbers of BoostParameter. Draws are
 * defined by runtime/abi/boost_random.h: a pure function of (seed, parameter
 * name, element). */
typedef enum BoostInitializerKind {
  BOOSTC_INIT_CONSTANT = 0, /* every element = a */
  BOOSTC_INIT_UNIFORM = 1, /* uniform in [a, b) */
  BOOSTC_INIT_NORMAL = 2, /* normal, mean a, standard deviation b */
  BOOSTC_INIT_TRUNCATED_NORMAL = 3 /* the same, drawn again outside a +- 2 b */
} BoostInitializerKind;

/* A program reads one input of kind FEATURES, PIXELS or INDICES and at most one
 * of each other kind. Rows that pad a short batch are zero in all of them. */
typedef enum BoostInputKind {
  /* f32 [batch, ...]: samples after the transforms */
  BOOSTC_INPUT_FEATURES = 0,
  BOOSTC_INPUT_LABELS = 1, /* i32 [batch, ...], values in [0, classes) */
  /* i32 [batch, ...], values in [0, classes): samples of integers, such as
   * tokens */
  BOOSTC_INPUT_INDICES = 2,
  /* f32 [batch, ...]: what the loss compares with, as the data set states it */
  BOOSTC_INPUT_TARGETS = 3,
  /* i32 [batch]: boost_sample_key() of each row */
  BOOSTC_INPUT_SAMPLE_KEYS = 4,
  /* f32 [batch, ...]: sample weights, finite and 0 or more, by which the loss
   * and metrics are weighted */
  BOOSTC_INPUT_WEIGHTS = 5,
  /* u8 [batch, ...]: samples after the transforms that move pixels; the program
   * does the others */
  BOOSTC_INPUT_PIXELS = 6
} BoostInputKind;

/* The formulas are in runtime/abi/boost_schedule.h. */
typedef enum BoostScheduleKind {
  BOOSTC_SCHEDULE_CONSTANT = 0,
  BOOSTC_SCHEDULE_STEP = 1,
  BOOSTC_SCHEDULE_EXPONENTIAL = 2,
  BOOSTC_SCHEDULE_POLYNOMIAL = 3,
  BOOSTC_SCHEDULE_COSINE = 4,
  BOOSTC_SCHEDULE_RECIPE_LINEAR = 5,
  BOOSTC_SCHEDULE_RECIPE_POLY = 6,
  BOOSTC_SCHEDULE_RECIPE_COSINE = 7,
  BOOSTC_SCHEDULE_RECIPE_STEPS = 8,
  BOOSTC_SCHEDULE_RECIPE_STEP = 9,
  BOOSTC_SCHEDULE_RECIPE_THOR = 10,
  BOOSTC_SCHEDULE_RECIPE_DAMPING = 11,
  BOOSTC_SCHEDULE_COUNT = 12
} BoostScheduleKind;

/* What lengths of a schedule count. */
typedef enum BoostScheduleUnit {
  BOOSTC_UNIT_EPOCHS = 0,
  BOOSTC_UNIT_STEPS = 1 /* optimizer steps */
} BoostScheduleUnit;

/* What a program holds code for; the names are those of boostc --target. */
typedef enum BoostTargetKind {
  BOOSTC_TARGET_CPU = 0,
  BOOSTC_TARGET_CUDA = 1, /* NVIDIA GPUs; also what the simulated device runs */
  BOOSTC_TARGET_COUNT = 2
} BoostTargetKind;

/* Forms of code for a GPU. */
typedef enum BoostModuleKind {
  BOOSTC_MODULE_END = 0, /* ends a table */
  /* text, with a terminator that `bytes` does not count */
  BOOSTC_MODULE_PTX = 1,
  BOOSTC_MODULE_CUBIN = 2 /* machine code of one architecture */
} BoostModuleKind;

/* What a library computes: CPUs matmuls and inverses, GPUs all but inverses. */
typedef enum BoostLibraryCallKind {
  BOOSTC_LIBRARY_MATMUL = 0,
  BOOSTC_LIBRARY_CONVOLUTION = 1, /* y from x and w */
  BOOSTC_LIBRARY_CONVOLUTION_BACKWARD_DATA = 2, /* x from y and w */
  BOOSTC_LIBRARY_CONVOLUTION_BACKWARD_WEIGHT = 3, /* w from y and x */
  BOOSTC_LIBRARY_DAMPED_INVERSE = 4,
  BOOSTC_LIBRARY_COUNT = 5
} BoostLibraryCallKind;

/* Types of the matrices and tensors of library calls. What is added up is of
 * f32, whatever they are. */
typedef enum BoostFloatType {
  BOOSTC_FLOAT_F32 = 0,
  BOOSTC_FLOAT_BF16 = 1,
  BOOSTC_FLOAT_F16 = 2,
  BOOSTC_FLOAT_COUNT = 3
} BoostFloatType;

/* What the factors of matmuls and convolutions are rounded to; sums are of f32.
 */
typedef enum BoostPrecision {
  BOOSTC_PRECISION_FLOAT32 = 0, /* nothing less than they are */
  /* 10 bits after the leading one, the exponents of f32 */
  BOOSTC_PRECISION_TF32 = 1
} BoostPrecision;

/* What ranks do together. Dialect coll says it in full, and what slices are. */
typedef enum BoostCollectiveKind {
  BOOSTC_COLLECTIVE_ALL_REDUCE = 0, /* sum over the group's ranks */
  BOOSTC_COLLECTIVE_ADASUM = 1,
  /* the sum of the rank's own slice; the rest stays as it is */
  BOOSTC_COLLECTIVE_REDUCE_SCATTER = 2,
  BOOSTC_COLLECTIVE_ALL_GATHER = 3, /* of each slice what its rank has */
  BOOSTC_COLLECTIVE_BROADCAST = 4, /* what rank `root` has */
  BOOSTC_COLLECTIVE_OWN_SLICE = 5, /* zeros outside of the own slice */
  BOOSTC_COLLECTIVE_COUNT = 6
} BoostCollectiveKind;

/* Which ranks do it. Every rank is in one group of each kind. */
typedef enum BoostRankGroup {
  BOOSTC_RANKS_ALL = 0,
  BOOSTC_RANKS_INTRA_GROUP = 1, /* those whose gradients are averaged */
  /* one of each inner group, over which Adasum combines */
  BOOSTC_RANKS_INTER_GROUP = 2
} BoostRankGroup;

/* What an inner group is. */
typedef enum BoostAdasumScope {
  /* as SERVERS where there are several, else as RANKS */
  BOOSTC_ADASUM_SCOPE_AUTO = 0,
  BOOSTC_ADASUM_SCOPE_SERVERS = 1, /* the ranks of a server */
  BOOSTC_ADASUM_SCOPE_RANKS = 2 /* a rank alone */
} BoostAdasumScope;

/* What the bits of a run depend on, besides data, weights, seed and CPU type.
 */
typedef enum BoostReproducible {
  BOOSTC_REPRODUCIBLE_ON = 0, /* the number of threads */
  /* it, and how a step is split into ranks and micro-batches; there is one
   * gradient set */
  BOOSTC_REPRODUCIBLE_OFF = 1,
  /* nothing else: parallel_for splits, and library calls are cut, without
   * regard to threads */
  BOOSTC_REPRODUCIBLE_STRICT = 2
} BoostReproducible;

typedef struct BoostTensor {
  const char *name; /* "fc1.weight"; unique in its table */
  const char *location; /* "model.json:14:5" */
  const int64_t *shape; /* `rank` extents, row-major */
  uint32_t rank;
  uint32_t dtype; /* BoostDType */
  uint32_t arena; /* BoostArenaKind */
  uint32_t reserved; /* 0 */
  uint64_t offset; /* inside the arena; multiple of BOOSTC_ALIGNMENT */
  uint64_t bytes;
} BoostTensor;

typedef struct BoostParameter {
  BoostTensor tensor; /* in PARAMETER */
  uint32_t role; /* BoostRole */
  uint32_t initializer; /* BoostInitializerKind */
  double a; /* see BoostInitializerKind */
  double b;
} BoostParameter;

/* A sum over the samples of a step: of its micro-batches by combine or in
 * place, of its ranks by the collectives of update. A rank without samples has
 * 0 of an i64 and -0.0 of an f32, which adds nothing to any number, down to the
 * bit. A program has one LOSS_SUM, an f32 scalar, and one LOSS_COUNT, an i64
 * scalar. The loss is LOSS_SUM / LOSS_WEIGHT, an f32 scalar, where there is
 * one, else LOSS_SUM / LOSS_COUNT. */
typedef struct BoostAccumulator {
  /* in GRADIENT; f32 or i64; a gradient is called as its parameter */
  BoostTensor tensor;
  uint32_t kind; /* BoostAccumulatorKind */
  uint32_t parameter; /* the one it belongs to; an index */
} BoostAccumulator;

typedef struct BoostState {
  /* in STATE, or in PARAMETER where it is saved with the weights; named
   * "<parameter>.<slot>" or by itself */
  BoostTensor tensor;
  const char *slot; /* "momentum" */
  /* the parameter or state whose moving average it is; empty where it is none
   */
  const char *averaged;
  uint32_t parameter; /* the one it belongs to; an index */
  uint32_t saved; /* BoostSaved */
  /* 1: EVAL reads it in the place of what it averages, and a file of weights
   * has it under that name */
  uint32_t is_evaluated;
  uint32_t reserved; /* 0 */
} BoostState;

typedef struct BoostInput {
  BoostTensor tensor; /* in BATCH */
  uint32_t kind; /* BoostInputKind */
  uint32_t reserved; /* 0 */
  int64_t classes; /* labels, indices: number of values; else 0 */
} BoostInput;

/* A pair (sum over samples, number of samples or sum of their weights); the
 * value is sum / count, divided by the host over as many calls as it likes. */
typedef struct BoostMetric {
  const char *name; /* "loss", "top_1", "top_5" */
  BoostTensor sum; /* f32 scalar in RESULT */
  /* scalar in RESULT; i64, or f32 where samples have weights */
  BoostTensor count;
} BoostMetric;

typedef struct BoostStepNumber {
  /* i32 scalar in RESULT, written by update: what the metrics of a step say
   * under its name */
  BoostTensor tensor;
} BoostStepNumber;

typedef struct BoostSchedule {
  const char *name; /* "learning_rate" */
  uint32_t kind; /* BoostScheduleKind */
  uint32_t unit; /* BoostScheduleUnit: of warmup, every and length */
  double value; /* see boost_schedule.h for this and the next */
  double initial;
  double end;
  double factor;
  double warmup;
  double every;
  double length;
  BoostTensor control; /* f32 scalar in CONTROL that receives the value */
} BoostSchedule;

/* C[m,n] = A[m,k] * B[k,n] + bias[n]. A and B are read through strides (in
 * elements: row, column), C is row-major and dense. Operands: A, B, bias (null
 * when has_bias is 0), C, scratch. */
typedef struct BoostMatmul {
  int64_t m;
  int64_t n;
  int64_t k;
  int64_t a_strides[2];
  int64_t b_strides[2];
  uint32_t has_bias;
  uint32_t reserved; /* 0 */
} BoostMatmul;

/* A two-dimensional convolution or one of its adjoints. With x an input [N, C,
 * H, W], w a weight [O, C / groups, KH, KW] and y an output [N, O, OH, OW]:
 *
 *   y[n, o, i, j] = bias[o] + sum over c, k, l of w[o, c, k, l] *
 *       x[n, c, i * strides[0] + k * dilations[0] - padding[0],
 *               j * strides[1] + l * dilations[1] - padding[1]]
 *
 * where x is zero outside the input and c runs over the channels of o's group.
 * The adjoints, in x and in w, are sums over the same products. Tensors are
 * read and written through strides (in elements) that put them in some order of
 * their dimensions without gaps. Operands: what is read, bias (null when
 * has_bias is 0), what is written, scratch: x, w, bias, y; y, w, null, x; y, x,
 * null, w. */
typedef struct BoostConvolution {
  int64_t input[4]; /* extents of x */
  int64_t weight[4]; /* of w */
  int64_t output[4]; /* of y */
  int64_t input_strides[4];
  int64_t weight_strides[4];
  int64_t output_strides[4];
  int64_t strides[2]; /* vertical, horizontal */
  int64_t padding[4]; /* top, left, bottom, right */
  int64_t dilations[2];
  uint32_t has_bias;
  uint32_t reserved; /* 0 */
} BoostConvolution;

/* What rt.damped_inverse does. Operands: m [matrices, extent, extent], weight
 * [matrices], damping, an f32 scalar, inverse, shaped as m, failed [matrices]
 * of i32, scratch. */
typedef struct BoostDampedInverse {
  int64_t matrices;
  int64_t extent;
} BoostDampedInverse;

/* What a launch or a library call does, from shapes alone: what its time is
 * compared with. */
typedef struct BoostWork {
  /* of the ops that it computes: "model.json:14:5, model.json:20:5"; of many,
   * the first four and how many others there are */
  const char *positions;
  uint64_t flops; /* a multiply-add is two */
  /* each operand once; without what it has written itself */
  uint64_t bytes_read;
  uint64_t bytes_written; /* each operand once */
} BoostWork;

/* Operands are those of the kind's struct, in its order, null where absent. */
typedef struct BoostLibraryCall {
  uint32_t kind; /* BoostLibraryCallKind */
  /* CUDA: the launch that computes the same, with the operands that are there
   * but for scratch; CPU: 0 */
  uint32_t fallback_launch;
  /* CPU: what the library asked for when compiling; CUDA: what it may use at
   * most */
  uint64_t scratch_bytes;
  const char *location;
  const char *layers; /* as those of a launch */
  BoostMatmul matmul; /* zeros where the call is another */
  /* of the memory planned for each operand but scratch; 0: absent */
  uint64_t operand_bytes[5];
  BoostConvolution convolution; /* likewise */
  BoostDampedInverse damped_inverse; /* likewise */
  /* BoostPrecision: CUDA: the program's; CPU: FLOAT32. What computes the same
   * in more is as good: the fallback does */
  uint32_t precision;
  /* BoostFloatType: of what is multiplied, or inverted; CPU: F32 or BF16 */
  uint32_t factor_type;
  /* BoostFloatType: of a bias and of the result, to which sums are rounded
   * once: F32 or factor_type */
  uint32_t result_type;
  uint32_t reserved; /* 0 */
  BoostWork work;
} BoostLibraryCall;

/* An accumulator that a function writes. */
typedef struct BoostSum {
  uint32_t accumulator; /* an index */
  uint32_t reserved; /* 0 */
} BoostSum;

/* All targets have the same functions in the same order. */
typedef struct BoostFunction {
  const char *name;
  BoostEntry entry;
  uint64_t transient_bytes; /* what this function uses of TRANSIENT */
  uint32_t role; /* BoostFunctionRole */
  /* PROBE and UPDATE call so many collectives from this one on, in their order;
   * others call none */
  uint32_t first_collective;
  uint32_t collective_count;
  uint32_t sum_count;
  /* MICRO of a variant with phases before its last: the accumulators that it
   * writes; else null */
  const BoostSum *sums;
} BoostFunction;

/* Steps `first`, `first + every`, ... up to `last`, or without end where that
 * is 0. Steps are those of the run, counted from 1. */
typedef struct BoostStepRange {
  int64_t first; /* 1 or more */
  int64_t last;
  int64_t every; /* 1 or more */
} BoostStepRange;

/* A part of a step before its last: MICRO for each micro-batch of the window,
 * COMBINE to add what two of them left, then PROBE. An accumulator that MICRO
 * does not write keeps what the phases before have left in it. */
typedef struct BoostPhase {
  uint32_t micro; /* an index */
  uint32_t combine; /* none where the program is not reproducible; an index */
  uint32_t probe; /* an index */
  /* 1: all of it again while PROBE leaves another number than 0 in `repeat` of
   * the program */
  uint32_t repeats;
} BoostPhase;

/* A kind of step: its phases, in their order; then MICRO for each micro-batch,
 * COMBINE to add what two of them left, then UPDATE. A step is of the first
 * variant of the program that has it in a range. A selector chooses the variant
 * of the steps that are left; without one it is the last variant, which has no
 * range. */
typedef struct BoostVariant {
  const char *name;
  /* none: UPDATE reads the sums that the phases have left; an index */
  uint32_t micro;
  /* none where the program is not reproducible, or without MICRO; an index */
  uint32_t combine;
  uint32_t update; /* an index */
  uint32_t range_count;
  const BoostStepRange *ranges;
  const BoostPhase *phases; /* those before the last */
  uint32_t phase_count;
  uint32_t reserved; /* 0 */
} BoostVariant;

/* A variant that a selector may choose. */
typedef struct BoostChoice {
  uint32_t variant; /* an index */
  uint32_t reserved; /* 0 */
} BoostChoice;

/* Chooses the variant of each step that is in no range. `function` is called
 * with `step` s + lag after the update of step s, and with the steps 1 to lag
 * after init. It leaves in `choice` an index into `choices`; any other number
 * means the last variant of the program. It writes nothing else. */
typedef struct BoostSelector {
  uint32_t function; /* of role SELECT; an index */
  uint32_t lag; /* 1 or 2 */
  const BoostChoice *choices; /* 1 or more */
  uint32_t choice_count;
  uint32_t reserved; /* 0 */
  BoostTensor step; /* i64 scalar in CONTROL: from 1 */
  BoostTensor length; /* i64 scalar in CONTROL: the last step of the run */
  BoostTensor choice; /* i32 scalar in RESULT */
} BoostSelector;

/* A buffer that a launch is given. */
typedef struct BoostOperand {
  uint64_t bytes;
  uint32_t is_written; /* 0: only read */
  uint32_t reserved; /* 0 */
  const char *name; /* "parameter fc1.weight", "buffer of relu1": for reports */
} BoostOperand;

/* A call of a kernel. CUDA: with its grid; the kernel's parameters are the
 * operands' addresses. */
typedef struct BoostLaunch {
  const char *kernel; /* its name; CUDA: in the modules */
  const char *location; /* "model.json:14:5", of the op it comes from */
  const char *layers; /* "relu1, backward of fc2": what it computes */
  const BoostOperand *operands; /* CUDA; CPU: none */
  uint32_t operand_count;
  uint32_t blocks; /* CUDA: in x; y and z are 1 */
  uint32_t threads; /* CUDA: of a block, in x */
  uint32_t reserved; /* 0 */
  BoostWork work;
} BoostLaunch;

/* Code for a GPU; cubins of one architecture share the kernels. */
typedef struct BoostModule {
  uint32_t kind; /* BoostModuleKind */
  /* 80: sm_80. The oldest that runs PTX, the one of a cubin */
  uint32_t architecture;
  const void *data;
  uint64_t bytes;
} BoostModule;

/* Something that is exchanged. */
typedef struct BoostCollectiveOperand {
  uint64_t elements;
  uint64_t rows; /* its first extent, or 1; a slice has whole rows */
  uint32_t dtype; /* BoostDType */
  uint32_t parameter; /* the one it serves; an index */
  uint32_t group; /* operands of one number are one vector of Adasum */
  uint32_t reserved; /* 0 */
} BoostCollectiveOperand;

/* A collective of a probe or an update. All ranks execute the same ones in the
 * same order. */
typedef struct BoostCollective {
  uint32_t kind; /* BoostCollectiveKind */
  uint32_t ranks; /* BoostRankGroup */
  uint32_t index; /* order in the program, from 0 */
  uint32_t operand_count;
  const BoostCollectiveOperand *operands;
  /* "model.json:14:5", of the first parameter it serves */
  const char *location;
  int32_t root; /* BROADCAST: modulo the group's ranks; else 0 */
  uint32_t reserved; /* 0 */
} BoostCollective;

/* The program for one kind of device. */
typedef struct BoostTarget {
  uint32_t kind; /* BoostTargetKind */
  uint32_t threads; /* CPU: planned for; else 0 */
  /* CPU: "avx2,fma,...", all must be there; CUDA: "sm_80", the oldest device */
  const char *requirements;
  /* CPU: "oneDNN 2.6.3", asked for scratch sizes; else empty */
  const char *library_version;
  uint64_t transient_bytes; /* of arena TRANSIENT */
  const BoostLibraryCall *library_calls;
  /* of all functions: each call of a kernel once */
  const BoostLaunch *launches;
  const BoostModule *modules; /* CUDA: ends with BOOSTC_MODULE_END; CPU: null */
  uint32_t library_call_count;
  uint32_t launch_count;
  uint32_t function_count;
  uint32_t reserved; /* 0 */
  const BoostFunction *functions;
} BoostTarget;

typedef struct BoostProgram {
  uint64_t magic; /* BOOSTC_ABI_MAGIC */
  uint32_t abi_version; /* BOOSTC_ABI_VERSION of the compiler */
  uint32_t abi_layout; /* BOOSTC_ABI_LAYOUT of the compiler */
  const char *name; /* of the model */
  const char *compiler_version; /* "boostc 0.1.0" */
  const char *recipe_json; /* the resolved recipe; see docs/model-format.md */
  const char *recipe_hash; /* sha256 in hex; leaves out ranks, accumulation */
  uint32_t batch_size; /* per rank and micro-batch */
  uint32_t micro_batches; /* per optimizer step */
  uint64_t seed;
  /* BoostArenaKind: of one copy of each arena. TRANSIENT is 0 here: targets
   * differ in it. */
  uint64_t arena_bytes[8];
  const BoostParameter *parameters;
  const BoostAccumulator *accumulators;
  const BoostState *states;
  const BoostInput *inputs;
  const BoostMetric *metrics;
  const BoostStepNumber *step_numbers;
  const BoostSchedule *schedules;
  const BoostTarget *targets; /* 1 or more, one of each kind at most, by kind */
  /* by index; the same ones for all targets */
  const BoostCollective *collectives;
  const BoostVariant *variants; /* 1 or more */
  const BoostSelector *selectors; /* 0 or 1 */
  uint32_t parameter_count;
  uint32_t accumulator_count;
  uint32_t state_count;
  uint32_t input_count;
  uint32_t metric_count;
  uint32_t step_number_count;
  uint32_t schedule_count;
  uint32_t target_count;
  uint32_t collective_count;
  uint32_t variant_count;
  uint32_t selector_count;
  /* a micro-batch of fewer real samples leaves no gradient before a layer that
   * normalises over samples; 1 where any leaves one */
  uint32_t min_samples;
  uint32_t adasum_scope; /* BoostAdasumScope */
  /* 1: each inner group's ranks have states of parameters of their own; 0: all
   * ranks have the same */
  uint32_t state_is_private;
  uint32_t reproducible; /* BoostReproducible */
  uint32_t matmul_precision; /* BoostPrecision: of the library calls on GPUs */
  BoostTensor valid; /* i32 scalar in BATCH: real samples, the rest pads */
  /* i32 scalar in RESULT, written by update: 1 where the step was applied, else
   * 0 */
  BoostTensor applied;
  /* i32 scalar in RESULT: init writes 0, update 1 where the step was not
   * applied and the program does not skip such steps; 1 stays until the next
   * init */
  BoostTensor failed;
  BoostTensor seed_control; /* i64 scalar in CONTROL, read by init */
  /* f32 scalar in RESULT, written by update: of the mean gradients, before
   * clipping; zeros where the program does not compute it */
  BoostTensor gradient_norm;
  /* f32 scalar in RESULT, written by update: by what the gradients of this step
   * were scaled, or a vector with one number for each group of parameters that
   * has a scale of its own; zeros where a program scales none */
  BoostTensor loss_scale;
  /* i64 vector in RESULT, written by update: for each of these groups, the
   * steps so far in which a gradient of it was not finite; zeros where a
   * program has no groups */
  BoostTensor overflows;
  /* i32 scalar in RESULT, written by the probe of a phase that repeats: not 0
   * where it is to be repeated, the same on all ranks; zeros where no phase
   * repeats */
  BoostTensor repeat;
} BoostProgram;

#ifdef __cplusplus
#define BOOSTC_ABI_ASSERT static_assert
#else
#define BOOSTC_ABI_ASSERT _Static_assert
#endif
BOOSTC_ABI_ASSERT(sizeof(BoostTensor) == 56,
                  "BoostTensor is not laid out as its schema says");
BOOSTC_ABI_ASSERT(sizeof(BoostParameter) == 80,
                  "BoostParameter is not laid out as its schema says");
BOOSTC_ABI_ASSERT(sizeof(BoostAccumulator) == 64,
                  "BoostAccumulator is not laid out as its schema says");
BOOSTC_ABI_ASSERT(sizeof(BoostState) == 88,
                  "BoostState is not laid out as its schema says");
BOOSTC_ABI_ASSERT(sizeof(BoostInput) == 72,
                  "BoostInput is not laid out as its schema says");
BOOSTC_ABI_ASSERT(sizeof(BoostMetric) == 120,
                  "BoostMetric is not laid out as its schema says");
BOOSTC_ABI_ASSERT(sizeof(BoostStepNumber) == 56,
                  "BoostStepNumber is not laid out as its schema says");
BOOSTC_ABI_ASSERT(sizeof(BoostSchedule) == 128,
                  "BoostSchedule is not laid out as its schema says");
BOOSTC_ABI_ASSERT(sizeof(BoostMatmul) == 64,
                  "BoostMatmul is not laid out as its schema says");
BOOSTC_ABI_ASSERT(sizeof(BoostConvolution) == 264,
                  "BoostConvolution is not laid out as its schema says");
BOOSTC_ABI_ASSERT(sizeof(BoostDampedInverse) == 16,
                  "BoostDampedInverse is not laid out as its schema says");
BOOSTC_ABI_ASSERT(sizeof(BoostWork) == 32,
                  "BoostWork is not laid out as its schema says");
BOOSTC_ABI_ASSERT(sizeof(BoostLibraryCall) == 464,
                  "BoostLibraryCall is not laid out as its schema says");
BOOSTC_ABI_ASSERT(sizeof(BoostSum) == 8,
                  "BoostSum is not laid out as its schema says");
BOOSTC_ABI_ASSERT(sizeof(BoostFunction) == 48,
                  "BoostFunction is not laid out as its schema says");
BOOSTC_ABI_ASSERT(sizeof(BoostStepRange) == 24,
                  "BoostStepRange is not laid out as its schema says");
BOOSTC_ABI_ASSERT(sizeof(BoostPhase) == 16,
                  "BoostPhase is not laid out as its schema says");
BOOSTC_ABI_ASSERT(sizeof(BoostVariant) == 48,
                  "BoostVariant is not laid out as its schema says");
BOOSTC_ABI_ASSERT(sizeof(BoostChoice) == 8,
                  "BoostChoice is not laid out as its schema says");
BOOSTC_ABI_ASSERT(sizeof(BoostSelector) == 192,
                  "BoostSelector is not laid out as its schema says");
BOOSTC_ABI_ASSERT(sizeof(BoostOperand) == 24,
                  "BoostOperand is not laid out as its schema says");
BOOSTC_ABI_ASSERT(sizeof(BoostLaunch) == 80,
                  "BoostLaunch is not laid out as its schema says");
BOOSTC_ABI_ASSERT(sizeof(BoostModule) == 24,
                  "BoostModule is not laid out as its schema says");
BOOSTC_ABI_ASSERT(sizeof(BoostCollectiveOperand) == 32,
                  "BoostCollectiveOperand is not laid out as its schema says");
BOOSTC_ABI_ASSERT(sizeof(BoostCollective) == 40,
                  "BoostCollective is not laid out as its schema says");
BOOSTC_ABI_ASSERT(sizeof(BoostTarget) == 80,
                  "BoostTarget is not laid out as its schema says");
BOOSTC_ABI_ASSERT(sizeof(BoostProgram) == 728,
                  "BoostProgram is not laid out as its schema says");

#ifdef __cplusplus
}
#endif
#endif /* BOOSTC_DESCRIPTOR_H */
