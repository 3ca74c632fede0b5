#include "dialects/train/TrainDialect.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace boostc::train;

LogicalResult ProgramOp::verify() {
  auto check = [&](StringRef what, int64_t value) -> LogicalResult {
    if (value < 1)
      return emitOpError("expected ")
             << what << " of 1 or more, found " << value;
    return success();
  };
  if (failed(check("a batch size", static_cast<int64_t>(getBatchSize()))) ||
      failed(check("micro-batches", static_cast<int64_t>(getMicroBatches()))) ||
      failed(check("epochs", static_cast<int64_t>(getEpochs()))))
    return failure();
  return success();
}

bool ProgramOp::accumulatesInPlace() {
  return rt::getReproducibility(*this) == rt::Reproducibility::Off;
}

SelectorOp ProgramOp::getSelector() {
  auto selectors = getOps<SelectorOp>();
  return selectors.empty() ? SelectorOp() : *selectors.begin();
}

func::FuncOp ProgramOp::getFunction(StringRef name) {
  return mlir::SymbolTable(getOperation()).lookup<func::FuncOp>(name);
}

template <typename CallingOp>
static void addCallees(ProgramOp program,
                       llvm::SetVector<func::FuncOp> &callees) {
  program.walk([&](CallingOp op) {
    callees.insert(mlir::SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(
        op, op.getCalleeAttr()));
  });
}

SmallVector<func::FuncOp> ProgramOp::getDifferentiated() {
  llvm::SetVector<func::FuncOp> callees;
  addCallees<ValueAndGradOp>(*this, callees);
  return callees.takeVector();
}

SmallVector<func::FuncOp> ProgramOp::getCallees() {
  llvm::SetVector<func::FuncOp> callees;
  addCallees<ValueAndGradOp>(*this, callees);
  addCallees<EvaluateOp>(*this, callees);
  return callees.takeVector();
}
