// Interpreter.h - runs functions of the IR in double precision: the oracle of
// all tests. It knows no op; ops evaluate themselves through
// ReferenceOpInterface, foreign ones through the external models of
// registerReferenceExternalModels().
#pragma once

#include "dialects/interfaces/Interfaces.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/DenseMap.h"

namespace boostc {

/// Makes the arith, func, linalg, math and tensor ops that occur up to phase
/// `linalg` implement ReferenceOpInterface.
void registerReferenceExternalModels(mlir::DialectRegistry &registry);

class Interpreter : public ReferenceContext {
public:
  /// Runs `function` on `arguments` and appends its results. On failure a
  /// diagnostic has been emitted: at the op that failed, or at the function
  /// when the arguments do not have its shapes.
  llvm::LogicalResult interpret(mlir::func::FuncOp function,
                                llvm::ArrayRef<ReferenceValue> arguments,
                                llvm::SmallVectorImpl<ReferenceValue> &results);

  /// Runs `function` on several ranks, which meet in the collectives of its
  /// body; arguments and results are by rank. A collective in a region, or in a
  /// function that is called, fails: each rank may come there any number of
  /// times.
  static llvm::LogicalResult
  interpretOnRanks(mlir::func::FuncOp function,
                   llvm::ArrayRef<RankValues> arguments,
                   std::vector<RankValues> &results);

  const ReferenceValue &lookup(mlir::Value value) const override;
  llvm::LogicalResult
  evaluateRegion(mlir::Region &region, llvm::ArrayRef<ReferenceValue> arguments,
                 llvm::SmallVectorImpl<ReferenceValue> &yielded) override;
  llvm::LogicalResult
  call(mlir::Operation *callee, llvm::ArrayRef<ReferenceValue> arguments,
       llvm::SmallVectorImpl<ReferenceValue> &results) override;

private:
  /// Begins a call: a frame with the arguments.
  llvm::LogicalResult enter(mlir::Operation *callee,
                            llvm::ArrayRef<ReferenceValue> arguments);
  llvm::LogicalResult
  evaluateBlock(mlir::Block &block,
                llvm::SmallVectorImpl<ReferenceValue> &yielded);
  llvm::LogicalResult evaluate(mlir::Operation &op);
  RankValues getOperands(mlir::Operation &op) const;
  void assign(mlir::ValueRange values, RankValues contents);

  using Frame = llvm::DenseMap<mlir::Value, ReferenceValue>;
  /// One frame per function being run, innermost last.
  std::vector<Frame> frames;
  /// With several ranks: the function in whose body they meet.
  mlir::func::FuncOp meeting;
};

} // namespace boostc
