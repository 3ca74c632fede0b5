#include "dialects/train/TrainDialect.h"

using namespace mlir;
using namespace boostc::train;

LogicalResult StateOp::verifySymbolUses(SymbolTableCollection &symbols) {
  auto parameter =
      symbols.lookupNearestSymbolFrom<ParameterOp>(*this, getParameterAttr());
  if (!parameter)
    return emitOpError("parameter '")
           << getParameter() << "' is not declared here";
  if (parameter.getType() != getType()) {
    InFlightDiagnostic diagnostic =
        emitOpError("expected the parameter's type ")
        << parameter.getType() << ", found " << getType();
    diagnostic.attachNote(parameter.getLoc()) << "the parameter is here";
    return diagnostic;
  }
  return success();
}
