#include "dialects/interfaces/ReferenceValue.h"
#include "dialects/interfaces/Precision.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace boostc;

ReferenceValue::ReferenceValue(ArrayRef<int64_t> shape, double fill)
    : shape(shape) {
  int64_t size = 1;
  for (int64_t extent : shape)
    size *= extent;
  data.assign(size, fill);
}

ReferenceValue ReferenceValue::zeros(Type type) {
  if (auto shaped = dyn_cast<ShapedType>(type))
    return ReferenceValue(shaped.getShape());
  return ReferenceValue(ArrayRef<int64_t>{});
}

ReferenceValue ReferenceValue::scalar(double value) {
  return ReferenceValue(ArrayRef<int64_t>{}, value);
}

void boostc::roundToTypes(TypeRange types,
                          MutableArrayRef<ReferenceValue> values) {
  for (auto [type, value] : llvm::zip_equal(types, values)) {
    if (!isLowPrecision(type))
      continue;
    auto element = cast<FloatType>(getElementTypeOrSelf(type));
    for (double &number : value.data)
      number = roundTo(element, number);
  }
}
