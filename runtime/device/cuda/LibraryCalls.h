// LibraryCalls.h - the library calls of a program on a GPU. When the program is
// loaded each is tried: what the library proposes is compared with the kernel
// that the program has for the same, in bits from run to run and in numbers
// with the kernel's, then measured, and the fastest is taken. What was found is
// kept in a file (LibraryPlans.h). From then on nothing is allocated or looked
// up: calls can be recorded in a graph.
#pragma once

#include "runtime/device/cuda/CudaApi.h"
#include "runtime/device/cuda/FindLibraries.h"
#include "runtime/device/cuda/GpuDriver.h"
#include "runtime/device/cuda/LibraryOperation.h"

#include <chrono>
#include <functional>
#include <map>

namespace boostrt::cuda {

class LibraryCalls {
public:
  /// The driver that the calls run on, with a current context.
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

  /// Looks for the libraries as `context` says. The calls of one that is
  /// missing or does not work are left to their kernels, and so are all where
  /// the GPU fails; `notes` says why.
  static std::unique_ptr<LibraryCalls>
  create(Gpu gpu, const SearchContext &context, const BoostTarget &target,
         const LibrarySettings &settings, std::vector<std::string> &notes,
         std::chrono::nanoseconds budget);

  bool executes(uint32_t index) const { return calls_[index].usesLibrary; }
  Status call(uint32_t index, std::span<const uint64_t> operands);

private:
  struct Call {
    LibraryOperation *operation = nullptr;
    bool usesLibrary = false;
  };
  /// A library and what it is there for.
  struct Part {
    const char *computes; ///< "matmuls"
    bool (*takes)(const BoostLibraryCall &call);
    Result<std::unique_ptr<GpuLibrary>> (*start)(const SearchContext &context,
                                                 Stream stream);
    std::vector<uint32_t> calls = {};
    std::unique_ptr<GpuLibrary> library =
        {}; ///< null: kernels compute all of it
  };

  LibraryCalls(Gpu gpu, const BoostTarget &target);
  void openLibraries(const SearchContext &context,
                     std::vector<std::string> &notes);
  void describeAll(std::vector<std::string> &notes);
  Status plan(const LibrarySettings &settings, std::vector<std::string> &notes,
              std::chrono::nanoseconds budget);
  /// Leaves the calls of `part` to their kernels.
  void leave(Part &part, const Status &why, std::vector<std::string> &notes);
  std::string summary() const;

  Gpu gpu_;
  const BoostTarget &target_;
  Part parts_[2];
  /// By describeCall(): equal calls have one.
  std::map<std::string, std::unique_ptr<LibraryOperation>> operations_;
  std::vector<Call> calls_;
};

} // namespace boostrt::cuda
