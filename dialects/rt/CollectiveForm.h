// CollectiveForm.h - what a collective does, whichever op says it, and by
// definition what it makes of the values of several ranks.
#pragma once

#include "dialects/interfaces/ReferenceValue.h"
#include "dialects/rt/RtDialect.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace boostc::rt {

struct CollectiveForm {
  /// A form for `operands` values, each a vector of its own.
  CollectiveForm(CollectiveKind kind, RankGroup ranks, size_t operands)
      : kind(kind), ranks(ranks), groups(llvm::to_vector(llvm::seq<int32_t>(
                                      0, static_cast<int32_t>(operands)))) {}

  CollectiveKind kind;
  RankGroup ranks;
  llvm::SmallVector<int32_t> groups; ///< by operand
  /// Of a broadcast, modulo the group's ranks; else 0.
  int32_t root = 0;
};

/// What every op that says `form` keeps, of so many exchanged values.
llvm::LogicalResult verifyForm(mlir::Operation *op, const CollectiveForm &form,
                               size_t exchanged);

/// Numbers the collectives in the bodies of `functions` in their order.
void numberCollectives(llvm::ArrayRef<mlir::func::FuncOp> functions);

/// The results of every rank from the operands of all, by rank. The ranks are
/// of one server, where each is an inner group (BOOSTC_ADASUM_SCOPE_AUTO).
std::vector<RankValues> evaluateOnRanks(const CollectiveForm &form,
                                        llvm::ArrayRef<RankValues> operands);

/// Adasum as coll.adasum defines it, word by word, of one vector of each rank
/// in their order.
std::vector<double>
combineByAdasum(llvm::ArrayRef<std::vector<double>> vectors);

} // namespace boostc::rt
