#include "dialects/train/TrainDialect.h"
#include "runtime/program/ProgramLimits.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace boostc::train;

LogicalResult ProgramOp::verify() {
  auto check = [&](StringRef what, uint64_t value,
                   uint64_t most) -> LogicalResult {
    if (value < 1 || value > most)
      return emitOpError("expected ")
             << what << " of 1 to " << most << ", found "
             << static_cast<int64_t>(value);
    return success();
  };
  if (failed(check("a batch size", getBatchSize(), boostrt::kMaxBatchSize)) ||
      failed(
          check("micro-batches", getMicroBatches(), boostrt::kMaxMicroBatches)))
    return failure();
  if (auto epochs = static_cast<int64_t>(getEpochs()); epochs < 1)
    return emitOpError("expected epochs of 1 or more, found ") << epochs;
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
