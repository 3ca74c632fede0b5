#include "compiler/lowering/kernels/LibraryCalls.h"
#include "compiler/lowering/kernels/KernelOps.h"

using namespace mlir;
using namespace boostc;

static uint64_t countPlannedBytes(Value operand) {
  return operand ? countBytes(getViewedBuffer(operand).getType()) : 0;
}

BoostLibraryCall boostc::describeLibraryCall(LibraryOpInterface op) {
  BoostLibraryCall call = {};
  op.describeCall(call);
  call.scratch_bytes = countPlannedBytes(op.getScratch());
  SmallVector<Value> operands = op.getLibraryOperands();
  assert(operands.size() <= std::size(call.operand_bytes));
  llvm::transform(operands, call.operand_bytes, countPlannedBytes);
  return call;
}

SmallVector<Value> boostc::getCallOperands(Operation *op) {
  auto call = dyn_cast<LibraryOpInterface>(op);
  if (!call)
    return {};
  SmallVector<Value> operands = call.getLibraryOperands();
  operands.push_back(call.getScratch());
  return operands;
}

bool boostc::isLibraryCall(Operation *op, BoostTargetKind target) {
  auto call = dyn_cast<LibraryOpInterface>(op);
  return call && (call.getScratch() ||
                  (target == BOOSTC_TARGET_CPU && call.isLegalOn(target)));
}

Value boostc::getLibraryScratch(Operation *op) {
  auto call = dyn_cast<LibraryOpInterface>(op);
  return call ? call.getScratch() : Value();
}
