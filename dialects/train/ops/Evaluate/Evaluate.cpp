#include "dialects/train/TrainDialect.h"

using namespace mlir;
using namespace boostc;
using namespace boostc::train;

LogicalResult EvaluateOp::verifySymbolUses(SymbolTableCollection &symbols) {
  auto callee =
      symbols.lookupNearestSymbolFrom<func::FuncOp>(*this, getCalleeAttr());
  if (!callee)
    return emitOpError("'") << getCallee() << "' is not a function here";
  if (callee.getArgumentTypes() != getInputs().getTypes() ||
      callee.getResultTypes() != getOutputs().getTypes()) {
    InFlightDiagnostic diagnostic = emitOpError("expected the function's type ")
                                    << callee.getFunctionType() << ", found ("
                                    << getInputs().getTypes() << ") -> ("
                                    << getOutputs().getTypes() << ")";
    diagnostic.attachNote(callee.getLoc()) << "the function is here";
    return diagnostic;
  }
  return success();
}

LogicalResult EvaluateOp::evaluate(ReferenceContext &context,
                                   ArrayRef<ReferenceValue> operands,
                                   SmallVectorImpl<ReferenceValue> &results) {
  return context.call(
      SymbolTable::lookupNearestSymbolFrom(*this, getCalleeAttr()), operands,
      results);
}
