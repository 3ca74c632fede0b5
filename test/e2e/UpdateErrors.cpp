#include "test/e2e/UpdateErrors.h"
#include "test/e2e/ErrorAnalysis.h"

using namespace mlir;
using namespace boostc;
using namespace boostc::e2e;

/// One rank: a collective leaves what it is given.
static void passOperands(ErrorAnalysis &analysis, CollectiveOpInterface op) {
  for (auto [result, operand] :
       llvm::zip_equal(op->getResults(), op->getOperands()))
    analysis.set(result, Bounded(analysis.get(operand)));
}

/// The bound of a rule's new value becomes that of the change, which is rounded
/// once more.
static void boundDelta(ErrorAnalysis &analysis, Value delta) {
  Bounded bounded = analysis.get(delta);
  for (auto [value, error] : llvm::zip_equal(bounded.value.data, bounded.error))
    error += kUnitRoundoff * (std::abs(value) + error);
  analysis.set(delta, std::move(bounded));
}

std::map<std::string, std::vector<double>>
e2e::getUpdateErrors(func::FuncOp function,
                     const ReferenceTrainer::Partial &sums,
                     const ReferenceTrainer::Values &weights,
                     const ReferenceTrainer::Values &state,
                     const std::map<std::string, double> &controls) {
  auto program = function->getParentOfType<train::ProgramOp>();
  // The ops' bounds are complete: Approximate carries terms of second order.
  ErrorAnalysis analysis(0.0);
  // Before the step's collectives a sum of means has the divisor of a sum.
  auto averaging =
      program->getAttrOfType<train::AveragingAttr>(train::kAveragingAttrName);
  bool isSumOfMeans = averaging &&
                      averaging.getMicroBatches() == train::Reduction::Sum &&
                      function.getOps<CollectiveOpInterface>().empty();
  auto number = [](double value) {
    return Bounded(ReferenceValue::scalar(value));
  };
  for (BlockArgument argument : function.getArguments()) {
    rt::BindingAttr binding =
        rt::getArgumentBinding(function, argument.getArgNumber());
    std::string name = binding.getName().str();
    switch (binding.getKind()) {
    case rt::BindingKind::Parameter:
      analysis.set(argument, Bounded(weights.at(name)));
      break;
    case rt::BindingKind::State:
      analysis.set(argument, Bounded(state.at(name)));
      break;
    case rt::BindingKind::Control:
      analysis.set(argument, number(controls.at(name)));
      break;
    case rt::BindingKind::Gradient:
      analysis.set(argument, Bounded(sums.gradients.at(name)));
      break;
    case rt::BindingKind::Accumulator:
      analysis.set(argument, Bounded(sums.accumulators.at(name)));
      break;
    case rt::BindingKind::LossSum:
      analysis.set(argument, number(sums.lossSum));
      break;
    case rt::BindingKind::LossCount:
      analysis.set(
          argument,
          number(isSumOfMeans ? 1.0 : static_cast<double>(sums.lossCount)));
      break;
    case rt::BindingKind::LossWeight:
      analysis.set(argument, number(isSumOfMeans ? 1.0 : sums.lossWeight));
      break;
    default: // the flag of the step before: none has failed
      analysis.set(argument, number(0.0));
    }
  }
  for (Operation &op : function.front().without_terminator()) {
    if (auto collective = dyn_cast<CollectiveOpInterface>(op)) {
      passOperands(analysis, collective);
      continue;
    }
    if (!analysis.visit(op))
      return {};
    if (auto rule = dyn_cast<ScalarUpdateOpInterface>(op);
        rule && rule.givesDelta())
      boundDelta(analysis, rule->getResult(0));
  }
  std::map<std::string, std::vector<double>> errors;
  for (auto [result, value] :
       llvm::enumerate(function.front().getTerminator()->getOperands())) {
    rt::BindingAttr binding = rt::getResultBinding(function, result);
    if (binding.getKind() == rt::BindingKind::Parameter ||
        binding.getKind() == rt::BindingKind::State)
      errors[binding.getName().str()] = analysis.get(value).error;
  }
  return errors;
}
