#include "test/e2e/UpdateErrors.h"
#include "dialects/interfaces/Approximate.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "test/e2e/ErrorAnalysis.h"

using namespace mlir;
using namespace boostc;
using namespace boostc::e2e;

std::map<std::string, std::vector<double>>
e2e::getUpdateErrors(train::ProgramOp program,
                     const ReferenceTrainer::Partial &sums,
                     const ReferenceTrainer::Values &weights,
                     const ReferenceTrainer::Values &state,
                     const std::map<std::string, double> &controls) {
  func::FuncOp function = program.getFunction(train::kUpdate);
  // The ops' bounds are complete: Approximate carries terms of second order.
  ErrorAnalysis analysis(0.0);
  std::vector<const ReferenceValue *> gradients;
  auto bindingOf = [](Attribute attribute) {
    return cast<rt::BindingAttr>(attribute);
  };
  for (BlockArgument argument : function.getArguments()) {
    auto binding = bindingOf(
        function.getArgAttr(argument.getArgNumber(), rt::kBindingAttrName));
    std::string name = binding.getName().str();
    if (binding.getKind() == rt::BindingKind::Parameter)
      analysis.set(argument, Bounded(weights.at(name)));
    else if (binding.getKind() == rt::BindingKind::State)
      analysis.set(argument, Bounded(state.at(name)));
    else if (binding.getKind() == rt::BindingKind::Control)
      analysis.set(argument,
                   Bounded(ReferenceValue::scalar(controls.at(name))));
    else if (binding.getKind() == rt::BindingKind::Gradient)
      gradients.push_back(&sums.gradients.at(name));
  }
  for (auto constant : function.getOps<arith::ConstantOp>())
    if (!analysis.visit(*constant))
      return {};
  std::map<std::string, std::vector<double>> errors;
  // A sum of means is divided by the number of ranks alone.
  auto averaging =
      program->getAttrOfType<train::AveragingAttr>(train::kAveragingAttrName);
  bool isSumOfMeans =
      averaging && averaging.getMicroBatches() == train::Reduction::Sum;
  Approximate divisor(isSumOfMeans ? 1.0 : static_cast<double>(sums.lossCount));
  for (auto op : function.getOps<train::UpdateOp>()) {
    Block &body = op.getBody().front();
    for (auto [argument, sum] :
         llvm::zip_equal(body.getArguments(), gradients)) {
      Bounded mean(*sum);
      for (auto [value, error] : llvm::zip(mean.value.data, mean.error)) {
        Approximate element = Approximate(value) / divisor;
        value = element.value;
        error = element.error;
      }
      analysis.set(argument, mean);
    }
    for (Operation &nested : body.without_terminator())
      if (!analysis.visit(nested))
        return {};
    for (auto [result, value] :
         llvm::enumerate(body.getTerminator()->getOperands())) {
      auto binding =
          bindingOf(function.getResultAttr(result, rt::kBindingAttrName));
      if (binding.getKind() != rt::BindingKind::Parameter &&
          binding.getKind() != rt::BindingKind::State)
        continue;
      errors[binding.getName().str()] = analysis.get(value).error;
    }
  }
  return errors;
}
