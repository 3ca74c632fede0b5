#include "compiler/report/Report.h"
#include "compiler/report/TextTable.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace boostc;
using namespace boostc::report;

static StringRef kindName(LayerSpec::Kind kind) {
  switch (kind) {
  case LayerSpec::Kind::Layer:
    return "layer";
  case LayerSpec::Kind::Loss:
    return "loss";
  case LayerSpec::Kind::Metric:
    return "metric";
  case LayerSpec::Kind::Optimizer:
    return "optimizer";
  }
  llvm_unreachable("all kinds are listed");
}

void report::printOps(MLIRContext &context, llvm::raw_ostream &os) {
  std::vector<std::vector<std::string>> rows;
  size_t layers = 0, differentiable = 0;
  for (RegisteredOperationName op : context.getRegisteredOperations()) {
    auto *layer = op.getInterface<LayerOpInterface>();
    if (!layer)
      continue;
    auto mark = [](bool has) { return has ? "yes" : "-"; };
    bool hasGradient = op.hasInterface<DifferentiableOpInterface>();
    for (const LayerSpec &spec : layer->getLayerSpecs()) {
      // Metrics and optimizers are outside of what is differentiated.
      bool needsGradient = spec.kind == LayerSpec::Kind::Layer ||
                           spec.kind == LayerSpec::Kind::Loss;
      layers += needsGradient;
      differentiable += needsGradient && hasGradient;
      rows.push_back({kindName(spec.kind).str(), spec.name.str(),
                      op.getStringRef().str(),
                      needsGradient ? mark(hasGradient) : "",
                      mark(op.hasInterface<ReferenceOpInterface>()),
                      mark(op.hasInterface<LowerToLinalgOpInterface>() ||
                           op.hasInterface<ScalarUpdateOpInterface>()),
                      mark(op.hasInterface<LibraryCallOpInterface>()),
                      mark(op.hasInterface<CostOpInterface>())});
    }
  }
  llvm::sort(rows);
  TextTable table("llllllll");
  table.addRow({"kind", "spelling", "op", "gradient", "oracle", "code",
                "library", "cost"});
  table.addRule();
  for (std::vector<std::string> &row : rows)
    table.addRow(std::move(row));
  table.print(os);
  os << "\n"
     << differentiable << " of " << layers
     << " layers and losses have a gradient.\n";
}
