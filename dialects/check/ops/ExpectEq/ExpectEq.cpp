#include "dialects/check/CheckDialect.h"

using namespace mlir;
using namespace boostc;
using namespace boostc::check;

LogicalResult ExpectEqOp::evaluate(ReferenceContext &,
                                   ArrayRef<ReferenceValue> operands,
                                   SmallVectorImpl<ReferenceValue> &) {
  for (int64_t i = 0; i < operands[0].size(); ++i)
    if (operands[0].data[i] != operands[1].data[i])
      return emitOpError("element ") << i << " is " << operands[0].data[i]
                                     << ", expected " << operands[1].data[i];
  return success();
}
