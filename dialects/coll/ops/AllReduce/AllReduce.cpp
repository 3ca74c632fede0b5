#include "dialects/coll/CollDialect.h"

using namespace mlir;
using namespace boostc;
using namespace boostc::coll;

LogicalResult AllReduceOp::inferReturnTypes(MLIRContext *,
                                            std::optional<Location>,
                                            Adaptor adaptor,
                                            SmallVectorImpl<Type> &inferred) {
  llvm::append_range(inferred, adaptor.getExchanged().getTypes());
  return success();
}

LogicalResult AllReduceOp::verifySymbolUses(SymbolTableCollection &symbols) {
  return verifyServed(*this, symbols);
}

/// Of one rank.
LogicalResult AllReduceOp::evaluate(ReferenceContext &,
                                    ArrayRef<ReferenceValue> operands,
                                    SmallVectorImpl<ReferenceValue> &results) {
  llvm::append_range(results, operands);
  return success();
}

FailureOr<SmallVector<Value>> AllReduceOp::lowerToLinalg(OpBuilder &builder) {
  auto groups = llvm::to_vector(llvm::seq<int32_t>(0, getExchanged().size()));
  return buildRtCollective(builder, *this, rt::CollectiveKind::AllReduce,
                           getRanks(), groups);
}
