#include "dialects/rt/RtDialect.h"
#include "runtime/abi/boost_abi.h"

using namespace mlir;
using namespace boostc::rt;

LogicalResult SlotOp::verify() {
  int64_t offset = static_cast<int64_t>(getOffset());
  if (offset < 0 || offset % BOOSTC_ALIGNMENT != 0)
    return emitOpError("expected an offset that is a multiple of ")
           << BOOSTC_ALIGNMENT << ", found " << offset;
  return success();
}
