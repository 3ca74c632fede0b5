#include "dialects/check/CheckDialect.h"
#include <cmath>

using namespace mlir;
using namespace boostc;
using namespace boostc::check;

LogicalResult ExpectFiniteOp::evaluate(ReferenceContext &,
                                       ArrayRef<ReferenceValue> operands,
                                       SmallVectorImpl<ReferenceValue> &) {
  for (int64_t i = 0; i < operands[0].size(); ++i)
    if (!std::isfinite(operands[0].data[i]))
      return emitOpError("element ") << i << " is " << operands[0].data[i]
                                     << ", expected a finite number";
  return success();
}
