// MachineReport.h - what boost-run doctor tells: which devices of this machine
// can run programs, and where the libraries are that they use.
#pragma once

#include "runtime/device/cuda/FindLibraries.h"
#include "runtime/device/cuda/Gpus.h"
#include "runtime/support/Status.h"

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

namespace boostrt {

/// A file that was looked for.
struct FoundFile {
  std::string name;
  std::string path, place; ///< empty: none
  std::string version;     ///< empty: not told
  std::string failure;     ///< why it is not used; empty: it is
};

struct MachineReport {
  std::string cpu; ///< as the system names it
  /// Features that programs for these levels need and this CPU lacks.
  std::vector<std::string> missingForV3, missingForV4;
  std::vector<std::string> furtherFeatures; ///< beyond both, worth knowing
  unsigned cpus = 0, usableCpus = 0;        ///< of the machine, of this process
  std::string cpuLibrary;                   ///< "oneDNN 2.6.3"

  std::string driverFailure; ///< empty: the driver works
  cuda::Gpus gpus;
  std::vector<FoundFile> files;

  bool canUseCpu() const { return missingForV3.empty(); }
  bool canUseGpu() const;

  nlohmann::ordered_json toJson() const;
  std::string toText() const;
  /// Fails with ExitCode::Usage when no device can run programs.
  Status verdict() const;
};

/// Looks at this machine. Libraries are opened, nothing is reserved. `driver`
/// is another library in tests.
MachineReport examineMachine(const cuda::SearchContext &context,
                             const char *driver = "libcuda.so.1");

} // namespace boostrt
