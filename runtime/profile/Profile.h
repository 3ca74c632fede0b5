// Profile.h - where the time of steps went: every call of their functions with
// what it took, what it does and where it comes from.
//
// A SpanRecorder has when calls began and ended; the tables of the program say
// the rest. The time between calls, in which functions launch and wait, is the
// step's time without theirs.
#pragma once

#include "runtime/abi/boost_abi.h"
#include "runtime/device/SpanRecorder.h"
#include "runtime/profile/MachinePeaks.h"

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

namespace boostrt {

/// A call as the tables of a program describe it.
struct DescribedCall {
  std::string name; ///< of the kernel; "matmul 32x512x784", "all_reduce 0"
  std::string layers, positions;
  uint64_t flops = 0, bytesRead = 0, bytesWritten = 0;

  uint64_t bytes() const { return bytesRead + bytesWritten; }
};

/// What is profiled, all of which outlives the profile.
struct ProfiledProgram {
  const BoostProgram &program;
  const BoostTarget &target;
  std::string device; ///< Device::describe()
  bool hasTimes;      ///< Device::hasTimes()
  MachinePeaks peaks; ///< of the CPU that runs it; zeros for another device

  DescribedCall describe(SpanKind kind, int64_t index) const;
  /// "step 24", or the name of the function or call.
  std::string nameOf(const Span &span) const;
};

/// All calls from one place of a function.
struct ProfileRow {
  SpanKind kind;
  int64_t index;
  std::string function;
  DescribedCall call;
  int64_t calls = 0;  ///< in all steps
  double seconds = 0; ///< likewise
  /// The least time that the machine's peaks allow for, of this one. More than
  /// 1 where caches hold what is read. None for collectives, or without peaks.
  std::optional<double> share = {};
};

struct Profile {
  int64_t steps = 0;
  double seconds = 0; ///< of these steps
  /// By time, the longest first; without times by flops and bytes.
  std::vector<ProfileRow> rows;

  double secondsInCalls() const;
};

/// The word of `kind` in JSON.
const char *getText(SpanKind kind);

Profile makeProfile(const ProfiledProgram &source, std::span<const Span> spans);

/// The table, at most `maxRows` rows of it and the others as one.
std::string toText(const ProfiledProgram &source, const Profile &profile,
                   size_t maxRows = 60);
nlohmann::ordered_json toJson(const ProfiledProgram &source,
                              const Profile &profile);

/// The spans as Chrome's trace events, an object that Perfetto opens.
std::string toTrace(const ProfiledProgram &source, std::span<const Span> spans);

} // namespace boostrt
