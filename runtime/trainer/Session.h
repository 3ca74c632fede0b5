// Session.h - what training and evaluation prepare in the same way: program,
// recipe, data and device, before any memory of the plan is reserved.
#pragma once

#include "runtime/trainer/DeviceLink.h"
#include "runtime/trainer/Execution.h"
#include "runtime/trainer/Options.h"
#include "runtime/trainer/PeakMemory.h"
#include "runtime/trainer/Report.h"
#include "runtime/trainer/RunData.h"

#include <memory>
#include <optional>

namespace boostrt {

class Session {
public:
  static Result<std::unique_ptr<Session>> open(const Options &options,
                                               Console &console);

  /// The same without data, for callers that have their own batches.
  static Result<std::unique_ptr<Session>>
  openWithoutData(const Options &options, Console &console);

  /// Memory is measured from here on: data sets are loaded already, all that
  /// follows is planned. Ranks that are threads are measured together.
  Status measureMemory(Ranks &ranks);

  /// Which samples a run comes to more than once.
  struct Revisited {
    bool training = false, evaluation = false;
  };
  /// Chooses which of them are kept once they are made, and who makes the
  /// batches; before memory is planned.
  void chooseData(const Ranks &ranks, const Revisited &again);

  /// What training takes on this rank; on a device with memory of its own,
  /// without what is exchanged, which trainWith() adds.
  MemoryPlan planTraining(const Ranks &ranks, bool keepsCheckpoints) const;
  MemoryPlan planEvaluation() const;

  /// Reserves the arenas of `plan`, and what is cached. Fails with
  /// ExitCode::Memory before it touches any where the plans of the ranks are
  /// more than their machines have left.
  Status reserve(const MemoryPlan &plan, Ranks &ranks);

  /// Fails when another rank has another program, other data or other `more`.
  Status agreeWith(Ranks &ranks, std::vector<Fact> more = {}) const;

  /// Has updates exchange gradients with the other ranks, which outlive the
  /// session; after reserve().
  Status trainWith(Ranks &ranks, CommKind comm, int64_t logAdasumEvery);
  /// Which way updates of GPUs take between ranks; empty where there is no
  /// choice.
  std::string describeLink() const { return link_ ? link_->note : ""; }
  /// See RankCollectives; also for one rank alone.
  std::string describeAdasum() const;
  bool combinesByAdasum() const {
    return collectives_ && collectives_->combinesByAdasum();
  }

  const Program &program() const { return *program_; }
  const Device &device() const { return *device_; }
  /// The target that the device runs.
  const BoostTarget &target() const { return *target_; }
  const Recipe &recipe() const { return recipe_; }
  /// Nothing after openWithoutData().
  const RunData &data() const { return data_; }
  const Arenas &arenas() const { return *arenas_; }
  Execution &execution() { return *execution_; }

  /// For this rank; where ranks are threads, for all together.
  uint64_t plannedBytes() const { return planned_; }
  /// Host memory, on rank 0 where ranks are threads; empty where the plan is
  /// about other memory.
  std::optional<uint64_t> peakBytes() const {
    return device_->memory() ? std::nullopt : peak_.bytes();
  }

private:
  Session() = default;
  Status loadProgram(const Options &options);
  Status selectDevice(const Options &options, Console &console);
  /// What a rank of any job needs for its data.
  MemoryJob jobOfData() const;

  std::unique_ptr<Program> program_;
  Recipe recipe_;
  RunData data_;
  const BoostTarget *target_ = nullptr;
  std::unique_ptr<Device> device_;
  std::unique_ptr<Arenas> arenas_;
  std::unique_ptr<DeviceLink> link_;             ///< of the collectives
  std::unique_ptr<RankCollectives> collectives_; ///< outlive the execution
  std::optional<Execution> execution_;
  PeakMemory peak_;
  uint64_t planned_ = 0;
  int64_t idleCpus_ = 0; ///< that no thread which computes on the host needs
};

} // namespace boostrt
