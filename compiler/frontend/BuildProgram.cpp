#include "compiler/frontend/BuildProgram.h"
#include "compiler/frontend/BuildForward.h"
#include "compiler/frontend/BuildUpdate.h"
#include "compiler/frontend/Recipe.h"
#include "llvm/Support/FormatVariadic.h"

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
  auto op = train::ValueAndGradOp::create(
      b, loc, types, FlatSymbolRefAttr::get(b.getContext(), train::kForward),
      micro.getArguments(),
      outputs.empty() ? DenseI64ArrayAttr() : b.getDenseI64ArrayAttr(outputs),
      b.getDenseI64ArrayAttr(wrt));
  SmallVector<Value> results(op.getGradients());
  results.append({op.getSum(), op.getCount()});
  llvm::append_range(results, op.getOutputValues());
  finishFunction(parts, micro, results);
  copyArgumentBindings(parts.forward, micro);
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
      train::kForward, train::kMicro, train::kCombine,   train::kUpdate,
      train::kEval,    train::kInit,  train::kInference, train::kSampleKey};
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

/// Micro-batches of an optimizer step.
static int64_t getMicroBatches(const Node &model) {
  const Node &boost = model.at("boost");
  return boost.at("boost").at("grad_accumulation").boolean
             ? boost.at("grad_accumulation")
                   .at("grad_accumulation_step")
                   .integer
             : 1;
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
  return setAdasum(parts);
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

static LogicalResult setAmp(ProgramParts &parts) {
  const Node &settings = parts.model.at("amp");
  std::optional<train::AmpLevel> level =
      train::symbolizeAmpLevel(settings.at("level").text);
  if (!level) // O0
    return success();
  MLIRContext *context = parts.program.getContext();
  FloatType type = BFloat16Type::get(context);
  if (settings.at("dtype").text == "f16") {
    if (*level == train::AmpLevel::O2) {
      parts.errors.error(
          settings.at("dtype").extent,
          "f16 at level O2 needs a dynamic loss scale, which this version does "
          "not have; set 'dtype' to bf16, or 'level' to O1 or O3, which scale "
          "no loss");
      return failure();
    }
    type = Float16Type::get(context);
  }
  const Node &keep = settings.at("keep_batchnorm_fp32");
  bool keepBatchNorm = keep.kind == Node::Kind::Null
                           ? *level != train::AmpLevel::O3
                           : keep.boolean;
  parts.program->setAttr(
      train::kAmpAttrName,
      train::AmpAttr::get(context, *level, type, keepBatchNorm));
  return success();
}

OwningOpRef<ModuleOp> frontend::buildProgram(MLIRContext &context,
                                             const Node &model,
                                             const ModelTable &table,
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
  parts.program = train::ProgramOp::create(
      b, loc, name, model.at("batch_size").integer, getMicroBatches(model),
      model.at("epochs").integer, model.at("seed").integer, recipeText(model),
      recipeHash(model));
  parts.program.getBody().emplaceBlock();
  setPrecision(parts);
  if (failed(setAmp(parts)))
    return {};
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
