// SimDriver.h - the simulated GPU with the interface of a real one.
#pragma once

#include "runtime/device/cuda/GpuDriver.h"
#include "sim/SimMachine.h"

#include <deque>
#include <map>
#include <optional>
#include <set>
#include <vector>

namespace boostrt::sim {

/// Runs every launch at once, with all checks, on `threads` threads of the
/// host. What a kernel does wrong is the failure of the call that ran it, with
/// ExitCode::Internal and the text of docs/sim.md.
class SimDriver : public GpuDriver {
public:
  /// Fails with ExitCode::Input on a CPU that has not what the machine is
  /// compiled for.
  static Result<std::unique_ptr<SimDriver>> create(uint32_t threads,
                                                   Checks checks = Checks::All);

  std::string name() const override { return "the simulated GPU"; }
  Status load(const BoostModule *modules, const std::string &program) override;
  Result<uint32_t> findKernel(const char *name) override;
  Result<uint64_t> allocate(uint64_t bytes, const std::string &name) override;
  Status copyIn(uint64_t to, std::span<const std::byte> from) override;
  Status finishCopies() override { return Status(); }
  Status copyOut(std::span<const DeviceCopy> copies) override;
  Status copy(uint64_t to, uint64_t from, uint64_t bytes) override;
  bool isOnHost() const override { return true; }
  std::span<std::byte> message(uint64_t address, uint64_t bytes,
                               bool isWritten) override;
  Status beginCopyOut(std::span<const DeviceCopy> copies) override {
    return copyOut(copies);
  }
  Status finishCopyOut() override { return Status(); }
  Status write(uint64_t to, std::span<const std::byte> value) override {
    return copyIn(to, value);
  }
  Status copyBatch(uint64_t to, std::span<const std::byte> from) override;
  Status finishBatches() override { return Status(); }
  Status beginUse(uint64_t batch) override;
  Status endUse(uint64_t batch) override;
  Status mark(uint32_t number) override;
  Status forkToSideStream(uint32_t number) override;
  void endSideStream() override { isOnSideStream_ = false; }
  Status joinSideStream() override;
  /// How long a simulation takes says nothing about a GPU.
  Status stamp(uint32_t) override { return Status(); }
  Result<double> secondsBetween(uint32_t, uint32_t) override { return 0.0; }
  bool hasTimes() const override { return false; }
  Status launch(uint32_t kernel, const BoostLaunch &launch,
                std::span<const uint64_t> operands) override;
  Status prepareCalls(const BoostTarget &target,
                      std::span<const uint32_t> kernels,
                      const LibrarySettings &settings,
                      std::vector<std::string> &notes) override;
  bool executes(uint32_t) const override { return usesLibrary_; }
  Status call(uint32_t index, std::span<const uint64_t> operands) override;
  Status beginCapture() override;
  Result<uint32_t> endCapture() override;
  Status launchGraph(uint32_t graph) override;

  /// In all launches so far.
  uint64_t laneInstructions() const { return laneInstructions_; }
  uint64_t globalBytesRead() const { return globalBytesRead_; }

private:
  struct LoadedKernel {
    const SimModule *module;
    const Kernel *kernel;
  };
  /// A launch of a kernel, or a library call.
  struct Node {
    const LoadedKernel *kernel;
    const BoostLaunch *launch;
    const BoostLibraryCall *call;
    std::vector<uint64_t> operands;

    const char *location() const {
      return launch ? launch->location : call->location;
    }
  };
  using Graph = std::vector<Node>;
  /// Here everything runs at once; elsewhere copies overlap what does not
  /// say that it uses them.
  struct Batch {
    uint64_t bytes;
    bool isInUse;
  };

  explicit SimDriver(MachineOptions options) : machine_(std::move(options)) {}
  /// Runs it, or adds it to the graph that is recorded.
  Status submit(Node node);
  Status run(const Node &node);
  /// Memory that the side stream read or wrote.
  struct Access {
    uint64_t begin, end;
    bool isWritten;
  };
  /// Here everything runs at once; elsewhere the side stream has not ended.
  Status checkSideStream(const Node &node) const;
  /// Notes what the side stream does, and fails where a copy that is not does
  /// not wait for it.
  Status checkCopy(uint64_t address, uint64_t bytes, bool isWritten);
  void noteSideAccess(uint64_t address, uint64_t bytes, bool isWritten);
  /// Fails where `node` reads a batch that it did not wait for.
  Status checkBatches(const Node &node) const;

  Memory memory_;
  std::deque<SimModule> modules_;
  std::map<uint64_t, Batch> batches_;
  std::set<uint32_t> marks_;
  bool isOnSideStream_ = false, isJoined_ = true;
  std::vector<Access> sideAccesses_; ///< since the last joinSideStream()
  SimMachine machine_;
  std::deque<LoadedKernel> kernels_;
  const BoostLibraryCall *calls_ = nullptr;
  bool usesLibrary_ = false;
  std::optional<Graph> capture_;
  std::vector<Graph> graphs_;
  uint64_t laneInstructions_ = 0;
  uint64_t globalBytesRead_ = 0;
};

} // namespace boostrt::sim
