// THOR: steps that refresh factors and inverses, and steps that use them; see
// Passes.td.

#include "compiler/boost/EditProgram.h"
#include "compiler/boost/Passes.h"
#include "compiler/boost/UpdateFunction.h"
#include "compiler/boost/thor/RefreshSteps.h"
#include "dialects/thor/ThorDialect.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/MapVector.h"

namespace boostc::boost {
#define GEN_PASS_DEF_PRECONDITIONGRADIENTSPASS
#include "compiler/boost/Passes.h.inc"
} // namespace boostc::boost

using namespace mlir;
using namespace boostc;
using namespace boostc::boost;
using rt::BindingKind;

namespace {

/// A weight that is preconditioned; without `kronecker` by its own squares.
struct Layer {
  train::ParameterOp parameter;
  std::optional<KroneckerLayer> kronecker;
  int64_t rows = 1;      ///< of a sample, where they are those of matrices
  int64_t positions = 1; ///< of a sample, where they are windows
  RankedTensorType a, g; ///< of its factors
  std::string factorA, factorG, inverseA, inverseG, ready;
};

class Preconditioner {
public:
  Preconditioner(train::ProgramOp program, func::FuncOp micro,
                 func::FuncOp update, thor::NaturalGradientOp first)
      : program(program), micro(micro), update(update), loc(program.getLoc()),
        b(program.getContext()),
        frequency(static_cast<int64_t>(first.getFrequency())),
        blockSize(static_cast<int64_t>(first.getBlockSize())),
        flag(RankedTensorType::get({}, b.getI32Type())),
        count(RankedTensorType::get({}, b.getI64Type())) {}

  void run() {
    SmallVector<func::FuncOp> others;
    for (const train::StepVariant &variant : program.getVariants())
      if (variant.update != update)
        others.push_back(variant.update);
    bool hasVariants = frequency > 1 || !others.empty();
    func::FuncOp microRefresh = micro, updateRefresh = update;
    if (hasVariants) {
      // Before anything is changed.
      microRefresh = copyFunction(program, micro, "micro_refresh");
      updateRefresh = copyFunction(program, update, "update_refresh");
      others.push_back(update);
    }
    buildFactors(microRefresh);
    for (auto &[name, layer] : layers)
      if (layer.kronecker)
        declare(layer);
    precondition(updateRefresh, /*refreshes=*/true);
    remark();
    for (func::FuncOp other : others)
      precondition(other, /*refreshes=*/false);
    if (!hasVariants)
      return;
    chooseRefreshSteps(program, {micro, update}, others,
                       {microRefresh, updateRefresh}, frequency);
  }

private:
  /// Lets `function`, a micro, return the factors of each layer that has some.
  void buildFactors(func::FuncOp function) {
    Value valid = takeArgument(function, flag, BindingKind::Valid);
    Operation *end = function.front().getTerminator();
    SmallVector<std::pair<StringRef, Value>> gradients;
    for (auto [i, value] : llvm::enumerate(end->getOperands())) {
      rt::BindingAttr binding = rt::getResultBinding(function, i);
      if (binding.getKind() == BindingKind::Gradient)
        gradients.emplace_back(binding.getName(), value);
    }
    for (auto [name, value] : gradients) {
      auto op = value.getDefiningOp<PreconditionableOpInterface>();
      auto parameter = program.lookupSymbol<train::ParameterOp>(name);
      if (op && parameter)
        buildFactors(function, op, parameter, valid);
    }
  }

  void buildFactors(func::FuncOp function, PreconditionableOpInterface op,
                    train::ParameterOp parameter, Value valid) {
    Layer layer{.parameter = parameter, .kronecker = op.getKroneckerLayer()};
    if (!layer.kronecker) {
      layers.try_emplace(parameter.getSymName(), std::move(layer));
      return;
    }
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
                        at, op->getLoc(), kronecker.input, valid,
                        extents(kronecker.kernel), extents(kronecker.strides),
                        extents(kronecker.padding),
                        extents(kronecker.dilations), groups, size);
    auto g = thor::FactorGOp::create(
        at, op->getLoc(), kronecker.gradient, valid,
        hasWindows ? at.getUnitAttr() : UnitAttr(), groups, size);
    std::string name = parameter.getSymName().str();
    layer.a = cast<RankedTensorType>(a.getType());
    layer.g = g.getType();
    layer.factorA = (name + thor::kFactorA).str();
    layer.factorG = (name + thor::kFactorG).str();
    layer.inverseA = (name + thor::kInverseA).str();
    layer.inverseG = (name + thor::kInverseG).str();
    layer.ready = (name + thor::kReady).str();
    for (auto [accumulator, value] : {std::pair(StringRef(layer.factorA), a),
                                      {layer.factorG, g.getResult()}})
      rt::addResult(function, value,
                    rt::BindingAttr::get(
                        b.getContext(), BindingKind::Accumulator, accumulator));
    layers.try_emplace(parameter.getSymName(), std::move(layer));
  }

  /// Accumulators and states of a layer, after its parameter.
  void declare(Layer &layer) {
    OpBuilder at(layer.parameter);
    at.setInsertionPointAfter(layer.parameter);
    Location where = layer.parameter.getLoc();
    for (auto [name, type] : {std::pair(StringRef(layer.factorA), layer.a),
                              {layer.factorG, layer.g}})
      train::AccumulatorOp::create(at, where, at.getStringAttr(name),
                                   FlatSymbolRefAttr(), TypeAttr::get(type));
    declareState(at, where, layer.inverseA, layer.a);
    declareState(at, where, layer.inverseG, layer.g);
    declareState(at, where, layer.ready, flag);
  }

  void precondition(func::FuncOp function, bool refreshes) {
    SmallVector<Value> ready;
    for (auto request : llvm::make_early_inc_range(
             function.getOps<thor::NaturalGradientOp>())) {
      auto found = layers.find(request.getParameter());
      Value result = request.getGradient();
      Layer *layer = found == layers.end() ? nullptr : &found->second;
      if (layer && layer->kronecker) {
        result = precondition(function, request, *layer, refreshes, ready);
      } else if (layer) {
        OpBuilder at(request);
        result = thor::PreconditionDiagonalOp::create(
            at, request.getLoc(), request.getGradient(),
            takeArgument(function, count, BindingKind::LossCount),
            request.getDamping());
      }
      if (refreshes && !layer)
        remarkPlain(request);
      request.replaceAllUsesWith(result);
      request.erase();
    }
    countPlain(function, ready);
  }

  /// Lets `function` return how many of its layers with factors take their
  /// plain gradient.
  void countPlain(func::FuncOp function, ArrayRef<Value> ready) {
    OpBuilder at(function.front().getTerminator());
    Value plain =
        buildInteger(at, loc, flag, static_cast<int64_t>(ready.size()));
    for (Value isReady : ready)
      plain = arith::SubIOp::create(at, loc, plain, isReady);
    rt::addResult(function, plain,
                  rt::BindingAttr::get(b.getContext(), BindingKind::StepNumber,
                                       "thor_plain_layers"));
  }

  /// Adds to `isReady` whether it is preconditioned, 0 or 1.
  Value precondition(func::FuncOp function, thor::NaturalGradientOp request,
                     Layer &layer, bool refreshes,
                     SmallVectorImpl<Value> &isReady) {
    OpBuilder at(request);
    Location where = request.getLoc();
    auto take = [&](StringRef name, Type type) {
      return takeArgument(function, type, BindingKind::State, name);
    };
    Value a = take(layer.inverseA, layer.a), g = take(layer.inverseG, layer.g);
    Value ready = take(layer.ready, flag);
    if (refreshes) {
      Value scale = findScale(request.getGradient());
      Value samples = takeArgument(function, count, BindingKind::LossCount);
      auto invert = [&](StringRef factor, RankedTensorType type, Value scaled,
                        int64_t rows) {
        return thor::DampedInverseOp::create(
            at, where, type, flag,
            takeArgument(function, type, BindingKind::Accumulator, factor),
            samples, scaled, request.getDamping(), at.getI64IntegerAttr(rows),
            at.getI64IntegerAttr(layer.positions));
      };
      // How often a row of a table is looked up counts for each sample.
      auto newA = invert(layer.factorA, layer.a, Value(),
                         layer.kronecker->isLookup ? 1 : layer.rows);
      auto newG = invert(layer.factorG, layer.g, scale, layer.rows);
      Value failed =
          arith::AddIOp::create(at, where, newA.getFailed(), newG.getFailed());
      Value succeeded =
          arith::CmpIOp::create(at, where, arith::CmpIPredicate::eq, failed,
                                buildInteger(at, where, flag, 0));
      Value newReady = arith::ExtUIOp::create(at, where, flag, succeeded);
      keep(function, layer.inverseA, a, newA.getResult());
      keep(function, layer.inverseG, g, newG.getResult());
      OpBuilder end(function.front().getTerminator());
      leaveState(function, layer.ready,
                 selectApplied(end, *getCommit(function), newReady, ready));
      a = newA.getResult();
      g = newG.getResult();
      ready = newReady;
    }
    isReady.push_back(ready);
    // The rows of a table are inputs.
    if (layer.kronecker->isLookup)
      std::swap(a, g);
    return thor::PreconditionOp::create(
        at, where, request.getGradient(), a, g, ready,
        static_cast<uint64_t>(layer.kronecker->groups),
        static_cast<uint64_t>(layer.positions));
  }

  /// The scale of the loss whose gradient `gradient` was before it was
  /// unscaled; null where it was not scaled. Operand 0 of what changes a
  /// gradient is the gradient.
  static Value findScale(Value gradient) {
    while (Operation *op = gradient.getDefiningOp()) {
      if (auto unscale = dyn_cast<train::UnscaleGradientOp>(op))
        return unscale.getScale();
      if (op->getNumOperands() == 0)
        break;
      gradient = op->getOperand(0);
    }
    return Value();
  }

  /// Leaves an inverse in its state where the step is applied.
  void keep(func::FuncOp function, StringRef state, Value before,
            Value changed) {
    OpBuilder at(function.front().getTerminator());
    Value one = arith::ConstantOp::create(
        at, loc,
        DenseElementsAttr::get(RankedTensorType::get({}, at.getF32Type()),
                               1.0f));
    leaveState(function, state,
               train::ReplaceOp::create(at, loc, before.getType(), before,
                                        changed, one,
                                        getCommit(function)->getApplied()));
  }

  /// Says how many weights are preconditioned, and which are not.
  void remark() {
    int64_t kronecker = 0, diagonals = 0, bytes = 0;
    for (auto &[name, layer] : layers) {
      (layer.kronecker ? kronecker : diagonals) += 1;
      bytes += layer.kronecker ? countBytes({layer.a, layer.g}) : 0;
    }
    auto diagnostic = emitRemark(loc)
                      << "thor: " << kronecker
                      << (kronecker == 1 ? " weight has" : " weights have")
                      << " factors";
    if (diagonals != 0)
      diagnostic << ", " << diagonals << " a diagonal";
    diagnostic << "; inverses of " << bytes
               << " bytes; --explain lists what they cost";
  }
  void remarkPlain(thor::NaturalGradientOp request) {
    auto parameter =
        program.lookupSymbol<train::ParameterOp>(request.getParameter());
    if (!parameter || (parameter.getRole() != train::Role::NormScale &&
                       parameter.getRole() != train::Role::NormShift))
      emitRemark(request.getLoc())
          << "thor: '" << request.getParameter()
          << "' keeps its gradient: the op that computes it says of no factors";
  }

  train::ProgramOp program;
  func::FuncOp micro, update;
  Location loc;
  Builder b;
  int64_t frequency, blockSize;
  RankedTensorType flag, count;
  llvm::MapVector<StringRef, Layer> layers; ///< by parameter
};

struct PreconditionGradients
    : boost::impl::PreconditionGradientsPassBase<PreconditionGradients> {
  void runOnOperation() override {
    train::ProgramOp program = getOperation();
    func::FuncOp update = program.getFunction(train::kUpdate);
    if (!update)
      return;
    auto requests = llvm::to_vector(update.getOps<thor::NaturalGradientOp>());
    if (requests.empty())
      return;
    for (thor::NaturalGradientOp request : requests)
      if (request.getFrequency() != requests.front().getFrequency() ||
          request.getBlockSize() != requests.front().getBlockSize()) {
        request.emitOpError("expected the frequency and the block size of the "
                            "first one, ")
            << requests.front().getFrequency() << " and "
            << requests.front().getBlockSize() << ", found "
            << request.getFrequency() << " and " << request.getBlockSize();
        return signalPassFailure();
      }
    train::StepVariant full = program.getVariants().back();
    if (full.update != update || !full.micro || !full.probes.empty()) {
      update.emitOpError("expected the update of steps that train everything, "
                         "with gradients of their own, for thor");
      return signalPassFailure();
    }
    if (failed(getCommit(update)))
      return signalPassFailure();
    Preconditioner(program, full.micro, update, requests.front()).run();
  }
};

} // namespace
