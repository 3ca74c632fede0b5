// What the schema cannot say: how the tables of a descriptor fit together. A
// defect of the compiler is to end in a message, not in memory that two tensors
// share.
#include "runtime/program/ValidateProgram.h"
#include "runtime/abi/DescriptorSchema.h"
#include "runtime/program/ProgramCollectives.h"
#include "runtime/support/ElementBytes.h"
#include "runtime/support/EvalInput.h"

#include "runtime/program/MemoryPlan.h"
#include "runtime/program/Program.h"
#include "runtime/program/ProgramLimits.h"
#include "runtime/program/StepVariants.h"

#include <algorithm>
#include <set>
#include <vector>

using boostabi::nameOf;

namespace boostrt {
namespace {

constexpr uint32_t kMaxRank = 8;

/// What an input of each kind is.
struct InputKind {
  const char *name;
  BoostDType dtype;
  bool perSample;  ///< one number a sample: rank 1
  bool hasClasses; ///< values are below `classes`
};
constexpr InputKind kInputKinds[] = {
    {"features", BOOSTC_F32, false, false},   // BOOSTC_INPUT_FEATURES
    {"labels", BOOSTC_I32, false, true},      // BOOSTC_INPUT_LABELS
    {"indices", BOOSTC_I32, false, true},     // BOOSTC_INPUT_INDICES
    {"targets", BOOSTC_F32, false, false},    // BOOSTC_INPUT_TARGETS
    {"sample keys", BOOSTC_I32, true, false}, // BOOSTC_INPUT_SAMPLE_KEYS
    {"weights", BOOSTC_F32, false, false},    // BOOSTC_INPUT_WEIGHTS
    {"pixels", BOOSTC_U8, false, false}       // BOOSTC_INPUT_PIXELS
};
static_assert(std::size(kInputKinds) == boostabi::kBoostInputKind.cases.size());

constexpr const char *kAccumulatorKinds[] = {
    "gradient", "loss sum", "loss count", "accumulator", "loss weight"};
static_assert(std::size(kAccumulatorKinds) ==
              boostabi::kBoostAccumulatorKind.cases.size());

class Validator : DescriptorCheck {
public:
  Validator(const BoostProgram &program, const std::string &path)
      : DescriptorCheck(path), p_(program), path_(path) {}

  Status run() {
    BOOSTRT_RETURN_IF_ERROR(header());
    BOOSTRT_RETURN_IF_ERROR(checkTables(p_, path_));
    BOOSTRT_RETURN_IF_ERROR(sizes());
    BOOSTRT_RETURN_IF_ERROR(arenas());
    BOOSTRT_RETURN_IF_ERROR(parameters());
    BOOSTRT_RETURN_IF_ERROR(accumulators());
    BOOSTRT_RETURN_IF_ERROR(states());
    BOOSTRT_RETURN_IF_ERROR(inputs());
    BOOSTRT_RETURN_IF_ERROR(scalars());
    BOOSTRT_RETURN_IF_ERROR(collectives());
    return overlaps();
  }

private:
  Status header() const {
    if (p_.magic != BOOSTC_ABI_MAGIC)
      return fail("wrong magic number");
    // The file claims the same: its trailer has been read.
    if (p_.abi_version != BOOSTC_ABI_VERSION ||
        p_.abi_layout != BOOSTC_ABI_LAYOUT)
      return fail("interface version {}, layout {:08x}, in a program that "
                  "claims {}, layout {:08x}",
                  p_.abi_version, p_.abi_layout, BOOSTC_ABI_VERSION,
                  BOOSTC_ABI_LAYOUT);
    if (p_.target_count == 0 || p_.target_count > BOOSTC_TARGET_COUNT)
      return fail("{} targets, expected 1 to {}", p_.target_count,
                  static_cast<int>(BOOSTC_TARGET_COUNT));
    return Status();
  }

  Status sizes() const {
    if (p_.batch_size == 0 || p_.batch_size > kMaxBatchSize)
      return fail("batch size {}", p_.batch_size);
    if (p_.micro_batches == 0 || p_.micro_batches > kMaxMicroBatches)
      return fail("{} micro-batches a step", p_.micro_batches);
    if (p_.min_samples == 0 || p_.min_samples > p_.batch_size)
      return fail("{} samples at least, in a batch of {}", p_.min_samples,
                  p_.batch_size);
    return Status();
  }

  Status arenas() const {
    uint64_t gradient = p_.arena_bytes[BOOSTC_ARENA_GRADIENT];
    uint64_t other = p_.arena_bytes[BOOSTC_ARENA_GRADIENT_OTHER];
    if (other != 0 && other != gradient)
      return fail("gradient and gradient_other differ in size: {} and {}",
                  gradient, other);
    if (other != 0 && p_.reproducible == BOOSTC_REPRODUCIBLE_OFF)
      return fail("arena gradient_other of {} bytes in a program whose "
                  "micro-batches share one gradient set",
                  other);
    for (int kind = 0; kind < BOOSTC_ARENA_COUNT; ++kind)
      if (p_.arena_bytes[kind] > kMaxBytes)
        return fail("arena {} of {} bytes", nameOf<BoostArenaKind>(kind),
                    p_.arena_bytes[kind]);
    if (p_.arena_bytes[BOOSTC_ARENA_TRANSIENT] != 0)
      return fail("arena transient of {} bytes, which the targets alone have",
                  p_.arena_bytes[BOOSTC_ARENA_TRANSIENT]);
    return Status();
  }

  Status tensor(const BoostTensor &t, BoostArenaKind arena,
                const char *what) const {
    if (t.arena != static_cast<uint32_t>(arena))
      return fail("{} '{}' lies in arena {}, expected {}", what, t.name,
                  nameOf<BoostArenaKind>(t.arena),
                  nameOf<BoostArenaKind>(arena));
    uint64_t bytes = elementBytes(t.dtype);
    if (t.rank > kMaxRank)
      return fail("{} '{}' has rank {}", what, t.name, t.rank);
    for (uint32_t i = 0; i < t.rank; ++i)
      if (t.shape[i] <= 0 ||
          __builtin_mul_overflow(bytes, static_cast<uint64_t>(t.shape[i]),
                                 &bytes))
        return fail("{} '{}' has an impossible extent {}", what, t.name,
                    t.shape[i]);
    if (bytes != t.bytes)
      return fail("{} '{}' has {} bytes where its shape needs {}", what, t.name,
                  t.bytes, bytes);
    uint64_t end = 0;
    if (t.offset % BOOSTC_ALIGNMENT != 0 ||
        __builtin_add_overflow(t.offset, t.bytes, &end) ||
        end > p_.arena_bytes[arena])
      return fail("{} '{}' at offset {} with {} bytes does not lie aligned "
                  "inside arena {} of {} bytes",
                  what, t.name, t.offset, t.bytes,
                  nameOf<BoostArenaKind>(arena), p_.arena_bytes[arena]);
    if (arena != BOOSTC_ARENA_RESULT && arena != BOOSTC_ARENA_CONTROL)
      placed_[arena].push_back(&t);
    return Status();
  }

  Status scalar(const BoostTensor &t, BoostArenaKind arena, BoostDType dtype,
                const char *what) const {
    BOOSTRT_RETURN_IF_ERROR(tensor(t, arena, what));
    return isScalar(t, dtype, what);
  }

  Status isScalar(const BoostTensor &t, BoostDType dtype,
                  const char *what) const {
    if (t.dtype != static_cast<uint32_t>(dtype) ||
        t.bytes != elementBytes(dtype))
      return fail("{} '{}' is not a scalar of the expected type", what, t.name);
    return Status();
  }

  /// One scale, or as many as there are counts of overflows.
  Status lossScales() const {
    if (p_.overflows.bytes == 0)
      return p_.loss_scale.bytes == 0
                 ? Status()
                 : scalar(p_.loss_scale, BOOSTC_ARENA_RESULT, BOOSTC_F32,
                          "scalar");
    BOOSTRT_RETURN_IF_ERROR(
        tensor(p_.loss_scale, BOOSTC_ARENA_RESULT, "vector"));
    BOOSTRT_RETURN_IF_ERROR(
        tensor(p_.overflows, BOOSTC_ARENA_RESULT, "vector"));
    if (p_.loss_scale.dtype != BOOSTC_F32 || p_.overflows.dtype != BOOSTC_I64 ||
        p_.loss_scale.bytes / sizeof(float) !=
            p_.overflows.bytes / sizeof(int64_t))
      return fail("'{}' and '{}' are not an f32 and an i64 for each group of "
                  "loss scales",
                  p_.loss_scale.name, p_.overflows.name);
    return Status();
  }

  Status parameters() const {
    std::set<std::string_view> names;
    for (uint32_t i = 0; i < p_.parameter_count; ++i) {
      const BoostParameter &parameter = p_.parameters[i];
      BOOSTRT_RETURN_IF_ERROR(
          tensor(parameter.tensor, BOOSTC_ARENA_PARAMETER, "parameter"));
      if (!names.insert(parameter.tensor.name).second)
        return fail("duplicate parameter '{}'", parameter.tensor.name);
      if (parameter.tensor.dtype != BOOSTC_F32)
        return fail("parameter '{}' has elements of type {}, expected f32",
                    parameter.tensor.name, dtypeOf(parameter.tensor));
    }
    return Status();
  }

  Status accumulators() const {
    std::set<std::string_view> names;
    std::set<uint32_t> trained;
    uint32_t count[std::size(kAccumulatorKinds)] = {};
    for (uint32_t i = 0; i < p_.accumulator_count; ++i) {
      const BoostAccumulator &accumulator = p_.accumulators[i];
      const BoostTensor &sum = accumulator.tensor;
      const char *what = kAccumulatorKinds[accumulator.kind];
      ++count[accumulator.kind];
      BOOSTRT_RETURN_IF_ERROR(tensor(sum, BOOSTC_ARENA_GRADIENT, what));
      if (!names.insert(sum.name).second)
        return fail("duplicate accumulator '{}'", sum.name);
      if (sum.dtype != BOOSTC_F32 && sum.dtype != BOOSTC_I64)
        return fail("{} '{}' has elements of type {}, which ranks do not sum",
                    what, sum.name, dtypeOf(sum));
      if (accumulator.kind == BOOSTC_ACCUMULATOR_GRADIENT &&
          (accumulator.parameter == UINT32_MAX || sum.dtype != BOOSTC_F32 ||
           !trained.insert(accumulator.parameter).second))
        return fail("{} '{}' is not the one gradient of a parameter", what,
                    sum.name);
      if (accumulator.kind == BOOSTC_ACCUMULATOR_LOSS_SUM)
        BOOSTRT_RETURN_IF_ERROR(isScalar(sum, BOOSTC_F32, what));
      if (accumulator.kind == BOOSTC_ACCUMULATOR_LOSS_COUNT)
        BOOSTRT_RETURN_IF_ERROR(isScalar(sum, BOOSTC_I64, what));
      if (accumulator.kind == BOOSTC_ACCUMULATOR_LOSS_WEIGHT)
        BOOSTRT_RETURN_IF_ERROR(isScalar(sum, BOOSTC_F32, what));
    }
    if (count[BOOSTC_ACCUMULATOR_LOSS_WEIGHT] > 1)
      return fail("{} accumulators of kind 'loss weight', expected one at most",
                  count[BOOSTC_ACCUMULATOR_LOSS_WEIGHT]);
    for (BoostAccumulatorKind kind :
         {BOOSTC_ACCUMULATOR_LOSS_SUM, BOOSTC_ACCUMULATOR_LOSS_COUNT})
      if (count[kind] != 1)
        return fail("{} accumulators of kind '{}', expected one", count[kind],
                    kAccumulatorKinds[kind]);
    return Status();
  }

  Status states() const {
    std::set<std::string_view> names;
    int64_t vectors = 0; ///< of the basis
    for (uint32_t i = 0; i < p_.state_count; ++i) {
      const BoostState &state = p_.states[i];
      BOOSTRT_RETURN_IF_ERROR(tensor(state.tensor,
                                     state.saved == BOOSTC_SAVED_WITH_WEIGHTS
                                         ? BOOSTC_ARENA_PARAMETER
                                         : BOOSTC_ARENA_STATE,
                                     "state"));
      if (!names.insert(state.tensor.name).second)
        return fail("duplicate state '{}'", state.tensor.name);
      if (state.saved == BOOSTC_SAVED_IN_BASIS &&
          !isPartOfBasis(state, vectors))
        return fail("state '{}' is not a parameter's part of a basis",
                    state.tensor.name);
    }
    return Status();
  }

  /// A tensor of its parameter's shape for each of `vectors`, or of as many as
  /// the first part has.
  bool isPartOfBasis(const BoostState &state, int64_t &vectors) const {
    if (state.parameter == UINT32_MAX || state.tensor.rank == 0 ||
        state.tensor.dtype != BOOSTC_F32)
      return false;
    if (vectors == 0)
      vectors = state.tensor.shape[0];
    const BoostTensor &whole = p_.parameters[state.parameter].tensor;
    return state.tensor.shape[0] == vectors &&
           std::equal(state.tensor.shape + 1,
                      state.tensor.shape + state.tensor.rank, whole.shape,
                      whole.shape + whole.rank);
  }

  Status inputs() const {
    uint32_t count[std::size(kInputKinds)] = {};
    std::set<std::string_view> names;
    for (uint32_t i = 0; i < p_.input_count; ++i) {
      const BoostInput &input = p_.inputs[i];
      BOOSTRT_RETURN_IF_ERROR(
          tensor(input.tensor, BOOSTC_ARENA_BATCH, "input"));
      if (!names.insert(input.tensor.name).second)
        return fail("duplicate input '{}'", input.tensor.name);
      const InputKind &kind = kInputKinds[input.kind];
      if (evaluatedInput(input.tensor.name).empty())
        ++count[input.kind];
      else
        BOOSTRT_RETURN_IF_ERROR(evalInput(input));
      if (input.tensor.rank == 0 || input.tensor.shape[0] != p_.batch_size)
        return fail("input '{}' is not a batch of {}", input.tensor.name,
                    p_.batch_size);
      if (input.tensor.dtype != static_cast<uint32_t>(kind.dtype))
        return fail("input '{}' of {} has elements of type {}, expected {}",
                    input.tensor.name, kind.name, dtypeOf(input.tensor),
                    nameOf<BoostDType>(kind.dtype));
      if (kind.perSample && input.tensor.rank != 1)
        return fail("input '{}' of {} has rank {}, expected 1",
                    input.tensor.name, kind.name, input.tensor.rank);
      if (kind.hasClasses ? input.classes <= 0 || input.classes > INT32_MAX
                          : input.classes != 0)
        return fail("input '{}' of {} has {} classes", input.tensor.name,
                    kind.name, input.classes);
    }
    if (count[BOOSTC_INPUT_FEATURES] + count[BOOSTC_INPUT_PIXELS] +
            count[BOOSTC_INPUT_INDICES] !=
        1)
      return fail("{} inputs of features, {} of pixels and {} of indices, "
                  "expected one of them",
                  count[BOOSTC_INPUT_FEATURES], count[BOOSTC_INPUT_PIXELS],
                  count[BOOSTC_INPUT_INDICES]);
    for (size_t kind = 0; kind < std::size(kInputKinds); ++kind)
      if (count[kind] > 1)
        return fail("{} inputs of {}, expected one at most", count[kind],
                    kInputKinds[kind].name);
    return Status();
  }

  /// It has all but the extents of the input in whose place it is read.
  Status evalInput(const BoostInput &input) const {
    std::string_view name = evaluatedInput(input.tensor.name);
    for (uint32_t i = 0; &p_.inputs[i] != &input; ++i) {
      const BoostInput &training = p_.inputs[i];
      const BoostTensor &tensor = training.tensor;
      if (tensor.name != name || training.kind != input.kind ||
          tensor.rank != input.tensor.rank ||
          tensor.offset != input.tensor.offset)
        continue;
      if (input.kind != BOOSTC_INPUT_FEATURES &&
          input.kind != BOOSTC_INPUT_PIXELS)
        break;
      // Only one of them is there at a time.
      std::erase(placed_[BOOSTC_ARENA_BATCH],
                 tensor.bytes < input.tensor.bytes ? &tensor : &input.tensor);
      return Status();
    }
    return fail("input '{}' is not read in the place of another one that the "
                "layers read",
                input.tensor.name);
  }

  Status scalars() const {
    BOOSTRT_RETURN_IF_ERROR(
        scalar(p_.valid, BOOSTC_ARENA_BATCH, BOOSTC_I32, "scalar"));
    BOOSTRT_RETURN_IF_ERROR(
        scalar(p_.applied, BOOSTC_ARENA_RESULT, BOOSTC_I32, "scalar"));
    BOOSTRT_RETURN_IF_ERROR(
        scalar(p_.failed, BOOSTC_ARENA_RESULT, BOOSTC_I32, "scalar"));
    BOOSTRT_RETURN_IF_ERROR(
        scalar(p_.seed_control, BOOSTC_ARENA_CONTROL, BOOSTC_I64, "scalar"));
    if (p_.gradient_norm.bytes != 0)
      BOOSTRT_RETURN_IF_ERROR(
          scalar(p_.gradient_norm, BOOSTC_ARENA_RESULT, BOOSTC_F32, "scalar"));
    BOOSTRT_RETURN_IF_ERROR(lossScales());
    if (p_.repeat.bytes != 0)
      BOOSTRT_RETURN_IF_ERROR(
          scalar(p_.repeat, BOOSTC_ARENA_RESULT, BOOSTC_I32, "scalar"));
    if (const BoostSelector *selector = selectorOf(p_)) {
      BOOSTRT_RETURN_IF_ERROR(
          scalar(selector->step, BOOSTC_ARENA_CONTROL, BOOSTC_I64, "scalar"));
      BOOSTRT_RETURN_IF_ERROR(
          scalar(selector->length, BOOSTC_ARENA_CONTROL, BOOSTC_I64, "scalar"));
      BOOSTRT_RETURN_IF_ERROR(
          scalar(selector->choice, BOOSTC_ARENA_RESULT, BOOSTC_I32, "scalar"));
    }
    std::set<std::string_view> names;
    for (uint32_t i = 0; i < p_.metric_count; ++i) {
      const BoostMetric &metric = p_.metrics[i];
      if (!names.insert(metric.name).second)
        return fail("duplicate metric '{}'", metric.name);
      BOOSTRT_RETURN_IF_ERROR(
          scalar(metric.sum, BOOSTC_ARENA_RESULT, BOOSTC_F32, "metric sum"));
      BOOSTRT_RETURN_IF_ERROR(
          scalar(metric.count, BOOSTC_ARENA_RESULT,
                 metric.count.dtype == BOOSTC_F32 ? BOOSTC_F32 : BOOSTC_I64,
                 "metric count"));
    }
    names.clear();
    for (uint32_t i = 0; i < p_.step_number_count; ++i) {
      const BoostTensor &number = p_.step_numbers[i].tensor;
      if (!names.insert(number.name).second)
        return fail("duplicate step number '{}'", number.name);
      BOOSTRT_RETURN_IF_ERROR(
          scalar(number, BOOSTC_ARENA_RESULT, BOOSTC_I32, "step number"));
    }
    for (uint32_t i = 0; i < p_.schedule_count; ++i) {
      const BoostSchedule &schedule = p_.schedules[i];
      for (double number :
           {schedule.value, schedule.initial, schedule.end, schedule.factor})
        if (!std::isfinite(number))
          return fail("schedule '{}' has a number that is not finite",
                      schedule.name);
      for (double length : {schedule.warmup, schedule.every, schedule.length})
        if (!(length >= 0.0) || !std::isfinite(length))
          return fail("schedule '{}' has length {}, expected a finite number "
                      "of 0 or more",
                      schedule.name, length);
      BOOSTRT_RETURN_IF_ERROR(scalar(schedule.control, BOOSTC_ARENA_CONTROL,
                                     BOOSTC_F32, "schedule"));
    }
    return Status();
  }

  Status collectives() const {
    for (uint32_t i = 0; i < p_.collective_count; ++i) {
      const BoostCollective &collective = p_.collectives[i];
      if (collective.index != i)
        return fail("collective {} has index {}", i, collective.index);
      if ((collective.kind == BOOSTC_COLLECTIVE_ADASUM) !=
          (collective.ranks == BOOSTC_RANKS_INTER_GROUP))
        return fail("collective {} of kind {} is for ranks {}; Adasum alone "
                    "combines across groups, and does nothing else",
                    i, kindOf(collective),
                    nameOf<BoostRankGroup>(collective.ranks));
      if (collective.root != 0 &&
          collective.kind != BOOSTC_COLLECTIVE_BROADCAST)
        return fail("collective {} of kind {} has root {}", i,
                    kindOf(collective), collective.root);
      if (collective.operand_count == 0)
        return fail("collective {} has no operands", i);
      for (uint32_t k = 0; k < collective.operand_count; ++k)
        BOOSTRT_RETURN_IF_ERROR(operand(collective, k));
    }
    return Status();
  }

  static const char *dtypeOf(const BoostTensor &tensor) {
    return nameOf<BoostDType>(tensor.dtype);
  }

  static const char *kindOf(const BoostCollective &collective) {
    return nameOf<BoostCollectiveKind>(collective.kind);
  }

  Status operand(const BoostCollective &collective, uint32_t index) const {
    const BoostCollectiveOperand &o = collective.operands[index];
    uint64_t bytes = elementBytes(o.dtype);
    bool isKnown =
        o.dtype == BOOSTC_F32 ||
        (o.dtype == BOOSTC_I64 && collective.kind != BOOSTC_COLLECTIVE_ADASUM);
    if (!isKnown)
      return fail("operand {} of collective {} has elements of type {}", index,
                  collective.index, nameOf<BoostDType>(o.dtype));
    if (o.elements == 0 || o.elements > kMaxBytes / bytes)
      return fail("operand {} of collective {} has {} elements", index,
                  collective.index, o.elements);
    if (o.rows == 0 || o.elements % o.rows != 0)
      return fail("operand {} of collective {} has {} elements in {} rows",
                  index, collective.index, o.elements, o.rows);
    if (o.parameter == UINT32_MAX)
      return Status();
    const BoostTensor &served = p_.parameters[o.parameter].tensor;
    if (o.elements * bytes != served.bytes)
      return fail("operand {} of collective {} has {} bytes, its parameter "
                  "'{}' {}",
                  index, collective.index, o.elements * bytes, served.name,
                  served.bytes);
    return Status();
  }

  Status overlaps() const {
    for (std::vector<const BoostTensor *> &tensors : placed_) {
      std::sort(tensors.begin(), tensors.end(),
                [](auto *a, auto *b) { return a->offset < b->offset; });
      for (size_t i = 1; i < tensors.size(); ++i)
        if (tensors[i - 1]->offset + tensors[i - 1]->bytes > tensors[i]->offset)
          return fail("'{}' and '{}' overlap in arena {}", tensors[i - 1]->name,
                      tensors[i]->name,
                      nameOf<BoostArenaKind>(tensors[i]->arena));
    }
    return Status();
  }

  const BoostProgram &p_;
  const std::string &path_;
  /// Tensors met so far, by arena, for overlaps().
  mutable std::vector<const BoostTensor *> placed_[BOOSTC_ARENA_COUNT];
};

} // namespace

Status validateProgram(const BoostProgram &program, const std::string &path) {
  BOOSTRT_RETURN_IF_ERROR(Validator(program, path).run());
  return validateTargets(program, path);
}

} // namespace boostrt
