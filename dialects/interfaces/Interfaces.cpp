#include "dialects/interfaces/Interfaces.h"

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

#include "dialects/interfaces/BatchReducingOpInterface.cpp.inc"
#include "dialects/interfaces/CostOpInterface.cpp.inc"
#include "dialects/interfaces/DifferentiableOpInterface.cpp.inc"
#include "dialects/interfaces/LayerOpInterface.cpp.inc"
#include "dialects/interfaces/LibraryCallOpInterface.cpp.inc"
#include "dialects/interfaces/LowerToLinalgOpInterface.cpp.inc"
#include "dialects/interfaces/ReferenceOpInterface.cpp.inc"
#include "dialects/interfaces/ScalarUpdateOpInterface.cpp.inc"
