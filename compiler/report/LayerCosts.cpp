#include "compiler/report/LayerCosts.h"
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

StringRef report::getLayerName(Location loc) {
  StringRef name;
  loc->walk([&](Location inner) {
    auto named = dyn_cast<NameLoc>(inner);
    if (!named)
      return WalkResult::advance();
    name = named.getName().getValue();
    return WalkResult::interrupt();
  });
  return name;
}

/// Autodiff fuses the location of a forward op with a text.
static bool isBackward(Location loc) {
  bool found = false;
  loc->walk([&](Location inner) {
    auto fused = dyn_cast<FusedLoc>(inner);
    found |= fused && isa_and_nonnull<StringAttr>(fused.getMetadata());
    return WalkResult::advance();
  });
  return found;
}

std::vector<LayerCost> report::collectLayers(train::ProgramOp program) {
  llvm::MapVector<StringRef, LayerCost> layers;
  func::FuncOp forward = program.getFunction(train::kForward);
  if (!forward)
    return {};
  for (Operation &op : forward.front().without_terminator()) {
    if (!isa<CostOpInterface>(op))
      continue; // constants
    LayerCost &layer = layers[getLayerName(op.getLoc())];
    layer.op = op.getName().stripDialect().str();
    layer.output = op.getResultTypes().front();
    layer.evaluated.add(&op);
  }
  for (auto parameter : program.getBody().getOps<train::ParameterOp>()) {
    auto layer = layers.find(getLayerName(parameter.getLoc()));
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
  func::FuncOp micro = program.getFunction(train::kMicro);
  for (Operation &op : micro.front().without_terminator()) {
    LayerCost *layer = byName.lookup(getLayerName(op.getLoc()));
    if (!layer)
      rest.add(&op);
    else
      (isBackward(op.getLoc()) ? layer->backward : layer->forward).add(&op);
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
