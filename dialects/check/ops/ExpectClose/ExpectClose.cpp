#include "dialects/check/CheckDialect.h"
#include <cmath>

using namespace mlir;
using namespace boostc;
using namespace boostc::check;

LogicalResult ExpectCloseOp::evaluate(ReferenceContext &,
                                      ArrayRef<ReferenceValue> operands,
                                      SmallVectorImpl<ReferenceValue> &) {
  double atol = getAtol().convertToDouble(), rtol = getRtol().convertToDouble();
  for (int64_t i = 0; i < operands[0].size(); ++i) {
    double actual = operands[0].data[i], expected = operands[1].data[i];
    double bound = atol + rtol * std::abs(expected);
    if (!(std::abs(actual - expected) <= bound))
      return emitOpError("element ") << i << " is " << actual << ", expected "
                                     << expected << " within " << bound;
  }
  return success();
}
