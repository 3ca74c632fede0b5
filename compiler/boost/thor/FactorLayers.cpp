#include "compiler/boost/thor/FactorLayers.h"
#include "compiler/boost/EditProgram.h"
#include "dialects/nn/NnDialect.h"
#include "dialects/rt/DampedInverse.h"
#include "dialects/thor/ThorDialect.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace boostc;
using namespace boostc::boost;
using rt::BindingKind;

static RankedTensorType getFlagType(MLIRContext *context) {
  return RankedTensorType::get({}, IntegerType::get(context, 32));
}

/// Builds the factors of the layer whose gradient is `op`, after it. The loss
/// scale of the weight's gradient is that of its group, which `rescaling` makes
/// of the layer's where they are of two groups.
static void buildFactors(FactorLayer &layer, PreconditionableOpInterface op,
                         nn::ScaleGradientGradOp rescaling, func::FuncOp micro,
                         Value valid, int64_t blockSize) {
  const KroneckerLayer &kronecker = *layer.kronecker;
  bool hasWindows = !kronecker.kernel.empty();
  auto gradient = cast<RankedTensorType>(kronecker.gradient.getType());
  int64_t channels =
      hasWindows ? gradient.getDimSize(1) : gradient.getShape().back();
  (hasWindows ? layer.positions : layer.rows) =
      gradient.getNumElements() / (gradient.getDimSize(0) * channels);
  OpBuilder at(op->getContext());
  at.setInsertionPointAfter(op);
  auto extents = [&](ArrayRef<int64_t> values) {
    return hasWindows ? at.getDenseI64ArrayAttr(values) : DenseI64ArrayAttr();
  };
  auto groups = at.getI64IntegerAttr(kronecker.groups);
  auto size = at.getI64IntegerAttr(blockSize);
  Value a = kronecker.isLookup
                ? op.buildLookupCounts(at)
                : thor::FactorAOp::create(
                      at, op->getLoc(), kronecker.input, valid, Value(),
                      extents(kronecker.kernel), extents(kronecker.strides),
                      extents(kronecker.padding), extents(kronecker.dilations),
                      groups, size);
  Value outputs = kronecker.gradient;
  if (rescaling)
    outputs = nn::ScaleGradientGradOp::create(
        at, op->getLoc(), outputs, rescaling.getTo(), rescaling.getFrom());
  auto g = thor::FactorGOp::create(at, op->getLoc(), outputs, valid, Value(),
                                   hasWindows ? at.getUnitAttr() : UnitAttr(),
                                   groups, size);
  std::string name = layer.parameter.getSymName().str();
  layer.a = cast<RankedTensorType>(a.getType());
  layer.g = g.getType();
  layer.factorA = (name + thor::kFactorA).str();
  layer.factorG = (name + thor::kFactorG).str();
  layer.inverseA = (name + thor::kInverseA).str();
  layer.inverseG = (name + thor::kInverseG).str();
  layer.ready = (name + thor::kReady).str();
  layer.averageA = (name + thor::kAverageA).str();
  layer.averageG = (name + thor::kAverageG).str();
  layer.averaged = (name + thor::kAveraged).str();
  layer.trace = (name + thor::kTrace).str();
  layer.settled = (name + thor::kSettled).str();
  auto weight = cast<RankedTensorType>(layer.parameter.getType());
  layer.sizeOfG = weight.getDimSize(0);
  layer.sizeOfA =
      weight.getNumElements() / weight.getDimSize(0) * kronecker.groups;
  if (kronecker.isLookup) // the rows of a table are inputs
    std::swap(layer.sizeOfA, layer.sizeOfG);
  layer.refreshFlops = g.getFlops() + rt::countInverseFlops(layer.a) +
                       rt::countInverseFlops(layer.g);
  layer.due.push_back(g.getDueMutable());
  if (auto factor = a.getDefiningOp<thor::FactorAOp>()) {
    layer.refreshFlops += factor.getFlops();
    layer.due.push_back(factor.getDueMutable());
  }
  for (auto [accumulator, value] :
       {std::pair(StringRef(layer.factorA), a), {layer.factorG, g.getResult()}})
    rt::addResult(micro, value,
                  rt::BindingAttr::get(op->getContext(),
                                       BindingKind::Accumulator, accumulator));
}

/// Accumulators and states of a layer, after its parameter.
static void declare(FactorLayer &layer, bool averages, bool compares) {
  OpBuilder at(layer.parameter);
  at.setInsertionPointAfter(layer.parameter);
  Location where = layer.parameter.getLoc();
  for (auto [name, type] :
       {std::pair(StringRef(layer.factorA), layer.a), {layer.factorG, layer.g}})
    train::AccumulatorOp::create(at, where, at.getStringAttr(name),
                                 FlatSymbolRefAttr(), TypeAttr::get(type));
  declareState(at, where, layer.inverseA, layer.a);
  declareState(at, where, layer.inverseG, layer.g);
  declareState(at, where, layer.ready, getFlagType(at.getContext()));
  if (averages) {
    declareState(at, where, layer.averageA, layer.a);
    declareState(at, where, layer.averageG, layer.g);
    declareState(at, where, layer.averaged,
                 RankedTensorType::get({}, at.getI64Type()));
  }
  if (compares) {
    declareState(at, where, layer.trace,
                 RankedTensorType::get({}, at.getF32Type()));
    declareState(at, where, layer.settled, getFlagType(at.getContext()));
  }
}

FactorLayers boost::buildFactors(train::ProgramOp program, func::FuncOp micro,
                                 int64_t blockSize, bool averages,
                                 bool compares) {
  FactorLayers layers;
  Value valid =
      takeArgument(micro, getFlagType(micro.getContext()), BindingKind::Valid);
  auto returned = llvm::to_vector(micro.front().getTerminator()->getOperands());
  for (auto [i, value] : llvm::enumerate(returned)) {
    rt::BindingAttr binding = rt::getResultBinding(micro, i);
    if (binding.getKind() != BindingKind::Gradient)
      continue;
    auto rescaling = value.getDefiningOp<nn::ScaleGradientGradOp>();
    auto op = (rescaling ? rescaling.getGradient() : value)
                  .getDefiningOp<PreconditionableOpInterface>();
    auto parameter =
        program.lookupSymbol<train::ParameterOp>(binding.getName());
    if (!op || !op.isPreconditionable() || !parameter)
      continue;
    FactorLayer layer{.parameter = parameter,
                      .kronecker = op.getKroneckerLayer()};
    if (layer.kronecker) {
      ::buildFactors(layer, op, rescaling, micro, valid, blockSize);
      declare(layer, averages, compares);
    }
    layers.try_emplace(parameter.getSymName(), std::move(layer));
  }
  return layers;
}

/// Whether `layer` has not settled, i32; only where it `isDue`, if that is
/// given.
static Value buildIsOpen(const FactorLayer &layer, func::FuncOp micro,
                         Value isDue) {
  Location loc = micro.getLoc();
  RankedTensorType flag = getFlagType(micro.getContext());
  Value settled = takeArgument(micro, flag, BindingKind::State, layer.settled);
  auto builder = OpBuilder::atBlockBegin(&micro.front());
  if (isDue)
    builder.setInsertionPointAfterValue(isDue);
  Value isOpen = arith::XOrIOp::create(builder, loc, settled,
                                       buildInteger(builder, loc, flag, 1));
  if (!isDue)
    return isOpen;
  return arith::AndIOp::create(builder, loc, isDue, isOpen);
}

void boost::chooseDue(FactorLayers &layers, func::FuncOp micro,
                      const RefreshPlan &plan, bool compares) {
  if (plan.slots == 1 && !compares)
    return;
  SmallVector<FactorLayer *> refreshed;
  SmallVector<int64_t> costs;
  for (auto &[name, layer] : layers) {
    if (!layer.kronecker)
      continue;
    refreshed.push_back(&layer);
    costs.push_back(layer.refreshFlops);
  }
  SlotCode slots(micro, plan.slots);
  for (auto [layer, slot] :
       llvm::zip_equal(refreshed, assignSlots(costs, plan.slots))) {
    layer->slot = slot;
    Value isDue = slots.areSeveral() ? slots.getDue(slot) : Value();
    if (compares)
      isDue = buildIsOpen(*layer, micro, isDue);
    for (MutableOperandRange &due : layer->due)
      due.assign(isDue);
  }
}

int64_t boost::countWithFactors(const FactorLayers &layers) {
  return llvm::count_if(
      layers, [](const auto &layer) { return layer.second.kronecker; });
}
