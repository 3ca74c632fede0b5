#include "compiler/report/LayerCosts.h"
#include "compiler/lowering/llvm/SourceNames.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/FormatVariadic.h"
#include <nlohmann/json.hpp>

using namespace mlir;
using namespace boostc;
using namespace boostc::report;

void Work::add(Operation *op) {
  auto cost = dyn_cast<CostOpInterface>(op);
  if (!cost)
    return;
  flops += cost.getFlops();
  bytes += cost.getBytesRead() + cost.getBytesWritten();
}

/// The first layer that `loc` names; an empty name where it names none.
static NamedLayer getLayer(Location loc) {
  SmallVector<NamedLayer> layers = getNamedLayers(loc);
  return layers.empty() ? NamedLayer{} : layers.front();
}

/// The ops of the model file's layers, by the names of these. IR written by
/// hand may have any text as its recipe, and then says nothing here.
static llvm::StringMap<std::string> readLayerOps(train::ProgramOp program) {
  llvm::StringMap<std::string> ops;
  auto recipe = nlohmann::json::parse(program.getRecipe().str(), nullptr,
                                      /*allow_exceptions=*/false);
  if (!recipe.is_object() || !recipe.contains("layers") ||
      !recipe["layers"].is_array())
    return ops;
  for (const nlohmann::json &layer : recipe["layers"]) {
    if (!layer.is_object() || !layer.contains("name") || !layer.contains("op"))
      continue;
    const nlohmann::json &name = layer["name"], &op = layer["op"];
    if (name.is_string() && op.is_string())
      ops[name.get<std::string>()] = op.get<std::string>();
  }
  return ops;
}

/// Whether another layer uses the first result of `op`, an op of `layer`.
/// Other results are statistics.
static bool isUsedByOtherLayer(Operation &op, StringRef layer) {
  return llvm::any_of(op.getResult(0).getUsers(), [&](Operation *user) {
    return !user->hasTrait<OpTrait::IsTerminator>() &&
           getLayer(user->getLoc()).name != layer;
  });
}

std::vector<LayerCost> report::collectLayers(train::ProgramOp program) {
  struct Layer {
    LayerCost cost;
    Operation *output = nullptr; ///< the last op that another layer uses
    Operation *first = nullptr;
  };
  llvm::MapVector<StringRef, Layer> layers;
  func::FuncOp forward = program.getFunction(train::kForward);
  if (!forward)
    return {};
  for (Operation &op : forward.front().without_terminator()) {
    if (!isa<CostOpInterface>(op))
      continue; // constants
    StringRef name = getLayer(op.getLoc()).name;
    Layer &layer = layers[name];
    if (!layer.first)
      layer.first = &op;
    if (isUsedByOtherLayer(op, name))
      layer.output = &op;
    layer.cost.evaluated.add(&op);
  }
  for (auto parameter : program.getBody().getOps<train::ParameterOp>()) {
    auto layer = layers.find(getLayer(parameter.getLoc()).name);
    if (layer != layers.end())
      layer->second.cost.parameters += countElements(parameter.getType());
  }
  llvm::StringMap<std::string> ops = readLayerOps(program);
  std::vector<LayerCost> result;
  for (auto &[name, layer] : layers) {
    Operation *output = layer.output ? layer.output : layer.first;
    LayerCost cost = std::move(layer.cost);
    auto op = ops.find(name);
    cost.op =
        op != ops.end() ? op->second : output->getName().stripDialect().str();
    cost.output = output->getResult(0).getType();
    cost.outputOp = output->getName().getStringRef().str();
    cost.name = name.empty() ? "(unnamed)" : name.str();
    result.push_back(std::move(cost));
  }
  return result;
}

Work report::addStepCosts(train::ProgramOp program,
                          std::vector<LayerCost> &layers) {
  llvm::StringMap<LayerCost *> byName;
  for (LayerCost &layer : layers)
    byName[layer.name] = &layer;
  Work rest;
  // A phase that repeats counts once.
  for (const train::StepPhase &phase :
       program.getVariants().back().getPhases()) {
    if (!phase.micro)
      continue;
    for (Operation &op :
         func::FuncOp(phase.micro).front().without_terminator()) {
      NamedLayer named = getLayer(op.getLoc());
      LayerCost *layer = byName.lookup(named.name);
      if (!layer) {
        rest.add(&op);
        continue;
      }
      (named.role.empty() ? layer->forward : layer->backward).add(&op);
      // The op itself, and not a cast of its result for another layer.
      if (named.role.empty() && op.getName().getStringRef() == layer->outputOp)
        layer->stored = getElementTypeOrSelf(op.getResult(0).getType());
    }
  }
  return rest;
}

std::string report::describeSampleShape(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor || tensor.getRank() == 0)
    return "";
  std::vector<std::string> extents;
  for (int64_t extent : tensor.getShape().drop_front())
    extents.push_back(std::to_string(extent));
  return llvm::formatv("[{0}]", llvm::join(extents, ", "));
}
