#include "compiler/frontend/BuildProgram.h"
#include "compiler/frontend/BuildForward.h"
#include "compiler/frontend/BuildUpdate.h"
#include "compiler/frontend/LossScaleGroups.h"
#include "compiler/frontend/MicroBatches.h"
#include "compiler/frontend/Recipe.h"
#include "llvm/Support/FormatVariadic.h"
#include <cmath>

using namespace mlir;
using namespace boostc;
using namespace boostc::frontend;
using llvm::formatv;
using rt::BindingKind;

/// Gives `function` the arguments of `callee`, bound alike.
static void copyArguments(func::FuncOp callee, func::FuncOp function) {
  for (BlockArgument argument : callee.getArguments())
    addArgument(function, argument.getType(), argument.getLoc());
}

static void copyArgumentBindings(func::FuncOp callee, func::FuncOp function) {
  for (unsigned i = 0; i < callee.getNumArguments(); ++i)
    function.setArgAttr(i, rt::kBindingAttrName,
                        callee.getArgAttr(i, rt::kBindingAttrName));
}

/// The scale of the loss in `micro`: a state, a constant, or null.
static Value buildLossScale(ProgramParts &parts, func::FuncOp micro) {
  if (!parts.lossScale)
    return {};
  LossScale &scale = *parts.lossScale;
  OpBuilder &b = parts.builder;
  auto type = RankedTensorType::get({}, b.getF32Type());
  if (scale.isFixed)
    return arith::ConstantOp::create(
        b, scale.loc,
        DenseElementsAttr::get(type, static_cast<float>(scale.initial)));
  OpBuilder::InsertionGuard guard(b);
  parts.moveToDeclarations();
  auto declare = [&](StringRef name, RankedTensorType stateType,
                     rt::InitializerAttr first) {
    return train::StateOp::create(b, scale.loc, b.getStringAttr(name),
                                  b.getStringAttr(name), FlatSymbolRefAttr(),
                                  first, TypeAttr::get(stateType));
  };
  scale.scale = declare(train::kLossScale, type,
                        rt::InitializerAttr::get(b.getContext(),
                                                 rt::InitializerKind::Constant,
                                                 scale.initial, 0.0));
  scale.steps = declare(train::kLossScaleSteps,
                        RankedTensorType::get({}, b.getI64Type()), {});
  return addArgument(micro, type, scale.loc);
}

/// @micro: gradients, loss and accumulators of one micro-batch.
static func::FuncOp buildMicro(ProgramParts &parts) {
  OpBuilder &b = parts.builder;
  func::FuncOp micro = createFunction(parts, train::kMicro);
  copyArguments(parts.forward, micro);
  ArrayRef<Type> returned = parts.forward.getResultTypes();
  SmallVector<Type> types(returned.take_front(2));
  SmallVector<int64_t> outputs, wrt;
  for (size_t i =
           returned.size() - parts.accumulators.size() - parts.isWeighted;
       i < returned.size(); ++i) {
    outputs.push_back(static_cast<int64_t>(i));
    types.push_back(returned[i]);
  }
  for (unsigned i = 0; i < parts.forward.getNumArguments(); ++i)
    if (rt::getArgumentBinding(parts.forward, i).getKind() ==
        BindingKind::Parameter) {
      wrt.push_back(i);
      types.push_back(parts.forward.getArgumentTypes()[i]);
    }
  Location loc = nameLocation(b, "loss", parts.model.at("loss").extent);
  SmallVector<Value> inputs(micro.getArguments());
  Value scale = buildLossScale(parts, micro);
  auto op = train::ValueAndGradOp::create(
      b, loc, types, FlatSymbolRefAttr::get(b.getContext(), train::kForward),
      inputs, scale,
      outputs.empty() ? DenseI64ArrayAttr() : b.getDenseI64ArrayAttr(outputs),
      b.getDenseI64ArrayAttr(wrt));
  SmallVector<Value> results(op.getGradients());
  results.append({op.getSum(), op.getCount()});
  llvm::append_range(results, op.getOutputValues());
  finishFunction(parts, micro, results);
  copyArgumentBindings(parts.forward, micro);
  if (auto argument = dyn_cast_if_present<BlockArgument>(scale))
    bindArgument(micro, argument.getArgNumber(), BindingKind::State,
                 train::kLossScale);
  unsigned index = 0;
  for (train::ParameterOp parameter : parts.parameters)
    bindResult(micro, index++, BindingKind::Gradient, parameter.getSymName());
  bindResult(micro, index++, BindingKind::LossSum);
  bindResult(micro, index++, BindingKind::LossCount);
  if (parts.isWeighted)
    bindResult(micro, index++, BindingKind::LossWeight);
  for (train::AccumulatorOp accumulator : parts.accumulators)
    bindResult(micro, index++, BindingKind::Accumulator,
               accumulator.getSymName());
  return micro;
}

static void buildEval(ProgramParts &parts) {
  OpBuilder &b = parts.builder;
  func::FuncOp eval = createFunction(parts, train::kEval);
  func::FuncOp callee = parts.inference ? parts.inference : parts.forward;
  copyArguments(callee, eval);
  auto op = train::EvaluateOp::create(
      b, callee.getLoc(), callee.getResultTypes(),
      FlatSymbolRefAttr::get(b.getContext(), callee.getSymName()),
      eval.getArguments());
  SmallVector<Value> results(op.getOutputs());
  if (parts.isWeighted) {
    // A sum divided by weights is that of the loss, too.
    results[1] = results.back();
    results.pop_back();
  }
  finishFunction(parts, eval, results);
  copyArgumentBindings(callee, eval);
  for (auto [index, metric] : llvm::enumerate(parts.metrics)) {
    bindResult(eval, 2 * index, BindingKind::MetricSum, metric);
    bindResult(eval, 2 * index + 1, BindingKind::MetricCount, metric);
  }
}

/// Names of inputs share the program's symbol table with its functions and
/// schedules.
static void checkSymbols(const Node &model, const LayerSpec &optimizer,
                         ErrorList &errors) {
  SmallVector<StringRef> taken = {
      train::kForward,   train::kMicro,     train::kCombine,
      train::kUpdate,    train::kEval,      train::kInit,
      train::kInference, train::kSampleKey, train::kLossScale};
  for (const KeySpec &key : optimizer.keys)
    taken.push_back(key.name);
  for (const Member &input : model.at("input").members)
    if (llvm::is_contained(taken, input.key) ||
        StringRef(input.key).contains('.'))
      errors.error(input.keyExtent,
                   formatv("'{0}' cannot name an input: {1}", input.key,
                           StringRef(input.key).contains('.')
                               ? "names with a '.' are those of parameters"
                               : "the program uses the name itself"));
}

/// The numbers of the parameters where a group begins.
static FailureOr<SmallVector<int64_t>> getCuts(ProgramParts &parts) {
  const Node &node =
      parts.model.at("boost").at("common").at("gradient_split_groups");
  auto count = static_cast<int64_t>(parts.parameters.size());
  if (node.is(Node::Kind::Null))
    return SmallVector<int64_t>(count > 1 ? 1 : 0, count / 2);
  SmallVector<int64_t> cuts;
  int64_t last = 0;
  for (const Node &cut : node.items) {
    if (cut.integer <= last || cut.integer >= count) {
      parts.errors.error(
          cut.extent,
          formatv(
              "'gradient_split_groups': expected rising numbers from 1 to {0}, "
              "where the model's {1} parameters are split, found {2} after {3}",
              count - 1, count, cut.integer, last));
      return failure();
    }
    last = cut.integer;
    cuts.push_back(last);
  }
  return cuts;
}

/// How ranks are combined, where Adasum is on.
static LogicalResult setAdasum(ProgramParts &parts) {
  const Node &boost = parts.model.at("boost");
  if (!boost.at("boost").at("adasum").boolean)
    return success();
  const Node &adasum = boost.at("adasum");
  auto mode = train::symbolizeAdasumMode(adasum.at("mode").text);
  auto granularity = train::symbolizeGranularity(adasum.at("granularity").text);
  auto across = rt::symbolizeAdasumScope(adasum.at("across").text);
  assert(mode && granularity && across && "the table lists the choices");
  FailureOr<SmallVector<int64_t>> cuts = getCuts(parts);
  if (failed(cuts))
    return failure();
  // Which form a run takes depends on servers, which no model file knows.
  if (across != rt::AdasumScope::Ranks)
    emitRemark(adasum.at("across").extent.place())
        << (across == rt::AdasumScope::Auto
                ? "on several servers Adasum combines the servers, and the "
                  "ranks of each average; on one server it combines the ranks "
                  "(adasum.across = auto)"
                : "on several servers Adasum combines the servers, and the "
                  "ranks of each average; on one server all ranks average "
                  "(adasum.across = servers)");
  parts.program->setAttr(
      train::kAdasumAttrName,
      train::AdasumAttr::get(parts.program.getContext(), *mode, *granularity,
                             *across,
                             parts.builder.getDenseI64ArrayAttr(*cuts)));
  return success();
}

static void setFreeze(ProgramParts &parts, const Node &freeze) {
  const Node &total = freeze.at("total_steps");
  // The original makes its schedule this much longer than the run.
  auto length = static_cast<int64_t>(static_cast<double>(total.integer) * 1.01);
  parts.program->setAttr(
      train::kFreezeAttrName,
      train::FreezeAttr::get(
          parts.program.getContext(), freeze.at("param_groups").integer,
          freeze.at("freeze_type").integer == 0
              ? train::FreezeSchedule::Continuous
              : train::FreezeSchedule::Interleaved,
          parts.builder.getF64FloatAttr(freeze.at("freeze_p").number),
          total.is(Node::Kind::Null) ? 0 : length));
}

static void setSubspace(ProgramParts &parts, const Node &keys,
                        train::AveragingAttr averaging) {
  const Node &settings = parts.model.at("train");
  auto refuse = [&](StringRef key, StringRef needed) {
    const Node &node = settings.at(key);
    parts.errors.error(
        node.extent,
        formatv(
            "'{0}': expected {1} with boost 'dim_reduce', whose line search "
            "compares mean losses, found {2}",
            key, needed, node.describe()));
  };
  if (averaging.getMicroBatches() != train::Reduction::Mean)
    refuse("reduction", "\"mean\"");
  if (averaging.getRanks() != train::Reduction::Mean)
    refuse("gradients_mean", "true");
  auto number = [&](StringRef key) {
    return parts.builder.getF64FloatAttr(keys.at(key).number);
  };
  int64_t components = keys.at("n_components").integer;
  const Node &shards = keys.at("shards");
  if (components % shards.integer != 0) {
    parts.errors.error(
        shards.extent,
        formatv("'shards': expected a divisor of n_components, {0}, so that "
                "each rank keeps as many rows of the basis, found {1}",
                components, shards.integer));
    return;
  }
  parts.program->setAttr(
      train::kSubspaceAttrName,
      train::SubspaceAttr::get(parts.program.getContext(), components,
                               number("rho"), number("sigma"), number("alpha"),
                               number("gamma"), shards.integer));
}

/// What the passes of compiler/boost are to do.
static LogicalResult setBoosts(ProgramParts &parts) {
  const Node &settings = parts.model.at("train");
  auto combining = [](bool isMean) {
    return isMean ? train::Reduction::Mean : train::Reduction::Sum;
  };
  auto averaging = train::AveragingAttr::get(
      parts.program.getContext(),
      combining(settings.at("reduction").text == "mean"),
      combining(settings.at("gradients_mean").boolean));
  if (averaging.getMicroBatches() != train::Reduction::Mean ||
      averaging.getRanks() != train::Reduction::Mean)
    parts.program->setAttr(train::kAveragingAttrName, averaging);
  const Node &boost = parts.model.at("boost");
  if (boost.at("boost").at("less_bn").boolean) {
    parts.program->setAttr(train::kLessBatchNormsAttrName,
                           parts.builder.getUnitAttr());
    if (boost.at("less_bn").at("gc_flag").boolean)
      parts.program->setAttr(train::kCentralizeGradientsAttrName,
                             parts.builder.getUnitAttr());
  }
  if (boost.at("boost").at("grad_freeze").boolean)
    setFreeze(parts, boost.at("grad_freeze"));
  if (boost.at("boost").at("dim_reduce").boolean)
    setSubspace(parts, boost.at("dim_reduce"), averaging);
  return failure(failed(setLossScaleGroups(parts)) || failed(setAdasum(parts)));
}

static void setPrecision(ProgramParts &parts) {
  auto precision =
      rt::symbolizePrecision(parts.model.at("matmul_precision").text);
  assert(precision && "the table lists the choices");
  if (*precision != rt::Precision::Float32)
    parts.program->setAttr(
        rt::kMatmulPrecisionAttrName,
        rt::MatmulPrecisionAttr::get(parts.program.getContext(), *precision));
}

static void setLossScale(ProgramParts &parts) {
  const Node &node = parts.model.at("amp").at("loss_scale");
  if (node.is(Node::Kind::Null))
    return;
  LossScale scale{nameLocation(parts.builder, "loss_scale", node.extent), 0.0,
                  node.at("type").text == "fixed"};
  auto take = [&](StringRef key) {
    const Node &number = node.at(key);
    int exponent;
    if (std::frexp(number.number, &exponent) != 0.5)
      parts.errors.warning(
          number.extent,
          formatv("'{0}': {1} is not a power of two, so scaling rounds "
                  "gradients; with a power of two it changes no bit of them",
                  key, number.describe()));
    return number.number;
  };
  scale.initial = take(scale.isFixed ? "value" : "initial");
  if (!scale.isFixed) {
    scale.factor = take("factor");
    scale.window = node.at("window").integer;
  }
  parts.lossScale = scale;
}

static void setAmp(ProgramParts &parts) {
  const Node &settings = parts.model.at("amp");
  std::optional<train::AmpLevel> level =
      train::symbolizeAmpLevel(settings.at("level").text);
  setLossScale(parts);
  if (!level) // O0
    return;
  MLIRContext *context = parts.program.getContext();
  FloatType type = BFloat16Type::get(context);
  if (settings.at("dtype").text == "f16")
    type = Float16Type::get(context);
  const Node &keep = settings.at("keep_batchnorm_fp32");
  bool keepBatchNorm = keep.kind == Node::Kind::Null
                           ? *level != train::AmpLevel::O3
                           : keep.boolean;
  parts.program->setAttr(
      train::kAmpAttrName,
      train::AmpAttr::get(context, *level, type, keepBatchNorm));
}

static void setEma(ProgramParts &parts) {
  const Node &ema = parts.model.at("train").at("ema");
  if (ema.is(Node::Kind::Null))
    return;
  parts.program->setAttr(
      train::kEmaAttrName,
      train::EmaAttr::get(parts.program.getContext(),
                          parts.builder.getF64FloatAttr(ema.at("decay").number),
                          ema.at("evaluate").boolean));
}

OwningOpRef<ModuleOp> frontend::buildProgram(MLIRContext &context,
                                             const Node &model,
                                             const ModelTable &table,
                                             int64_t microBatch,
                                             ErrorList &errors) {
  const LayerEntry &optimizer = table.entry(
      LayerSpec::Kind::Optimizer, model.at("optimizer").at("type").text);
  checkSymbols(model, optimizer.spec, errors);
  if (errors.hasErrors())
    return {};
  OpBuilder b(&context);
  StringRef name = model.at("name").text;
  Location loc = nameLocation(b, name, model.extent);
  OwningOpRef<ModuleOp> module = ModuleOp::create(loc);
  b.setInsertionPointToEnd(module->getBody());
  ProgramParts parts{b, model, table, errors};
  parts.microBatch = microBatch;
  parts.program = train::ProgramOp::create(
      b, loc, name, microBatch, countMicroBatches(model, microBatch),
      model.at("epochs").integer, model.at("seed").integer, recipeText(model),
      recipeHash(model));
  parts.program.getBody().emplaceBlock();
  setPrecision(parts);
  setAmp(parts);
  setEma(parts);
  if (failed(buildForward(parts)))
    return {};
  if (parts.parameters.empty()) {
    errors.error(model.at("layers").extent,
                 "no layer has a parameter to train");
    return {};
  }
  if (failed(setBoosts(parts)))
    return {};
  func::FuncOp micro = buildMicro(parts);
  if (failed(buildUpdate(parts, micro)))
    return {};
  buildEval(parts);
  return module;
}
