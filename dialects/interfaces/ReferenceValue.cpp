#include "dialects/interfaces/ReferenceValue.h"

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
