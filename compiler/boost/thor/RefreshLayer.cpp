#include "compiler/boost/thor/RefreshLayer.h"
#include "compiler/boost/EditProgram.h"
#include "compiler/boost/UpdateFunction.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace boostc;
using namespace boostc::boost;
using rt::BindingKind;

/// The scale of the loss whose gradient `gradient` was before it was unscaled;
/// null where it was not scaled. Operand 0 of what changes a gradient is the
/// gradient.
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

/// `value` where `taken`, i32, is not 0, else `kept`.
static Value replaceWhere(OpBuilder &builder, Value taken, Value value,
                          Value kept) {
  auto one = DenseElementsAttr::get(
      RankedTensorType::get({}, builder.getF32Type()), 1.0f);
  Location loc = value.getLoc();
  return train::ReplaceOp::create(builder, loc, kept.getType(), kept, value,
                                  arith::ConstantOp::create(builder, loc, one),
                                  taken);
}

void boost::leaveWhere(func::FuncOp update, StringRef state, Value taken,
                       Value changed, Value before) {
  OpBuilder end(update.front().getTerminator());
  leaveState(update, state, replaceWhere(end, taken, changed, before));
}

Value boost::countRanks(func::FuncOp update) {
  auto builder = OpBuilder::atBlockBegin(&update.front());
  Location loc = update.getLoc();
  auto count = RankedTensorType::get({}, builder.getI64Type());
  Value samples = takeArgument(update, count, BindingKind::LossCount);
  Value own = train::HasSamplesOp::create(builder, loc, count, samples);
  return train::RankSumOp::create(builder, loc, own);
}

Value boost::countSamples(OpBuilder &builder, func::FuncOp update,
                          int64_t labels) {
  auto type = RankedTensorType::get({}, builder.getI64Type());
  Value count = takeArgument(update, type, BindingKind::LossCount);
  if (labels == 1)
    return count;
  Location loc = update.getLoc();
  return arith::DivUIOp::create(builder, loc, count,
                                buildInteger(builder, loc, type, labels));
}

/// Where inverses are computed: before the commit, so that what follows it is
/// the update of steps that refresh nothing, with the same kernels; but where
/// `request` needs what the commit is needed for.
static Operation *findPosition(func::FuncOp update,
                               thor::NaturalGradientOp request) {
  train::CommitOp commit = *getCommit(update);
  Value needed[] = {findScale(request.getGradient()), request.getDamping()};
  bool isLate = llvm::any_of(needed, [&](Value value) {
    Operation *maker = value ? value.getDefiningOp() : nullptr;
    return maker && commit->isBeforeInBlock(maker);
  });
  return isLate ? request.getOperation() : commit;
}

namespace {

/// One of both factors of a layer.
struct Factor {
  Value value;          ///< sums, or their moving average
  int64_t rowsOfSample; ///< that sums are of
  int64_t size;         ///< number of its rows
  Value scale;          ///< of what sums are of, or null
  StringRef average;    ///< state of its average
  Value before = {};    ///< the average so far
};

class RefreshCode {
public:
  RefreshCode(func::FuncOp update, thor::NaturalGradientOp request,
              const FactorLayer &layer, const RefreshOptions &options)
      : update(update), request(request), layer(layer), options(options),
        at(findPosition(update, request)), loc(request.getLoc()),
        flag(RankedTensorType::get({}, at.getI32Type())),
        count(RankedTensorType::get({}, at.getI64Type())) {}

  Inverses run(SlotCode &slots, const Inverses &before) {
    Value isDue = slots.areSeveral() ? slots.isDue(layer.slot) : Value();
    if (options.above)
      isDue = both(isDue, isZero(takeState(layer.settled, flag)));
    // Nothing is inverted for no samples.
    Value samples =
        countWhere(isDue, countSamples(at, update, options.labels));
    // How often a row of a table is looked up counts for each sample.
    int64_t rowsOfA = layer.kronecker->isLookup ? 1 : layer.rows;
    Factor sides[] = {{take(layer.factorA, layer.a), rowsOfA, layer.sizeOfA,
                       Value(), layer.averageA},
                      {take(layer.factorG, layer.g), layer.rows, layer.sizeOfG,
                       findScale(request.getGradient()), layer.averageG}};
    Value averaged;
    if (options.decay) {
      averaged = takeState(layer.averaged, count);
      for (Factor &side : sides)
        average(samples, averaged, side);
    }
    auto [dampingA, dampingG] = getDamping(sides);
    Change change;
    Value isKept;
    if (options.above) {
      change = compareTraces(sides, samples, dampingA, dampingG, before.ready);
      isKept = both(isDue, change.isKept);
      isDue = both(isDue, isZero(isKept));
      samples = countWhere(isDue, samples);
    }
    thor::DampedInverseOp a = invert(sides[0], samples, dampingA);
    thor::DampedInverseOp g = invert(sides[1], samples, dampingG);
    Value failed = arith::AddIOp::create(at, loc, a.getFailed(), g.getFailed());
    Inverses found = {a.getResult(), g.getResult(),
                      extend(flag, isZero(failed))};
    if (options.ranks)
      found = averageOverRanks(found);
    if (options.decay)
      keepAverages(sides, averaged, found.ready, isKept);
    if (options.above)
      keepTrace(change, found.ready, isKept);
    if (!isDue)
      return found;
    Value due = options.above ? extend(flag, isDue) : slots.getDue(layer.slot);
    return {replaceWhere(at, due, found.a, before.a),
            replaceWhere(at, due, found.g, before.g),
            arith::SelectOp::create(at, loc, isDue, found.ready, before.ready),
            due};
  }

private:
  /// How the trace of a layer's factors differs from the one whose inverses
  /// there are.
  struct Change {
    Value trace;     ///< f32
    Value isKept;    ///< it hardly does, and there are inverses, i1
    Value isSettled; ///< it does not, i32
  };

  Value take(StringRef accumulator, Type type) {
    return takeArgument(update, type, BindingKind::Accumulator, accumulator);
  }
  Value takeState(StringRef name, Type type) {
    return takeArgument(update, type, BindingKind::State, name);
  }

  Value isZero(Value value) {
    auto type = cast<RankedTensorType>(value.getType());
    return arith::CmpIOp::create(at, loc, arith::CmpIPredicate::eq, value,
                                 buildInteger(at, loc, type, 0));
  }
  Value extend(RankedTensorType type, Value condition) {
    return arith::ExtUIOp::create(at, loc, type, condition);
  }
  /// Null stands for a condition that always holds.
  Value both(Value condition, Value other) {
    if (!condition)
      return other;
    return arith::AndIOp::create(at, loc, condition, other);
  }
  /// `samples`, none where `condition` does not hold.
  Value countWhere(Value condition, Value samples) {
    if (!condition)
      return samples;
    return arith::SelectOp::create(at, loc, condition, samples,
                                   buildInteger(at, loc, count, 0));
  }

  thor::DampedInverseOp invert(const Factor &factor, Value samples,
                               Value damping) {
    return thor::DampedInverseOp::create(
        at, loc, factor.value.getType(), flag, factor.value, samples,
        factor.scale, damping, /*flags=*/Value(),
        at.getI64IntegerAttr(factor.rowsOfSample),
        at.getI64IntegerAttr(layer.positions),
        options.decay ? at.getUnitAttr() : UnitAttr());
  }

  /// The means of the inverses of all ranks with samples, and whether each of
  /// these has some. A rank without samples has zeros.
  Inverses averageOverRanks(const Inverses &own) {
    auto buildMean = [&](Value value) -> Value {
      Value sum = train::RankSumOp::create(at, loc, value);
      return train::DivideGradientOp::create(at, loc, sum, options.ranks);
    };
    Value a = buildMean(own.a);
    Value g = buildMean(own.g);
    Value ready = train::RankSumOp::create(at, loc, extend(count, own.ready));
    Value areAll = arith::CmpIOp::create(at, loc, arith::CmpIPredicate::eq,
                                         ready, options.ranks);
    return {a, g, extend(flag, areAll)};
  }

  /// Lets `factor` be the moving average that it is added to.
  void average(Value samples, Value averaged, Factor &factor) {
    factor.before = takeState(factor.average, factor.value.getType());
    factor.value = thor::AverageFactorOp::create(
        at, loc, factor.before, factor.value, samples, factor.scale, averaged,
        at.getI64IntegerAttr(factor.rowsOfSample),
        at.getI64IntegerAttr(layer.positions), options.decay);
    factor.rowsOfSample = 1;
    factor.scale = Value();
  }

  /// Leaves the averages in their states where the step is applied and they
  /// have inverses, or have a trace that keeps those of before (`isKept`, or
  /// null): what is not finite would stay so. Those of a layer that is not due
  /// have neither.
  void keepAverages(ArrayRef<Factor> sides, Value averaged, Value ready,
                    Value isKept) {
    if (isKept)
      ready = arith::OrIOp::create(at, loc, ready, extend(flag, isKept));
    OpBuilder end(update.front().getTerminator());
    Value kept =
        arith::AndIOp::create(end, loc, getCommit(update)->getApplied(), ready);
    for (const Factor &side : sides)
      leaveWhere(update, side.average, kept, side.value, side.before);
    Value more = arith::ExtUIOp::create(end, loc, count, kept);
    leaveState(update, layer.averaged,
               arith::AddIOp::create(end, loc, averaged, more));
  }

  Change compareTraces(ArrayRef<Factor> sides, Value samples, Value dampingA,
                       Value dampingG, Value ready) {
    const Factor &a = sides[0], &g = sides[1];
    auto number = [&](int64_t value) { return at.getI64IntegerAttr(value); };
    auto op = thor::TraceChangeOp::create(
        at, loc, dampingA.getType(), flag, flag, a.value, g.value, samples,
        g.scale, dampingA, dampingG, takeState(layer.trace, dampingA.getType()),
        number(a.rowsOfSample), number(g.rowsOfSample), number(layer.positions),
        number(a.size), number(g.size), options.above,
        options.below ? options.below : at.getF64FloatAttr(0.0),
        options.decay ? at.getUnitAttr() : UnitAttr());
    Value isKept = arith::CmpIOp::create(
        at, loc, arith::CmpIPredicate::ne,
        arith::AndIOp::create(at, loc, op.getKept(), ready),
        buildInteger(at, loc, flag, 0));
    return {op.getTrace(), isKept, op.getSettled()};
  }

  /// Leaves the trace of factors that have inverses in its state, and whether
  /// the layer settled where it `isKept`.
  void keepTrace(const Change &change, Value ready, Value isKept) {
    OpBuilder end(update.front().getTerminator());
    Value applied = getCommit(update)->getApplied();
    leaveWhere(update, layer.trace,
               arith::AndIOp::create(end, loc, applied, ready), change.trace,
               takeState(layer.trace, change.trace.getType()));
    Value settles = arith::AndIOp::create(
        end, loc, applied,
        arith::AndIOp::create(at, loc, change.isSettled, extend(flag, isKept)));
    leaveState(update, layer.settled,
               arith::OrIOp::create(end, loc, takeState(layer.settled, flag),
                                    settles));
  }

  /// The damping of A and of G.
  std::pair<Value, Value> getDamping(ArrayRef<Factor> sides) {
    Value damping = request.getDamping();
    if (!options.balances)
      return {damping, damping};
    const Factor &a = sides[0], &g = sides[1];
    auto ratio = static_cast<double>(g.size * g.rowsOfSample) /
                 static_cast<double>(a.size * a.rowsOfSample);
    auto split = thor::SplitDampingOp::create(
        at, loc, damping.getType(), damping.getType(), a.value, g.value,
        g.scale, damping, at.getF64FloatAttr(ratio));
    return {split.getDampingA(), split.getDampingG()};
  }

  func::FuncOp update;
  thor::NaturalGradientOp request;
  const FactorLayer &layer;
  const RefreshOptions &options;
  OpBuilder at;
  Location loc;
  RankedTensorType flag, count;
};

} // namespace

Inverses boost::refreshInverses(func::FuncOp update,
                                thor::NaturalGradientOp request,
                                const FactorLayer &layer,
                                const RefreshOptions &options, SlotCode &slots,
                                const Inverses &before) {
  return RefreshCode(update, request, layer, options).run(slots, before);
}
