#include "dialects/interfaces/Interfaces.h"
#include "dialects/interfaces/ScalarRule.h"

using namespace mlir;

int64_t boostc::countElements(TypeRange types) {
  int64_t elements = 0;
  for (Type type : types) {
    auto shaped = dyn_cast<ShapedType>(type);
    elements += shaped ? shaped.getNumElements() : 1;
  }
  return elements;
}

int64_t boostc::countBytes(TypeRange types) {
  int64_t bytes = 0;
  for (Type type : types)
    bytes += countElements(type) *
             ((getElementTypeOrSelf(type).getIntOrFloatBitWidth() + 7) / 8);
  return bytes;
}

LogicalResult boostc::verifyCollective(Operation *op) {
  auto collective = cast<CollectiveOpInterface>(op);
  OperandRange exchanged = collective.getOperands();
  if (exchanged.empty())
    return op->emitOpError("expected something to exchange, found nothing");
  if (collective.getParameters().size() > exchanged.size())
    return op->emitOpError("serves ")
           << collective.getParameters().size() << " parameters with "
           << exchanged.size() << " values; each serves one at most";
  bool onTensors = isa<TensorType>(exchanged.front().getType());
  for (Type type : exchanged.getTypes()) {
    if (isa<TensorType>(type) != onTensors)
      return op->emitOpError("expected operands all tensors or all memrefs");
    if (!cast<ShapedType>(type).hasStaticShape())
      return op->emitOpError("expected static shapes, found ") << type;
  }
  SmallVector<Type> expected;
  if (onTensors)
    llvm::append_range(expected, exchanged.getTypes());
  if (op->getResultTypes() != TypeRange(expected))
    return op->emitOpError("expected results (")
           << expected << "), found (" << op->getResultTypes() << ")";
  return success();
}

StringRef boostc::CollectiveOpInterface::getParameter(unsigned index) {
  ArrayAttr serves = getParameters();
  return index < serves.size()
             ? cast<FlatSymbolRefAttr>(serves[index]).getValue()
             : StringRef();
}

// Others are based on it.
#include "dialects/interfaces/LibraryOpInterface.cpp.inc"

#include "dialects/interfaces/BatchReducingOpInterface.cpp.inc"
#include "dialects/interfaces/CollectiveOpInterface.cpp.inc"
#include "dialects/interfaces/ContractionOpInterface.cpp.inc"
#include "dialects/interfaces/CostOpInterface.cpp.inc"
#include "dialects/interfaces/DifferentiableOpInterface.cpp.inc"
#include "dialects/interfaces/ErrorBoundOpInterface.cpp.inc"
#include "dialects/interfaces/LayerKindOpInterface.cpp.inc"
#include "dialects/interfaces/LayerOpInterface.cpp.inc"
#include "dialects/interfaces/LibraryCallOpInterface.cpp.inc"
#include "dialects/interfaces/LowerToLinalgOpInterface.cpp.inc"
#include "dialects/interfaces/PrecisionOpInterface.cpp.inc"
#include "dialects/interfaces/PreconditionableOpInterface.cpp.inc"
#include "dialects/interfaces/ReferenceOpInterface.cpp.inc"
#include "dialects/interfaces/ScalarFunctionOpInterface.cpp.inc"
#include "dialects/interfaces/ScalarUpdateOpInterface.cpp.inc"
