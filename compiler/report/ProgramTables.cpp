#include "compiler/report/ProgramTables.h"
#include "compiler/lowering/target/CudaTarget.h"
#include "compiler/report/MemoryUse.h"
#include "runtime/device/cuda/GpuVectors.h"
#include "llvm/Support/MathExtras.h"

using namespace boostc;
using namespace boostc::report;

static BoostCollectiveOperand describeOperand(mlir::Value value,
                                              int64_t group) {
  auto type = mlir::cast<mlir::ShapedType>(value.getType());
  BoostCollectiveOperand operand = {};
  operand.elements = static_cast<uint64_t>(type.getNumElements());
  operand.dtype = type.getElementType().isF32() ? BOOSTC_F32 : BOOSTC_I64;
  operand.group = static_cast<uint32_t>(group);
  return operand;
}

ProgramTables::ProgramTables(train::ProgramOp program) {
  for (auto slot : program.getBody().getOps<rt::SlotOp>()) {
    uint64_t &bytes =
        descriptor.arena_bytes[static_cast<unsigned>(slot.getArena())];
    uint64_t end = slot.getOffset() + countBytes(slot.getType());
    bytes = std::max<uint64_t>(bytes, llvm::alignTo(end, BOOSTC_ALIGNMENT));
  }
  for (auto function : program.getBody().getOps<mlir::func::FuncOp>())
    target.transient_bytes =
        std::max<uint64_t>(target.transient_bytes, measureTransient(function));
  target.kind = getCudaTarget(program) ? BOOSTC_TARGET_CUDA : BOOSTC_TARGET_CPU;
  descriptor.batch_size = program.getBatchSize();
  descriptor.micro_batches = program.getMicroBatches();
  descriptor.reproducible =
      static_cast<uint32_t>(rt::getReproducibility(program));
  if (auto adasum =
          program->getAttrOfType<train::AdasumAttr>(train::kAdasumAttrName)) {
    descriptor.adasum_scope = static_cast<uint32_t>(adasum.getAcross());
    descriptor.state_is_private =
        !program.getBody().getOps<train::StateOp>().empty() &&
        adasum.getMode() == train::AdasumMode::Delta;
  }
  auto update = program.getFunction(train::kUpdate);
  if (!update)
    return;
  for (auto op : update.getOps<rt::CollectiveOp>()) {
    BoostCollective collective = {};
    collective.kind = static_cast<uint32_t>(op.getKind());
    collective.ranks = static_cast<uint32_t>(op.getRanks());
    collective.index = op.getIndex();
    collective.peer = static_cast<int32_t>(op.getPeer());
    auto &list = operands.emplace_back();
    for (auto [value, group] : llvm::zip(op.getOperands(), op.getGroups()))
      list.push_back(describeOperand(value, group));
    collective.operands = list.data(); // a list keeps its place when moved
    collective.operand_count = list.size();
    collectives.push_back(collective);
  }
  descriptor.collectives = collectives.data();
  descriptor.collective_count = collectives.size();
}

boostrt::MemoryPlan
ProgramTables::planTraining(const boostrt::JobShape &shape) const {
  boostrt::MemoryJob job;
  job.ranks = shape.ranks;
  job.servers = shape.servers;
  if (target.kind == BOOSTC_TARGET_CUDA) {
    job.isOnHost = false;
    job.cuts = boostrt::kGpuCuts;
  }
  return boostrt::planTraining(descriptor, target, job);
}
