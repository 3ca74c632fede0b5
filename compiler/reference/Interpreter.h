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

  const ReferenceValue &lookup(mlir::Value value) const override;
  llvm::LogicalResult
  evaluateRegion(mlir::Region &region, llvm::ArrayRef<ReferenceValue> arguments,
                 llvm::SmallVectorImpl<ReferenceValue> &yielded) override;
  llvm::LogicalResult
  call(mlir::Operation *callee, llvm::ArrayRef<ReferenceValue> arguments,
       llvm::SmallVectorImpl<ReferenceValue> &results) override;

private:
  llvm::LogicalResult evaluate(mlir::Operation &op);

  using Frame = llvm::DenseMap<mlir::Value, ReferenceValue>;
  /// One frame per function being run, innermost last.
  std::vector<Frame> frames;
};

} // namespace boostc
