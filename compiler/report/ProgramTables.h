// ProgramTables.h - the tables of a program that is not compiled to its end, as
// its descriptor will have them, for what the runtime computes from them:
// memory and messages.
#pragma once

#include "dialects/train/TrainDialect.h"
#include "runtime/program/MemoryPlan.h"
#include "runtime/program/StepModel.h"
#include <vector>

namespace boostc::report {

class ProgramTables {
public:
  /// The tables of a program in phase `buffers`.
  explicit ProgramTables(train::ProgramOp program);
  ProgramTables(const ProgramTables &) = delete;
  ProgramTables &operator=(const ProgramTables &) = delete;

  /// Only what is planned from is set.
  const BoostProgram &program() const { return descriptor; }

  /// What a training run of rank 0 of `job` reserves.
  boostrt::MemoryPlan planTraining(const boostrt::JobShape &job) const;

private:
  void addCollective(rt::CollectiveOp op);

  BoostProgram descriptor = {};
  BoostTarget target = {};
  BoostVariant usual = {};
  uint64_t decoding = 0; ///< of the recipe: see MemoryJob
  uint32_t workers = 1;
  std::vector<BoostPhase> phases;     ///< before the last, of the usual variant
  std::vector<BoostFunction> endings; ///< the probes and updates
  std::vector<BoostCollective> collectives;
  std::vector<std::vector<BoostCollectiveOperand>> operands; ///< by collective
};

} // namespace boostc::report
