#include "runtime/cli/Commands.h"
#include "runtime/device/cuda/CallShape.h"
#include "runtime/device/cuda/GpuVectors.h"
#include "runtime/predict/PredictionReport.h"
#include "runtime/program/AccumulatesInPlace.h"
#include "runtime/program/MemoryPlan.h"
#include "runtime/program/Program.h"
#include "runtime/program/ProgramAccumulators.h"
#include "runtime/program/ProgramTargets.h"
#include "runtime/program/Recipe.h"
#include "runtime/program/StepVariants.h"
#include "runtime/support/ByteText.h"
#include "runtime/support/Plural.h"
#include "runtime/support/Streams.h"
#include "runtime/trainer/MachineMemory.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace boostrt {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char *kRoles[] = {"weight",     "bias",      "norm_scale",
                                  "norm_shift", "embedding", "multiplier"};
constexpr const char *kInitializers[] = {"constant", "uniform", "normal",
                                         "truncated_normal"};
constexpr const char *kReproducible[] = {"on", "off", "strict"};
static_assert(std::size(kReproducible) == BOOSTC_REPRODUCIBLE_STRICT + 1);
constexpr const char *kPrecisions[] = {"float32", "tf32"};
static_assert(std::size(kPrecisions) == BOOSTC_PRECISION_TF32 + 1);
Json shapeOf(const BoostTensor &tensor) {
  return std::vector<int64_t>(tensor.shape, tensor.shape + tensor.rank);
}

std::string shapeText(const Json &shape) {
  std::string text;
  for (const Json &extent : shape)
    text += fmt::format("{}{}", text.empty() ? "" : "x", extent.get<int64_t>());
  return text.empty() ? "scalar" : text;
}

Json parametersOf(const Program &program) {
  Json list = Json::array();
  uint32_t index = 0;
  for (const BoostParameter &parameter : program.parameters())
    list.push_back({{"name", parameter.tensor.name},
                    {"shape", shapeOf(parameter.tensor)},
                    {"role", kRoles[parameter.role]},
                    {"initializer", kInitializers[parameter.initializer]},
                    {"a", parameter.a},
                    {"b", parameter.b},
                    {"trained", isTrained(program.descriptor(), index++)},
                    {"bytes", parameter.tensor.bytes}});
  return list;
}

const char *dtypeOf(const BoostTensor &tensor) {
  return tensor.dtype == BOOSTC_F32   ? "f32"
         : tensor.dtype == BOOSTC_I32 ? "i32"
                                      : "i64";
}

Json describeAccumulators(const Program &program) {
  static constexpr const char *kKinds[] = {"gradient", "loss_sum", "loss_count",
                                           "accumulator"};
  static_assert(std::size(kKinds) == BOOSTC_ACCUMULATOR_OTHER + 1);
  Json list = Json::array();
  for (const BoostAccumulator &accumulator :
       accumulatorsOf(program.descriptor())) {
    Json json{{"name", accumulator.tensor.name},
              {"kind", kKinds[accumulator.kind]},
              {"shape", shapeOf(accumulator.tensor)},
              {"dtype", dtypeOf(accumulator.tensor)}};
    if (accumulator.parameter != UINT32_MAX)
      json["parameter"] =
          program.parameters()[accumulator.parameter].tensor.name;
    json["bytes"] = accumulator.tensor.bytes;
    list.push_back(std::move(json));
  }
  return list;
}

Json statesOf(const Program &program) {
  Json list = Json::array();
  for (const BoostState &state : program.states())
    list.push_back(
        {{"name", state.tensor.name},
         {"shape", shapeOf(state.tensor)},
         {"dtype", dtypeOf(state.tensor)},
         {"saved_with_weights", state.saved == BOOSTC_SAVED_WITH_WEIGHTS},
         {"bytes", state.tensor.bytes}});
  return list;
}

Json inputsOf(const Program &program) {
  static constexpr const char *kKinds[] = {"features", "labels", "indices",
                                           "targets", "sample_keys"};
  static_assert(std::size(kKinds) == BOOSTC_INPUT_SAMPLE_KEYS + 1);
  Json list = Json::array();
  for (const BoostInput &input : program.inputs()) {
    Json json{{"name", input.tensor.name},
              {"kind", kKinds[input.kind]},
              {"shape", shapeOf(input.tensor)},
              {"dtype", dtypeOf(input.tensor)}};
    if (input.classes > 0)
      json["classes"] = input.classes;
    json["bytes"] = input.tensor.bytes;
    list.push_back(std::move(json));
  }
  return list;
}

Json describeMatmul(const BoostMatmul &m) {
  return {{"kind", "matmul"},
          {"m", m.m},
          {"n", m.n},
          {"k", m.k},
          {"a_strides", m.a_strides},
          {"b_strides", m.b_strides}};
}

Json describeConvolution(uint32_t kind, const BoostConvolution &c) {
  return {{"kind", cuda::nameOfCall(kind)},
          {"input", c.input},
          {"weight", c.weight},
          {"output", c.output},
          {"input_strides", c.input_strides},
          {"weight_strides", c.weight_strides},
          {"output_strides", c.output_strides},
          {"strides", c.strides},
          {"padding", c.padding},
          {"dilations", c.dilations}};
}

Json callsOf(const BoostTarget &target) {
  Json list = Json::array();
  for (const BoostLibraryCall &call :
       std::span(target.library_calls, target.library_call_count)) {
    Json json = cuda::isConvolution(call)
                    ? describeConvolution(call.kind, call.convolution)
                    : describeMatmul(call.matmul);
    json["bias"] = cuda::hasBias(call);
    json["precision"] = kPrecisions[call.precision];
    json["scratch_bytes"] = call.scratch_bytes;
    json["location"] = call.location;
    list.push_back(std::move(json));
  }
  return list;
}

Json modulesOf(const BoostTarget &target) {
  Json list = Json::array();
  for (const BoostModule *module = target.modules;
       module && module->kind != BOOSTC_MODULE_END; ++module)
    list.push_back(
        {{"kind", module->kind == BOOSTC_MODULE_PTX ? "ptx" : "cubin"},
         {"architecture", fmt::format("sm_{}", module->architecture)},
         {"bytes", module->bytes}});
  return list;
}

Json describeVariants(const BoostProgram &descriptor) {
  Json list = Json::array();
  auto nameOf = [&](uint32_t function) {
    return descriptor.targets[0].functions[function].name;
  };
  for (const BoostVariant &variant : variantsOf(descriptor)) {
    Json json{{"name", variant.name}, {"micro", nameOf(variant.micro)}};
    if (!accumulatesInPlace(descriptor))
      json["combine"] = nameOf(variant.combine);
    json["update"] = nameOf(variant.update);
    json["collectives"] = collectivesOf(descriptor, variant).size();
    Json ranges = Json::array();
    for (const BoostStepRange &range :
         std::span(variant.ranges, variant.range_count)) {
      Json steps{{"first", range.first}};
      if (range.last != 0)
        steps["last"] = range.last;
      steps["every"] = range.every;
      ranges.push_back(std::move(steps));
    }
    json["steps"] = std::move(ranges);
    list.push_back(std::move(json));
  }
  return list;
}

/// The ranks as a plan sees them: those whose memory is a GPU's add there.
MemoryJob jobOf(const JobShape &shape, const BoostTarget &target) {
  MemoryJob job;
  job.ranks = shape.ranks;
  job.servers = shape.servers;
  if (target.kind == BOOSTC_TARGET_CUDA) {
    job.isOnHost = false;
    job.cuts = kGpuCuts;
  }
  return job;
}

Json planOf(const BoostProgram &descriptor, const BoostTarget &target,
            const JobShape &shape) {
  MemoryPlan plan = planTraining(descriptor, target, jobOf(shape, target));
  Json categories = Json::array();
  for (const MemoryTerm &term : plan.terms())
    categories.push_back({{"category", term.name},
                          {"holds", term.holds},
                          {"copies", term.copies},
                          {"bytes", term.total()},
                          {"formula", term.formula}});
  return {{"ranks", shape.ranks},
          {"categories", categories},
          {"total_bytes", plan.total()}};
}

/// What a kind of device has none of is left out.
Json describeTarget(const BoostProgram &descriptor, const BoostTarget &target,
                    const JobShape &shape) {
  Json json{{"kind", kTargetNames[target.kind]},
            {"requirements", target.requirements}};
  if (target.kind == BOOSTC_TARGET_CPU) {
    json["threads"] = target.threads;
    json["library"] = target.library_version;
  } else {
    json["launches"] = target.launch_count;
    json["modules"] = modulesOf(target);
  }
  json["library_calls"] = callsOf(target);
  json["transient_bytes"] = target.transient_bytes;
  json["memory"] = planOf(descriptor, target, shape);
  return json;
}

/// Names and numbers as the model file has them; zeros are left out.
Json describeSchedule(const BoostSchedule &schedule) {
  static constexpr const char *kKinds[] = {
      "constant",     "step",          "exponential", "polynomial",
      "cosine",       "recipe_linear", "recipe_poly", "recipe_cosine",
      "recipe_steps", "recipe_step"};
  static_assert(std::size(kKinds) == BOOSTC_SCHEDULE_COUNT);
  Json json = {{"name", schedule.name},
               {"kind", kKinds[schedule.kind]},
               {"value", schedule.value}};
  const std::pair<const char *, double> numbers[] = {
      {"initial", schedule.initial}, {"end", schedule.end},
      {"factor", schedule.factor},   {"warmup", schedule.warmup},
      {"every", schedule.every},     {"length", schedule.length}};
  for (auto [name, number] : numbers)
    if (number != 0)
      json[name] = number;
  if (schedule.unit == BOOSTC_UNIT_STEPS)
    json["unit"] = "steps";
  return json;
}

Json describe(const Program &program, const Recipe &recipe,
              const JobShape &shape) {
  const BoostProgram &d = program.descriptor();
  Json metrics = Json::array(), schedules = Json::array(),
       targets = Json::array();
  for (const BoostMetric &metric : program.metrics())
    metrics.push_back(metric.name);
  for (const BoostSchedule &schedule : program.schedules())
    schedules.push_back(describeSchedule(schedule));
  for (const BoostTarget &target : program.targets())
    targets.push_back(describeTarget(d, target, shape));
  return {{"name", d.name},
          {"compiler", d.compiler_version},
          {"interface_version", d.abi_version},
          {"batch_size", d.batch_size},
          {"micro_batches", d.micro_batches},
          {"seed", d.seed},
          {"reproducible", kReproducible[d.reproducible]},
          {"matmul_precision", kPrecisions[d.matmul_precision]},
          {"recipe_hash", d.recipe_hash},
          {"parameters", parametersOf(program)},
          {"accumulators", describeAccumulators(program)},
          {"states", statesOf(program)},
          {"inputs", inputsOf(program)},
          {"metrics", metrics},
          {"schedules", schedules},
          {"variants", describeVariants(d)},
          {"targets", targets},
          {"recipe", Json(recipe.all)}};
}

/// `extra` is what the last column shows of a tensor.
template <typename Extra>
void printTensors(const char *title, const Json &tensors, Extra &&extra) {
  if (tensors.empty())
    return;
  printResult("{}\n", title);
  for (const Json &tensor : tensors)
    printResult("  {:<32} {:<16} {:>12}  {}\n",
                tensor["name"].get<std::string>(), shapeText(tensor["shape"]),
                tensor["bytes"].get<uint64_t>(), extra(tensor));
}

std::string roleText(const Json &parameter) {
  return parameter["role"].get<std::string>();
}

std::string nothing(const Json &) { return ""; }

/// "labels, i32 below 10".
std::string inputText(const Json &input) {
  std::string text = fmt::format("{}, {}", input["kind"].get<std::string>(),
                                 input["dtype"].get<std::string>());
  if (input.contains("classes"))
    text += fmt::format(" below {}", input["classes"].get<int64_t>());
  return text;
}

/// "32 x 512 x 784, bias", "convolution 32x1x28x28 with 6x1x5x5, bias".
std::string callText(const Json &call) {
  const char *bias = call["bias"].get<bool>() ? "bias" : "no bias";
  auto integer = [&](const char *key) { return call[key].get<int64_t>(); };
  auto extents = [&](const char *key) {
    return fmt::format("{}",
                       fmt::join(call[key].get<std::vector<int64_t>>(), "x"));
  };
  if (call["kind"] == "matmul")
    return fmt::format("{} x {} x {}, {}", integer("m"), integer("n"),
                       integer("k"), bias);
  return fmt::format("{} {} with {}, {}", call["kind"].get<std::string>(),
                     extents("input"), extents("weight"), bias);
}

void printCalls(const Json &calls) {
  if (!calls.empty())
    printResult("  library calls (m x n x k or input with weight, bias, post, "
                "scratch bytes)\n");
  for (const Json &call : calls)
    printResult("    {:<24} {}, {}\n", call["location"].get<std::string>(),
                callText(call), call["scratch_bytes"].get<uint64_t>());
}

void printModules(const Json &modules) {
  printResult("  code (architecture, bytes)\n");
  for (const Json &module : modules)
    printResult("    {:<16} {:<8} {:>9}\n", module["kind"].get<std::string>(),
                module["architecture"].get<std::string>(),
                module["bytes"].get<uint64_t>());
}

void printTarget(const Json &target) {
  auto text = [&](const char *key) { return target[key].get<std::string>(); };
  if (target.contains("threads")) {
    printResult("target cpu: {}, {}\n",
                countOf(target["threads"].get<uint64_t>(), "thread"),
                text("library"));
    printResult("  needs {}\n", text("requirements"));
  } else {
    printResult("target cuda: {}\n",
                countOf(target["launches"].get<uint64_t>(), "launch"));
    printResult("  needs {} or newer\n", text("requirements"));
    printModules(target["modules"]);
  }
  printCalls(target["library_calls"]);
  printResult("  memory plan for training (copies, bytes)\n");
  for (const Json &category : target["memory"]["categories"])
    printResult(
        "    {:<16} {:>3} {:>14}\n", category["category"].get<std::string>(),
        category["copies"].get<uint32_t>(), category["bytes"].get<uint64_t>());
  printResult("    {:<16} {:>3} {:>14}\n", "total", "",
              target["memory"]["total_bytes"].get<uint64_t>());
}

/// "every 3 steps from 3 on", "steps from 1 to 10".
std::string rangeText(const Json &range) {
  auto integer = [&](const char *key) { return range[key].get<int64_t>(); };
  std::string steps = integer("every") == 1
                          ? "steps"
                          : fmt::format("every {} steps", integer("every"));
  return range.contains("last")
             ? fmt::format("{} from {} to {}", steps, integer("first"),
                           integer("last"))
             : fmt::format("{} from {} on", steps, integer("first"));
}

/// One kind of step needs no table.
void printVariants(const Json &variants) {
  if (variants.size() == 1)
    return;
  printResult("variants of a step (steps from 1, the first that lists one)\n");
  for (const Json &variant : variants) {
    std::vector<std::string> ranges;
    for (const Json &range : variant["steps"])
      ranges.push_back(rangeText(range));
    printResult("  {:<32} {}\n", variant["name"].get<std::string>(),
                ranges.empty() ? "all other steps"
                               : fmt::format("{}", fmt::join(ranges, ", ")));
  }
}

void printText(const Json &json) {
  auto text = [&](const char *key) { return json[key].get<std::string>(); };
  auto integer = [&](const char *key) { return json[key].get<uint64_t>(); };
  printResult("{}: batch {} x {} a step, seed {}\n", text("name"),
              integer("batch_size"),
              countOf(integer("micro_batches"), "micro-batch"),
              integer("seed"));
  printResult("compiled by {}\n", text("compiler"));
  printResult("reproducible: {}\n", text("reproducible"));
  printResult("matmul precision: {}\n", text("matmul_precision"));
  printResult("recipe hash: {}\n", text("recipe_hash"));
  printTensors("parameters (bytes, role)", json["parameters"], roleText);
  printTensors("optimizer state (bytes)", json["states"], nothing);
  printTensors("inputs (bytes, kind)", json["inputs"], inputText);
  printResult("metrics: {}\n", json["metrics"].dump());
  for (const Json &schedule : json["schedules"])
    printResult("schedule {}: {} {}\n", schedule["name"].get<std::string>(),
                schedule["kind"].get<std::string>(),
                schedule["value"].get<double>());
  printVariants(json["variants"]);
  for (const Json &target : json["targets"])
    printTarget(target);
  printResult("recipe\n{}\n", json["recipe"].dump(2));
}

/// The plan of rank 0, term by term.
void printPlan(const Json &target, const JobShape &shape) {
  const Json &memory = target["memory"];
  printResult("memory of rank 0 of {} on {}, in bytes (N: ranks, K: "
              "micro-batches of a step)\n",
              shape.ranks, target["kind"].get<std::string>());
  for (const Json &term : memory["categories"])
    printResult("  {:<12} {:<26} {:>2} {:>14}  {}\n",
                term["category"].get<std::string>(),
                term["holds"].get<std::string>(),
                term["copies"].get<uint32_t>(), term["bytes"].get<uint64_t>(),
                term["formula"].get<std::string>());
  uint64_t total = memory["total_bytes"].get<uint64_t>();
  printResult("  {:<42} {:>14}  {}\n", "total", total, describeBytes(total));
}

/// Whether the ranks that measure have the memory for it, and what they will
/// do: said before they begin.
Status announceMeasuring(const BoostProgram &program,
                         const PredictOptions &options) {
  const BoostTarget *target = findTarget(program, BOOSTC_TARGET_CPU);
  if (!target)
    return Status(); // predict() says so
  uint32_t ranks = measuredRanks(options.job);
  MemoryPlan plan = planTraining(program, *target, jobOf(options.job, *target));
  BOOSTRT_RETURN_IF_ERROR(checkMemory(plan.total(), ranks,
                                      options.link == RankLink::Memory,
                                      MachineMemory::read()));
  printNote("boost-run: {}\n", describeMeasuring(options.job));
  return Status();
}

} // namespace

Status infoCommand(const Options &options) {
  Result<std::unique_ptr<Program>> program = Program::load(options.program);
  if (!program.ok())
    return program.status();
  Result<Recipe> recipe =
      parseRecipe((*program)->descriptor().recipe_json, options.program);
  if (!recipe.ok())
    return recipe.status();
  const JobShape shape =
      options.prediction ? options.prediction->job : JobShape();
  BOOSTRT_RETURN_IF_ERROR(checkShape(shape));
  Json json = describe(**program, *recipe, shape);
  if (options.prediction) {
    if (!options.json)
      for (const Json &target : json["targets"])
        printPlan(target, shape);
    BOOSTRT_RETURN_IF_ERROR(
        announceMeasuring((*program)->descriptor(), *options.prediction));
    Result<Prediction> prediction =
        predict((*program)->descriptor(), (*program)->absolutePath(),
                *options.prediction);
    if (!prediction.ok())
      return prediction.status();
    if (!options.json) {
      writeResult(toText(*prediction));
      return Status();
    }
    json["prediction"] = toJson(*prediction);
  }
  if (options.json)
    printResult("{}\n", json.dump(2));
  else
    printText(json);
  return Status();
}

} // namespace boostrt
