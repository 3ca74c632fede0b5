#include "dialects/coll/CollDialect.h"

using namespace mlir;
using namespace boostc;
using namespace boostc::coll;

LogicalResult AdasumOp::inferReturnTypes(MLIRContext *, std::optional<Location>,
                                         Adaptor adaptor,
                                         SmallVectorImpl<Type> &inferred) {
  llvm::append_range(inferred, adaptor.getExchanged().getTypes());
  return success();
}

LogicalResult AdasumOp::verify() {
  ArrayRef<int32_t> groups = getGroups();
  if (groups.size() != getExchanged().size() ||
      llvm::any_of(groups, [](int32_t group) { return group < 0; }))
    return emitOpError("expected a group of 0 or more for each of ")
           << getExchanged().size() << " operands, found [" << groups << "]";
  return success();
}

LogicalResult AdasumOp::verifySymbolUses(SymbolTableCollection &symbols) {
  return verifyServed(*this, symbols);
}

/// Of one rank.
LogicalResult AdasumOp::evaluate(ReferenceContext &,
                                 ArrayRef<ReferenceValue> operands,
                                 SmallVectorImpl<ReferenceValue> &results) {
  llvm::append_range(results, operands);
  return success();
}

FailureOr<SmallVector<Value>> AdasumOp::lowerToLinalg(OpBuilder &builder) {
  return buildRtCollective(builder, *this, rt::CollectiveKind::Adasum,
                           getGroups());
}
