#include "compiler/report/Preconditioning.h"
#include "compiler/report/TextTable.h"
#include "dialects/thor/ThorDialect.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace boostc;
using namespace boostc::report;

/// The accumulator or state that the factor or inverse `value` comes from.
static StringRef getSource(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (auto inverse = dyn_cast<thor::DampedInverseOp>(op))
      value = inverse.getFactor();
    else if (auto average = dyn_cast<thor::AverageFactorOp>(op))
      value = average.getFactor();
    else if (auto mean = dyn_cast<train::DivideGradientOp>(op)) // over ranks
      value = mean.getGradient();
    else if (auto replace = dyn_cast<train::ReplaceOp>(op)) // where it is due
      value = replace.getKept();
    else if (isa<CollectiveOpInterface>(op)) // a result for each operand
      value = op->getOperand(cast<OpResult>(value).getResultNumber());
    else
      return {};
  }
  rt::BindingAttr binding = rt::getArgumentBinding(value);
  return binding ? binding.getName() : StringRef();
}

static StringRef getParameter(Value value) {
  return thor::getParameterOf(getSource(value));
}

static std::string describeBlocks(RankedTensorType type) {
  return llvm::join(
      llvm::map_range(type.getShape(),
                      [](int64_t extent) { return std::to_string(extent); }),
      "x");
}

/// Adds what the factors that `micro` returns cost.
static void
addFactors(func::FuncOp micro,
           llvm::MapVector<StringRef, PreconditionedWeight> &weights) {
  Operation *end = micro.front().getTerminator();
  for (auto [number, value] : llvm::enumerate(end->getOperands())) {
    rt::BindingAttr binding = rt::getResultBinding(micro, number);
    auto cost = value.getDefiningOp<CostOpInterface>();
    if (!binding || !cost || binding.getKind() != rt::BindingKind::Accumulator)
      continue;
    auto found = weights.find(thor::getParameterOf(binding.getName()));
    if (found != weights.end())
      found->second.microFlops += cost.getFlops();
  }
}

std::vector<PreconditionedWeight>
report::collectPreconditioned(train::ProgramOp program) {
  llvm::MapVector<StringRef, PreconditionedWeight> weights;
  auto functions = program.getBody().getOps<func::FuncOp>();
  for (func::FuncOp function : functions)
    for (auto op : function.getOps<thor::PreconditionOp>()) {
      StringRef source = getSource(op.getA());
      StringRef name = thor::getParameterOf(source);
      PreconditionedWeight &weight = weights[name];
      if (!weight.parameter.empty())
        continue; // each kind of step has one
      auto a = cast<RankedTensorType>(op.getA().getType()),
           g = cast<RankedTensorType>(op.getG().getType());
      weight.parameter = name.str();
      // A table's rows are its inputs.
      if (source.ends_with(thor::kFactorG) || source.ends_with(thor::kInverseG))
        std::swap(a, g);
      weight.a = describeBlocks(a);
      weight.g = describeBlocks(g);
      weight.inverseBytes = countBytes({a, g});
      weight.stepFlops = op.getFlops();
    }
  for (func::FuncOp function : functions)
    for (auto op : function.getOps<thor::DampedInverseOp>())
      if (auto found = weights.find(getParameter(op.getFactor()));
          found != weights.end())
        found->second.refreshFlops += op.getFlops();
  llvm::SetVector<func::FuncOp> micros;
  for (const train::StepVariant &variant : program.getVariants())
    if (variant.micro)
      micros.insert(variant.micro);
  for (func::FuncOp micro : micros)
    addFactors(micro, weights);
  std::vector<PreconditionedWeight> result;
  for (auto &[name, weight] : weights)
    result.push_back(std::move(weight));
  return result;
}

void report::printPreconditioned(ArrayRef<PreconditionedWeight> weights,
                                 llvm::raw_ostream &os) {
  if (weights.empty())
    return;
  os << "\nthor: weights with factors\n";
  TextTable table("lllrrrr");
  table.addRow({"weight", "A", "G", "bytes of inverses", "flops a step",
                "flops a micro-batch to refresh", "flops a refresh"});
  table.addRule();
  auto add = [&](const PreconditionedWeight &weight) {
    table.addRow({weight.parameter, weight.a, weight.g,
                  withSeparators(weight.inverseBytes),
                  withSeparators(weight.stepFlops),
                  withSeparators(weight.microFlops),
                  withSeparators(weight.refreshFlops)});
  };
  PreconditionedWeight all;
  all.parameter = "total";
  for (const PreconditionedWeight &weight : weights) {
    add(weight);
    all.inverseBytes += weight.inverseBytes;
    all.stepFlops += weight.stepFlops;
    all.microFlops += weight.microFlops;
    all.refreshFlops += weight.refreshFlops;
  }
  table.addRule();
  add(all);
  table.print(os);
}
