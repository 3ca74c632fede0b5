// LibraryCalls.h - the library calls of a program on a GPU. When the program is
// loaded each is tried: what the library proposes is compared with the kernel
// that the program has for the same, in bits from run to run and in numbers
// with the kernel's, then measured, and the fastest is taken. What was found is
// kept in a file (LibraryPlans.h). From then on nothing is allocated or looked
// up: calls can be recorded in a graph.
#pragma once

#include "runtime/device/cuda/CallBench.h"
#include "runtime/device/cuda/CublasLt.h"
#include "runtime/device/cuda/GpuDriver.h"
#include "runtime/device/cuda/LibraryPlans.h"

#include <chrono>

namespace boostrt::cuda {

class LibraryCalls {
public:
  /// The driver that the calls run on.
  struct Gpu {
    const CudaApi &api; ///< outlives the calls, as the stream does
    Stream stream;
    std::string name; ///< "NVIDIA H200, sm_90"
    int driverVersion;
    /// Runs launch `index` of the target.
    std::function<Status(uint32_t index, std::span<const uint64_t> operands)>
        launch;
  };

  /// Measuring ends after so long; what is left takes the library's first
  /// proposal.
  static constexpr std::chrono::seconds kBudget{30};

  /// `library` is open. Fails when the GPU does; see GpuDriver::prepareCalls().
  static Result<std::unique_ptr<LibraryCalls>>
  create(Gpu gpu, const CublasLtApi &library, const BoostTarget &target,
         const LibrarySettings &settings, std::vector<std::string> &notes,
         std::chrono::nanoseconds budget);

  bool executes(uint32_t index) const { return calls_[index].usesLibrary; }
  Status call(uint32_t index, std::span<const uint64_t> operands);

private:
  struct Call {
    LtMatmul *matmul = nullptr;
    LtAlgorithm algorithm{};
    bool usesLibrary = false;
  };
  class Planner;

  LibraryCalls(Gpu gpu, const BoostTarget &target)
      : gpu_(std::move(gpu)), target_(target) {}

  Gpu gpu_;
  const BoostTarget &target_;
  std::unique_ptr<CublasLt> library_;
  std::map<std::string, std::unique_ptr<LtMatmul>> matmuls_;
  std::vector<Call> calls_;
};

} // namespace boostrt::cuda
