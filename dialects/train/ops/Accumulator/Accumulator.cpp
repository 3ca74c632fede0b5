#include "dialects/train/TrainDialect.h"

using namespace mlir;
using namespace boostc;
using namespace boostc::train;

LogicalResult AccumulatorOp::verifySymbolUses(SymbolTableCollection &symbols) {
  if (getParameter() &&
      !symbols.lookupNearestSymbolFrom<ParameterOp>(*this, getParameterAttr()))
    return emitOpError("parameter '")
           << *getParameter() << "' is not declared here";
  return success();
}
