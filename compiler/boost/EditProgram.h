// EditProgram.h - how boosts change a program: what they take out of it, for
// parameters that some steps, or all, leave alone, and what they add to it.
#pragma once

#include "dialects/train/TrainDialect.h"

namespace boostc::boost {

using BindingFilter = llvm::function_ref<bool(rt::BindingAttr)>;

/// Erases the results of `function` whose binding `isMeant`, and every op whose
/// results nothing uses any more.
void eraseResults(mlir::func::FuncOp function, BindingFilter isMeant);

/// Erases the arguments of `function` whose binding `isMeant`. `train.commit`,
/// `train.not_finite` and norms over gradients go on without what is computed
/// of them; any other use is an error.
llvm::LogicalResult eraseArguments(mlir::func::FuncOp function,
                                   BindingFilter isMeant);

/// Erases results `results` of `callee`, with what computes them, and its
/// arguments `arguments`, which nothing uses, here and in the ops of `program`
/// that call it. What these ops returned for an erased result, and gradients of
/// erased arguments, must have no use; else an error is emitted.
llvm::LogicalResult shrinkCallee(train::ProgramOp program,
                                 mlir::func::FuncOp callee,
                                 const llvm::BitVector &results,
                                 const llvm::BitVector &arguments);

/// The argument of `function` that is bound so, a new one where there is none.
mlir::Value takeArgument(mlir::func::FuncOp function, mlir::Type type,
                         rt::BindingKind kind, llvm::StringRef name = {});

/// Lets `function` return `value` as what is to be in a state, in the memory of
/// the argument that is bound to it, new where there is none.
void leaveState(mlir::func::FuncOp function, llvm::StringRef state,
                mlir::Value value);

/// A function after those of `program`, without arguments, results and ops but
/// its end.
mlir::func::FuncOp createFunction(train::ProgramOp program,
                                  llvm::StringRef name);

/// A copy of `function` with another name, after those of `program`.
mlir::func::FuncOp copyFunction(train::ProgramOp program,
                                mlir::func::FuncOp function,
                                llvm::StringRef name);

/// Declares a state. Its slot is the last part of its name.
void declareState(mlir::OpBuilder &builder, mlir::Location loc,
                  llvm::StringRef name, mlir::Type type,
                  rt::InitializerAttr initial = {},
                  mlir::FlatSymbolRefAttr parameter = {},
                  train::Saved saved = train::Saved::WithState);

/// Adds a variant of steps of one phase; without `steps` it is of those that
/// are left, or chosen.
train::VariantOp addVariant(mlir::OpBuilder &builder, mlir::Location loc,
                            llvm::StringRef name, mlir::func::FuncOp micro,
                            mlir::func::FuncOp update,
                            llvm::ArrayRef<mlir::Attribute> steps = {});

/// Lets `program` choose among `variants`, names. Returns the function that
/// chooses: of the step and the length of the run so far, without its result.
mlir::func::FuncOp addSelector(mlir::OpBuilder &builder,
                               train::ProgramOp program,
                               llvm::ArrayRef<mlir::Attribute> variants);
/// Lets `function`, of a selector, return `choice`.
void returnChoice(mlir::func::FuncOp function, mlir::Value choice);

/// `value` as an integer of `type`, a tensor.
mlir::Value buildInteger(mlir::OpBuilder &builder, mlir::Location loc,
                         mlir::RankedTensorType type, int64_t value);

/// `values` of `from` computed at the end of `to`, which takes what they are
/// computed of.
llvm::SmallVector<mlir::Value> cloneValues(mlir::func::FuncOp from,
                                           llvm::ArrayRef<mlir::Value> values,
                                           mlir::func::FuncOp to);

/// Erases `rules` of `update`, the only one, whose parameters nothing uses any
/// more, with the states, counts and schedules that they alone read.
void eraseRules(train::ProgramOp program, mlir::func::FuncOp update,
                llvm::ArrayRef<ScalarUpdateOpInterface> rules);

} // namespace boostc::boost
