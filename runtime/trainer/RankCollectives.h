// RankCollectives.h - carries out the collectives of a program's steps.
#pragma once

#include "runtime/comm/HostVectors.h"
#include "runtime/comm/adasum/Adasum.h"
#include "runtime/device/Device.h"
#include "runtime/program/CollectiveExecutor.h"
#include "runtime/program/Program.h"
#include "runtime/trainer/AdasumLog.h"
#include "runtime/trainer/DeviceLink.h"
#include "runtime/trainer/Ranks.h"

namespace boostrt {

class RankCollectives final : public CollectiveRunner {
public:
  /// Takes the memory that collectives need from the ranks' workspace. Fails
  /// with ExitCode::Input when the program cannot be trained by several ranks,
  /// or not by these. All outlive the object.
  static Result<std::unique_ptr<RankCollectives>>
  create(Ranks &ranks, const Program &program, const DeviceLink &link);

  ~RankCollectives() override;

  /// "each 8 neighbouring ranks average; Adasum of 2 in equal slices, shared by
  /// 8 ranks each", or that there is nothing to combine; empty for a program
  /// without Adasum.
  std::string describeAdasum() const;
  /// Whether the program uses Adasum and ranks are in more than one group.
  bool combinesByAdasum() const {
    return inner_ && inner_->size() < all_->size();
  }

  /// What is reserved on the device for them.
  uint64_t deviceScratchBytes() const {
    return link_.vectors ? scratchBytes_ : 0;
  }

  /// The step that later collectives belong to, from 1. With `logsAdasum`, the
  /// same on all ranks, this step's adasumLog() is made.
  void setStep(int64_t globalStep, bool logsAdasum) {
    step_ = globalStep;
    logsAdasum_ = logsAdasum;
    adasumLog_.clear();
  }
  int64_t step() const { return step_; }
  /// The step's entries; on rank 0.
  const std::vector<AdasumEntry> &adasumLog() const { return adasumLog_; }

  bool worksOnDevice() const override { return link_.vectors; }

  /// The last sum over all ranks that has integers also carries whether a
  /// signal has come, so that agreeing costs no message.
  Status run(uint32_t index, void *const *operands) override;

private:
  /// A collective with its lists, ready for the addresses of a call.
  struct Prepared {
    std::string name; ///< "all_reduce 2 (fc1.weight, fc1.bias)"
    std::vector<std::span<float>> floats;
    std::vector<std::span<int64_t>> integers;
    bool carriesStop = false;
    /// For operands in their usual order; else made again by the first call,
    /// which knows their addresses.
    std::vector<AdasumTensor> tensors;
    std::optional<Adasum> adasum;
    /// For what is neither a sum for all nor Adasum.
    std::optional<CollectiveExecutor> exchange;
  };

  RankCollectives(Ranks &ranks, const Program &program, const DeviceLink &link)
      : ranks_(ranks), program_(program), link_(link), host_(ranks.workspace()),
        memory_(link.vectors ? *link.vectors : host_) {}
  Status prepare();
  Status makeGroups();
  /// Has a sum over all ranks of a step carry what they say of signals too, the
  /// last one.
  Status chooseCarrier(const BoostVariant &variant);
  Status placeStop();
  /// Counts the memory that a collective needs.
  Status reserve(const BoostCollective &collective, Prepared &prepared);
  Status plan(Prepared &prepared, std::vector<AdasumTensor> tensors) const;
  Group &groupOf(const BoostCollective &collective);
  Status allReduce(const BoostCollective &collective, Prepared &prepared,
                   void *const *operands);
  Status combine(const BoostCollective &collective, Prepared &prepared,
                 void *const *operands);
  Status carryOut(const BoostCollective &collective, Prepared &prepared,
                  void *const *operands);
  void log(const BoostCollective &collective, const Prepared &prepared,
           const AdasumReport &report);

  Ranks &ranks_;
  const Program &program_;
  const DeviceLink &link_;
  // The memory of operands: the device's where devices are linked.
  HostVectors host_;
  VectorMemory &memory_;
  int64_t hostStop_ = 0;
  int64_t *stop_ = &hostStop_; ///< the carrier's signal, in the memory
  uint64_t scratchBytes_ = 0;
  std::vector<Prepared> prepared_;
  /// Over the transport that carries the memory; only programs with Adasum have
  /// inner_.
  std::optional<Group> all_, inner_;
  std::vector<AdasumEntry> adasumLog_;
  bool logsAdasum_ = false;
  int64_t step_ = 0;
};

} // namespace boostrt
