// UpdateFunction.h - @update, as the boosts that change it see it.
#pragma once

#include "dialects/coll/CollDialect.h"
#include "dialects/train/TrainDialect.h"

namespace boostc::boost {

/// What `program` says of averaging; the mean of everything where it says
/// nothing.
train::AveragingAttr getAveraging(train::ProgramOp program);

/// Whether `value` is an argument of its function that is bound to `kind`.
bool isBoundTo(mlir::Value value, rt::BindingKind kind);

/// What the sums of gradients of `program` are divided by: the number of
/// samples, or the sum of their weights where they have some.
rt::BindingKind getDivisor(train::ProgramOp program);

/// The parameter that `rule` changes; empty where it changes something else.
llvm::StringRef getParameter(ScalarUpdateOpInterface rule);

/// What a boost changes: @micro and @update of steps of one kind.
struct PlainStep {
  mlir::func::FuncOp micro, update;
};
/// Fails where `boost` finds variants or a selector, or where one of the
/// functions is missing.
llvm::FailureOr<PlainStep> getPlainStep(train::ProgramOp program,
                                        llvm::StringRef boost);

/// The one op that says whether the step of `update` is applied; an error is
/// emitted where there is another number of them.
llvm::FailureOr<train::CommitOp> getCommit(mlir::func::FuncOp update);

/// `changed` where the step of `commit` is applied, else `before`.
mlir::Value selectApplied(mlir::OpBuilder &builder, train::CommitOp commit,
                          mlir::Value changed, mlir::Value before);

/// Erases `means`; what reads them reads what they divide.
void eraseMeans(llvm::ArrayRef<train::DivideGradientOp> means);

/// Moves the ops of `block` from `begin` on for which `isMeant` holds to
/// `begin`, in their order. Returns where they end.
mlir::Block::iterator
hoist(mlir::Block &block, mlir::Block::iterator begin,
      llvm::function_ref<bool(mlir::Operation *)> isMeant);

/// Parameters of the program by name: where they are in the model file.
mlir::Location getLocation(train::ProgramOp program,
                           llvm::ArrayRef<llvm::StringRef> parameters);

/// Where buckets of at most `most` bytes end, of values with so many bytes one
/// after the other; a larger one has a bucket of its own.
llvm::SmallVector<size_t> findBucketEnds(llvm::ArrayRef<int64_t> bytes,
                                         uint64_t most);

/// The names as an attribute of a collective.
mlir::ArrayAttr getSymbols(mlir::MLIRContext *context,
                           llvm::ArrayRef<llvm::StringRef> names);

} // namespace boostc::boost
