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
  if (getEvaluated() && !(getAveraged() && isSavedWithWeights()))
    return emitOpError("that is evaluated is expected to average something and "
                       "to be saved with the weights");
  if (isInBasis() && !getParameter())
    return emitOpError("in a basis is expected to belong to a parameter");
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

/// Fails where `state` has another type than `declared`, which is `what`.
static LogicalResult verifyType(StateOp state, Operation *declared, Type type,
                                StringRef what) {
  if (type == state.getType())
    return success();
  InFlightDiagnostic diagnostic = state.emitOpError("expected the ")
                                  << what << "'s type " << type << ", found "
                                  << state.getType();
  diagnostic.attachNote(declared->getLoc()) << "the " << what << " is here";
  return diagnostic;
}

LogicalResult StateOp::verifySymbolUses(SymbolTableCollection &symbols) {
  if (getParameter()) {
    auto parameter =
        symbols.lookupNearestSymbolFrom<ParameterOp>(*this, getParameterAttr());
    if (!parameter)
      return emitOpError("parameter '")
             << *getParameter() << "' is not declared here";
    auto whole = cast<RankedTensorType>(parameter.getType());
    auto own = cast<RankedTensorType>(getType());
    if (isInBasis()) {
      if (own.getRank() == 0 ||
          own.getShape().drop_front() != whole.getShape() ||
          own.getElementType() != whole.getElementType())
        return emitOpError("expected a dimension before those of the "
                           "parameter's type ")
               << whole << ", found " << own;
    } else if (failed(verifyType(*this, parameter, whole, "parameter"))) {
      return failure();
    }
  }
  if (!getAveraged())
    return success();
  Operation *weight = symbols.lookupNearestSymbolFrom(*this, getAveragedAttr());
  if (auto parameter = dyn_cast_if_present<ParameterOp>(weight))
    return verifyType(*this, weight, parameter.getType(), "parameter");
  auto state = dyn_cast_if_present<StateOp>(weight);
  if (!state || !state.isSavedWithWeights() || state.getAveraged())
    return emitOpError("averages '")
           << *getAveraged()
           << "', expected a parameter or a state that is saved with the "
              "weights and averages nothing";
  return verifyType(*this, weight, state.getType(), "state");
}
