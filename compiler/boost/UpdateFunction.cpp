#include "compiler/boost/UpdateFunction.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace boostc;

train::AveragingAttr boost::getAveraging(train::ProgramOp program) {
  if (auto averaging = program->getAttrOfType<train::AveragingAttr>(
          train::kAveragingAttrName))
    return averaging;
  return train::AveragingAttr::get(program.getContext(), train::Reduction::Mean,
                                   train::Reduction::Mean);
}

bool boost::isBoundTo(Value value, rt::BindingKind kind) {
  rt::BindingAttr binding = rt::getArgumentBinding(value);
  return binding && binding.getKind() == kind;
}

rt::BindingKind boost::getDivisor(train::ProgramOp program) {
  bool isWeighted =
      llvm::any_of(program.getOps<train::InputOp>(),
                   [](train::InputOp input) { return input.getWeight(); });
  return isWeighted ? rt::BindingKind::LossWeight : rt::BindingKind::LossCount;
}

void boost::addResult(func::FuncOp function, Value value,
                      rt::BindingAttr binding) {
  unsigned index = function.getNumResults();
  LogicalResult added =
      function.insertResult(index, value.getType(), DictionaryAttr());
  assert(succeeded(added) && "functions of a program take any results");
  (void)added;
  function.setResultAttr(index, rt::kBindingAttrName, binding);
  auto returnOp = cast<func::ReturnOp>(function.front().getTerminator());
  returnOp.getOperandsMutable().append(value);
}

void boost::eraseMeans(ArrayRef<train::DivideGradientOp> means) {
  for (train::DivideGradientOp mean : means) {
    mean.replaceAllUsesWith(mean.getGradient());
    mean.erase();
  }
}

Location boost::getLocation(train::ProgramOp program,
                            ArrayRef<StringRef> parameters) {
  SmallVector<Location> locations;
  for (StringRef name : parameters)
    if (Operation *parameter = program.lookupSymbol(name))
      locations.push_back(parameter->getLoc());
  return FusedLoc::get(program.getContext(), locations);
}

ArrayAttr boost::getSymbols(MLIRContext *context, ArrayRef<StringRef> names) {
  SmallVector<Attribute> symbols;
  for (StringRef name : names)
    symbols.push_back(FlatSymbolRefAttr::get(context, name));
  return ArrayAttr::get(context, symbols);
}
