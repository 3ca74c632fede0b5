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
  return verifyGroups(*this, getGroups(), getExchanged().size());
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
                           getRanks(), getGroups());
}
