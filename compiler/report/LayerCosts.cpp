#include "compiler/report/LayerCosts.h"
#include "compiler/lowering/llvm/SourceNames.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

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

std::vector<LayerCost> report::collectLayers(train::ProgramOp program) {
  llvm::MapVector<StringRef, LayerCost> layers;
  func::FuncOp forward = program.getFunction(train::kForward);
  if (!forward)
    return {};
  for (Operation &op : forward.front().without_terminator()) {
    if (!isa<CostOpInterface>(op))
      continue; // constants
    LayerCost &layer = layers[getLayer(op.getLoc()).name];
    layer.op = op.getName().stripDialect().str();
    layer.output = op.getResultTypes().front();
    layer.evaluated.add(&op);
  }
  for (auto parameter : program.getBody().getOps<train::ParameterOp>()) {
    auto layer = layers.find(getLayer(parameter.getLoc()).name);
    if (layer != layers.end())
      layer->second.parameters += countElements(parameter.getType());
  }
  std::vector<LayerCost> result;
  for (auto &[name, layer] : layers) {
    layer.name = name.empty() ? "(unnamed)" : name.str();
    result.push_back(std::move(layer));
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
      if (named.role.empty() && op.getName().stripDialect() == layer->op)
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
