// LibraryPlans.h - what was found out about a program's library calls on a GPU,
// kept in a file: next to the program, or in the user's folder for such things.
//
// The file is text. It begins with what it is about, has a line for each call,
// and ends with the SHA-256 of what is before it.
#pragma once

#include "runtime/device/cuda/GpuDriver.h"

#include <map>

namespace boostrt::cuda {

/// How one call is executed.
struct LibraryPlan {
  bool usesLibrary = false;
  std::string candidate = "-"; ///< of LibraryOperation; a kernel has none
  double libraryMicroseconds = 0, kernelMicroseconds = 0;

  /// Whether the times are known that make it the best, where there are any.
  bool isMeasured() const { return !usesLibrary || libraryMicroseconds > 0; }
};

/// By describeCall() (CallShape.h): equal calls have one plan.
using LibraryPlans = std::map<std::string, LibraryPlan>;

/// What plans are good for.
struct PlanKey {
  std::string device; ///< "NVIDIA H200, sm_90"
  int driverVersion = 0;
  std::string libraries; ///< "cuBLASLt 13.1.0, cuDNN 9.19.0"
  LibraryUse use = LibraryUse::Auto;
  std::string programHash;
};

std::string formatPlans(const PlanKey &key, const LibraryPlans &plans);
/// Fails with ExitCode::Input and the reason: "is damaged", "is about another
/// ...".
Result<LibraryPlans> parsePlans(const std::string &text, const PlanKey &key);

/// The plans of the first of `files` that is there and fits `key`; `from` is
/// its name. Empty without any; what is ignored is a note.
LibraryPlans readPlans(const std::vector<std::string> &files,
                       const PlanKey &key, std::string &from,
                       std::vector<std::string> &notes);
/// Writes the first of `files` that can be written, and returns its name;
/// empty, with a note, when none can.
std::string writePlans(const std::vector<std::string> &files,
                       const PlanKey &key, const LibraryPlans &plans,
                       std::vector<std::string> &notes);

} // namespace boostrt::cuda
