#include "dialects/train/TrainDialect.h"
#include <cmath>

using namespace mlir;
using namespace boostc;
using namespace boostc::train;

rt::InitializerAttr StateOp::getInitializerOrZeros() {
  if (rt::InitializerAttr given = getInitializerAttr())
    return given;
  return rt::InitializerAttr::get(getContext(), rt::InitializerKind::Constant,
                                  0.0, 0.0);
}

LogicalResult StateOp::verify() {
  if (cast<RankedTensorType>(getType()).getElementType().isF32())
    return success();
  rt::InitializerAttr initializer = getInitializerOrZeros();
  double value = initializer.getA().getValueAsDouble();
  if (initializer.getKind() != rt::InitializerKind::Constant ||
      value != std::floor(value))
    return emitOpError("of integers starts as an integer constant, found ")
           << initializer;
  return success();
}

LogicalResult StateOp::verifySymbolUses(SymbolTableCollection &symbols) {
  if (!getParameter())
    return success();
  auto parameter =
      symbols.lookupNearestSymbolFrom<ParameterOp>(*this, getParameterAttr());
  if (!parameter)
    return emitOpError("parameter '")
           << *getParameter() << "' is not declared here";
  if (parameter.getType() != getType()) {
    InFlightDiagnostic diagnostic =
        emitOpError("expected the parameter's type ")
        << parameter.getType() << ", found " << getType();
    diagnostic.attachNote(parameter.getLoc()) << "the parameter is here";
    return diagnostic;
  }
  return success();
}
