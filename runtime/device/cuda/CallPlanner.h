// CallPlanner.h - finds out how a library call is executed best: by trying.
#pragma once

#include "runtime/device/cuda/CallBench.h"
#include "runtime/device/cuda/GpuDriver.h"
#include "runtime/device/cuda/LibraryOperation.h"
#include "runtime/device/cuda/LibraryPlans.h"
#include "runtime/support/Clock.h"

namespace boostrt::cuda {

class CallPlanner {
public:
  struct Settings {
    LibraryUse use = LibraryUse::Auto;
    /// From then on nothing is measured.
    Clock::time_point end;
    /// Runs launch `index` of the program.
    std::function<Status(uint32_t index, std::span<const uint64_t> operands)>
        launch;
  };
  /// A call, what it is told to, and by whom.
  struct Subject {
    const BoostLibraryCall &call;
    LibraryOperation &operation;
    std::string library; ///< "cuDNN 9.19.0"
  };

  CallPlanner(CallBench &bench, Settings settings,
              std::vector<std::string> &notes)
      : bench_(bench), settings_(std::move(settings)), notes_(notes) {}

  /// Whether `plan`, from a file, can be had. The operation is ready then, and
  /// has run: its code is loaded.
  bool confirm(const Subject &subject, const LibraryPlan &plan);

  /// Tries what the library proposes. The operation is ready where the plan
  /// uses it. Fails when the GPU does.
  Result<LibraryPlan> choose(const Subject &subject);

  /// What was proposed and gave other numbers; empty without any.
  std::string describeUnsound() const;

private:
  CallBench::Work library(const Subject &subject) const;
  CallBench::Work fallback(const BoostLibraryCall &call) const;
  Result<std::vector<LibraryPlan>>
  measure(const Subject &subject, const std::vector<std::string> &candidates);
  bool isSound(const Subject &subject, const std::string &candidate,
               const std::vector<float> &expected);
  void note(const BoostLibraryCall &call, const std::string &what);

  CallBench &bench_;
  Settings settings_;
  std::vector<std::string> &notes_;
  bool isUnmeasured_ = false; ///< the time budget is spent
  unsigned unsound_ = 0;
  std::string firstUnsound_;
};

} // namespace boostrt::cuda
