#include "runtime/cli/Commands.h"
#include "runtime/device/cuda/GpuVectors.h"
#include "runtime/predict/PredictionReport.h"
#include "runtime/program/DescriptorTables.h"
#include "runtime/program/MemoryPlan.h"
#include "runtime/program/Program.h"
#include "runtime/program/ProgramAccumulators.h"
#include "runtime/program/ProgramTargets.h"
#include "runtime/program/Recipe.h"
#include "runtime/program/VariantText.h"
#include "runtime/support/ByteText.h"
#include "runtime/support/Plural.h"
#include "runtime/support/Streams.h"
#include "runtime/trainer/MachineMemory.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace boostrt {
namespace {

using Json = nlohmann::ordered_json;

std::string shapeText(const Json &shape) {
  std::string text;
  for (const Json &extent : shape)
    text += fmt::format("{}{}", text.empty() ? "" : "x", extent.get<int64_t>());
  return text.empty() ? "scalar" : text;
}

/// The ranks as a plan sees them: those whose memory is a GPU's add there.
MemoryJob jobOf(const JobShape &shape, const BoostTarget &target,
                const Recipe &recipe) {
  MemoryJob job;
  job.decoding = plannedDecodingBytes(recipe);
  job.workers = plannedWorkers(recipe, target.threads);
  job.ranks = shape.ranks;
  job.servers = shape.servers;
  if (target.kind == BOOSTC_TARGET_CUDA) {
    job.isOnHost = false;
    job.cuts = kGpuCuts;
  }
  return job;
}

Json planOf(const BoostProgram &descriptor, const BoostTarget &target,
            const JobShape &shape, const Recipe &recipe) {
  MemoryPlan plan =
      planTraining(descriptor, target, jobOf(shape, target, recipe));
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

/// The tables of the program, and what follows from them.
Json describe(const Program &program, const Recipe &recipe,
              const JobShape &shape) {
  const BoostProgram &d = program.descriptor();
  Json json = describeTables(d);
  uint32_t index = 0;
  for (Json &parameter : json["parameters"])
    parameter["trained"] = isTrained(d, index++);
  for (size_t i = 0; i < program.targets().size(); ++i)
    json["targets"][i]["memory"] =
        planOf(d, program.targets()[i], shape, recipe);
  json["recipe"] = recipe.all;
  return json;
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
  const char *bias = call["has_bias"].get<bool>() ? "bias" : "no bias";
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
    printResult("  library calls (m x n x k or input with weight, bias, "
                "scratch bytes)\n");
  for (const Json &call : calls)
    printResult("    {:<24} {}, {}\n", call["location"].get<std::string>(),
                callText(call), call["scratch_bytes"].get<uint64_t>());
}

void printModules(const Json &modules) {
  printResult("  code (architecture, bytes)\n");
  for (const Json &module : modules)
    printResult("    {:<16} {:<8} {:>9}\n", module["kind"].get<std::string>(),
                fmt::format("sm_{}", module["architecture"].get<uint32_t>()),
                module["bytes"].get<uint64_t>());
}

void printTarget(const Json &target) {
  auto text = [&](const char *key) { return target[key].get<std::string>(); };
  if (target.contains("threads")) {
    printResult("target cpu: {}, {}\n",
                countOf(target["threads"].get<uint64_t>(), "thread"),
                text("library_version"));
    printResult("  needs {}\n", text("requirements"));
  } else {
    printResult("target cuda: {}\n",
                countOf(target["launches"].size(), "launch"));
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

/// The phases of a variant with several.
void printPhases(const Json &variant) {
  if (!variant.contains("phases"))
    return;
  size_t number = 0;
  for (const Json &phase : variant["phases"])
    printResult("    {}\n",
                describePhase(++number, phase["micro"], phase["probe"],
                              phase["repeats"].get<bool>()));
  printResult("    {}\n", describePhase(++number, variant.value("micro", ""),
                                        variant["update"], false));
}

/// One kind of step of one phase needs no table.
void printVariants(const Json &variants, const Json &selectors) {
  if (variants.size() == 1 && !variants.front().contains("phases"))
    return;
  printResult("variants of a step (steps from 1, the first that lists one)\n");
  for (const Json &variant : variants) {
    std::vector<BoostStepRange> ranges;
    for (const Json &range : variant["ranges"])
      ranges.push_back(
          {range["first"], range.value("last", int64_t{0}), range["every"]});
    printResult("  {:<32} {}\n", variant["name"].get<std::string>(),
                describeSteps(ranges, variant == variants.back()));
    printPhases(variant);
  }
  for (const Json &selector : selectors) {
    std::vector<std::string> names;
    for (const Json &choice : selector["choices"])
      names.push_back(choice["variant"]);
    printResult("  {}\n",
                describeSelector(selector["function"], selector["lag"], names));
  }
}

void printText(const Json &json) {
  auto text = [&](const char *key) { return json[key].get<std::string>(); };
  auto integer = [&](const char *key) { return json[key].get<uint64_t>(); };
  printResult("{}: batch {} x {} a step, seed {}\n", text("name"),
              integer("batch_size"),
              countOf(integer("micro_batches"), "micro-batch"),
              integer("seed"));
  printResult("compiled by {}\n", text("compiler_version"));
  printResult("reproducible: {}\n", text("reproducible"));
  printResult("matmul precision: {}\n", text("matmul_precision"));
  printResult("recipe hash: {}\n", text("recipe_hash"));
  printTensors("parameters (bytes, role)", json["parameters"], roleText);
  printTensors("optimizer state (bytes)", json["states"], nothing);
  printTensors("inputs (bytes, kind)", json["inputs"], inputText);
  std::vector<std::string> metrics;
  for (const Json &metric : json["metrics"])
    metrics.push_back(metric["name"].get<std::string>());
  printResult("metrics: {}\n", fmt::join(metrics, ", "));
  for (const Json &schedule : json["schedules"])
    printResult("schedule {}: {} {}\n", schedule["name"].get<std::string>(),
                schedule["kind"].get<std::string>(),
                schedule["value"].get<double>());
  printVariants(json["variants"], json["selectors"]);
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
  // Batches are random numbers.
  MemoryPlan plan =
      planTraining(program, *target, jobOf(options.job, *target, Recipe()));
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
