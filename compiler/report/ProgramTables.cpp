#include "compiler/report/ProgramTables.h"
#include "compiler/lowering/llvm/ProgramHeader.h"
#include "compiler/lowering/target/CpuTarget.h"
#include "compiler/lowering/target/CudaTarget.h"
#include "compiler/report/MemoryUse.h"
#include "runtime/device/cuda/GpuVectors.h"
#include "runtime/program/Recipe.h"

using namespace boostc;
using namespace boostc::report;

ProgramTables::ProgramTables(train::ProgramOp program) {
  describeArenas(program, descriptor);
  describeAdasum(program, descriptor);
  for (auto function : program.getBody().getOps<mlir::func::FuncOp>())
    target.transient_bytes =
        std::max<uint64_t>(target.transient_bytes, measureTransient(function));
  target.kind = getCudaTarget(program) ? BOOSTC_TARGET_CUDA : BOOSTC_TARGET_CPU;
  // IR written by hand may have no recipe.
  if (auto recipe = boostrt::parseRecipe(program.getRecipe().str().c_str(), "");
      recipe.ok()) {
    decoding = boostrt::plannedDecodingBytes(*recipe);
    auto cpu = program->getAttrOfType<rt::CpuTargetAttr>(kCpuTargetAttrName);
    workers = boostrt::plannedWorkers(
        *recipe, cpu && target.kind == BOOSTC_TARGET_CPU ? cpu.getThreads() : 1);
  }
  descriptor.batch_size = program.getBatchSize();
  descriptor.micro_batches = program.getMicroBatches();
  descriptor.reproducible =
      static_cast<uint32_t>(rt::getReproducibility(program));
  auto variants = program.getVariants();
  const train::StepVariant &last = variants.back();
  phases.resize(last.probes.size());
  for (mlir::func::FuncOp ending : program.getEndings()) {
    auto index = static_cast<uint32_t>(endings.size());
    for (auto [phase, entry] : llvm::zip_equal(last.probes, phases))
      if (phase.ending == ending)
        entry.probe = index;
    if (ending == last.update)
      usual.update = index;
    BoostFunction function = {};
    function.first_collective = collectives.size();
    for (auto op : ending.getOps<rt::CollectiveOp>())
      addCollective(op);
    function.collective_count = collectives.size() - function.first_collective;
    endings.push_back(function);
  }
  usual.phases = phases.data();
  usual.phase_count = phases.size();
  target.functions = endings.data();
  target.function_count = endings.size();
  descriptor.targets = &target;
  descriptor.target_count = 1;
  descriptor.variants = &usual;
  descriptor.variant_count = 1;
  descriptor.collectives = collectives.data();
  descriptor.collective_count = collectives.size();
}

void ProgramTables::addCollective(rt::CollectiveOp op) {
  BoostCollective collective = describeCollective(op);
  auto &list = operands.emplace_back();
  for (auto [value, group] : llvm::zip(op.getOperands(), op.getGroups()))
    list.push_back(
        describeOperand(mlir::cast<mlir::ShapedType>(value.getType()), group));
  collective.operands = list.data(); // stays valid when the list is moved
  collective.operand_count = list.size();
  collectives.push_back(collective);
}

boostrt::MemoryPlan
ProgramTables::planTraining(const boostrt::JobShape &shape) const {
  boostrt::MemoryJob job;
  job.ranks = shape.ranks;
  job.servers = shape.servers;
  job.decoding = decoding;
  job.workers = workers;
  if (target.kind == BOOSTC_TARGET_CUDA) {
    job.isOnHost = false;
    job.cuts = boostrt::kGpuCuts;
  }
  return boostrt::planTraining(descriptor, target, job);
}
