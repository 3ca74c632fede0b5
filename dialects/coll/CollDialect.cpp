#include "dialects/coll/CollDialect.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"

using namespace mlir;
using namespace boostc;

#include "dialects/coll/CollDialect.cpp.inc"
#define GET_OP_CLASSES
#include "dialects/coll/CollOps.cpp.inc"

void coll::CollDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "dialects/coll/CollOps.cpp.inc"
      >();
}

LogicalResult coll::verifyParameters(CollectiveOpInterface op,
                                     SymbolTableCollection &symbols) {
  for (auto name : op.getParameters().getAsRange<FlatSymbolRefAttr>())
    if (!symbols.lookupNearestSymbolFrom(op, name))
      return op->emitOpError("serves ") << name << ", which is nothing here";
  return success();
}

SmallVector<Value> coll::buildRtCollective(OpBuilder &builder,
                                           CollectiveOpInterface op,
                                           const rt::CollectiveForm &form) {
  auto call = rt::CollectiveOp::create(
      builder, op.getLoc(), op->getResultTypes(), form.kind, op.getIndex(),
      form.ranks, op.getParameters(), form.groups,
      static_cast<uint32_t>(form.root), op.getOperands());
  return SmallVector<Value>(call.getResults());
}
