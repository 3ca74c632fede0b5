#include "dialects/interfaces/Precision.h"
#include "mlir/IR/TypeUtilities.h"
#include <cmath>

using namespace mlir;
using namespace boostc;

bool boostc::isLowPrecision(Type type) {
  Type element = getElementTypeOrSelf(type);
  return element.isBF16() || element.isF16();
}

RankedTensorType boostc::withElements(Type type, Type element) {
  return cast<RankedTensorType>(type).clone(element);
}

Type boostc::widen(Type type) {
  if (!isLowPrecision(type))
    return type;
  Type f32 = Float32Type::get(type.getContext());
  if (auto shaped = dyn_cast<ShapedType>(type))
    return shaped.clone(f32);
  return f32;
}

Roundoff boostc::getRoundoff(FloatType type) {
  const llvm::fltSemantics &format = type.getFloatSemantics();
  int precision = static_cast<int>(llvm::APFloat::semanticsPrecision(format));
  int smallest = llvm::APFloat::semanticsMinExponent(format);
  return {std::ldexp(1.0, -precision), std::ldexp(1.0, smallest - precision)};
}

double boostc::roundTo(FloatType type, double x) {
  if (x == 0.0 || !std::isfinite(x))
    return x;
  const llvm::fltSemantics &format = type.getFloatSemantics();
  int precision = static_cast<int>(llvm::APFloat::semanticsPrecision(format));
  int smallest = llvm::APFloat::semanticsMinExponent(format);
  int largest = llvm::APFloat::semanticsMaxExponent(format);
  int exponent = std::ilogb(x);
  // The exponent of the last bit that is kept.
  int last = std::max(exponent, smallest) - precision + 1;
  double rounded = std::ldexp(std::nearbyint(std::ldexp(x, -last)), last);
  return std::ilogb(rounded) > largest ? std::copysign(INFINITY, x) : rounded;
}
