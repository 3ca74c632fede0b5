#include "compiler/reference/Constants.h"
#include "compiler/reference/Integers.h"

using namespace mlir;
using namespace boostc;

/// Exact: f64 holds every f16, bf16 and f32.
static double toDouble(APFloat value) {
  bool losesInfo = false;
  value.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven,
                &losesInfo);
  return value.convertToDouble();
}

static double toDouble(const APInt &value) {
  return IntegerFormat{value.getBitWidth()}.toValue(value.getSExtValue());
}

template <typename T>
static ReferenceValue getElements(DenseElementsAttr attribute) {
  ReferenceValue value = ReferenceValue::zeros(attribute.getType());
  if (attribute.isSplat()) {
    std::fill(value.data.begin(), value.data.end(),
              toDouble(attribute.getSplatValue<T>()));
    return value;
  }
  llvm::transform(attribute.getValues<T>(), value.data.begin(),
                  [](const T &element) { return toDouble(element); });
  return value;
}

FailureOr<ReferenceValue> boostc::getConstant(TypedAttr attribute) {
  if (auto number = dyn_cast<FloatAttr>(attribute))
    return ReferenceValue::scalar(toDouble(number.getValue()));
  if (auto number = dyn_cast<IntegerAttr>(attribute))
    return ReferenceValue::scalar(toDouble(number.getValue()));
  auto elements = dyn_cast<DenseElementsAttr>(attribute);
  if (!elements || !elements.getElementType().isIntOrIndexOrFloat())
    return failure();
  if (isa<FloatType>(elements.getElementType()))
    return getElements<APFloat>(elements);
  return getElements<APInt>(elements);
}
