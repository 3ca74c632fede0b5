#include "dialects/train/TrainDialect.h"

using namespace mlir;
using namespace boostc;
using namespace boostc::train;
using rt::BindingKind;

LogicalResult SelectorOp::verify() {
  if (getVariants().empty())
    return emitOpError("expected one variant or more, found none");
  int64_t lag = static_cast<int64_t>(getLag());
  if (lag != 1 && lag != 2)
    return emitOpError("expected a lag of 1 or 2, found ") << lag;
  return success();
}

LogicalResult SelectorOp::verifySymbolUses(SymbolTableCollection &symbols) {
  if (!symbols.lookupNearestSymbolFrom<func::FuncOp>(*this, getFunctionAttr()))
    return emitOpError("function ")
           << getFunctionAttr() << " is not defined here";
  for (auto variant : getVariants().getAsRange<FlatSymbolRefAttr>())
    if (!symbols.lookupNearestSymbolFrom<VariantOp>(*this, variant))
      return emitOpError("variant ") << variant << " is not defined here";
  return success();
}

StringRef SelectorOp::getVariantName(int64_t index) {
  return cast<FlatSymbolRefAttr>(getVariants()[index]).getValue();
}

bool SelectorOp::names(VariantOp variant) {
  return llvm::is_contained(getVariants(),
                            FlatSymbolRefAttr::get(variant.getSymNameAttr()));
}

LogicalResult SelectorOp::verifyBindings() {
  auto program = cast<ProgramOp>((*this)->getParentOp());
  func::FuncOp function = program.getFunction(getFunction());
  Builder builder(getContext());
  auto scalar = [&](unsigned bits) {
    return RankedTensorType::get({}, builder.getIntegerType(bits));
  };
  int64_t steps = 0, lengths = 0;
  for (auto [i, type] : llvm::enumerate(function.getArgumentTypes())) {
    rt::BindingAttr binding = rt::getArgumentBinding(function, i);
    bool isNumber = binding && type == scalar(64);
    if (isNumber && binding.getKind() == BindingKind::Step) {
      ++steps;
      continue;
    }
    if (isNumber && binding.getKind() == BindingKind::RunLength) {
      ++lengths;
      continue;
    }
    auto state = binding && binding.getKind() == BindingKind::State
                     ? program.lookupSymbol<StateOp>(binding.getName())
                     : StateOp();
    if (!state || state.getParameter())
      return function.emitOpError("chooses variants and expected to take the "
                                  "step, the run's length and states without "
                                  "a parameter, found argument ")
             << i << " of " << type << " bound to " << Attribute(binding);
  }
  if (steps != 1 || lengths != 1)
    return function.emitOpError("chooses variants and expected to take the "
                                "step and the run's length once each, found ")
           << steps << " and " << lengths << " arguments";
  auto choice = rt::BindingAttr::get(getContext(), BindingKind::Choice);
  if (function.getNumResults() != 1 ||
      function.getResultTypes().front() != scalar(32) ||
      rt::getResultBinding(function, 0) != choice)
    return function.emitOpError("chooses variants and expected to return ")
           << scalar(32) << " bound to " << choice << " alone";
  return success();
}
