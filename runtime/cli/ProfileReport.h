// ProfileReport.h - what --profile and --profile-steps ask for.
#pragma once

#include "runtime/profile/Profile.h"
#include "runtime/trainer/Session.h"
#include "runtime/trainer/StepProfiler.h"

namespace boostrt {

/// Whether --profile can write its file, asked before there is one.
Status checkProfileOutput(const Options &options, std::vector<NamedFile> taken,
                          const DataSpec *data = nullptr);

class ProfileReport {
public:
  /// Measures the peaks of the CPU, if that is the device, while the other
  /// ranks do the same. Its memory is free again.
  static Result<ProfileReport> create(const Options &options,
                                      const Session &session, Ranks &ranks);

  /// Writes the file that was asked for, if one was; fails with
  /// ExitCode::Usage.
  Status writeTrace(std::span<const Span> spans) const;
  /// The table, or why there is none.
  std::string text(std::span<const Span> spans) const;
  nlohmann::ordered_json json(std::span<const Span> spans) const;

private:
  ProfileReport(const Options &options, ProfiledProgram source)
      : options_(options), source_(std::move(source)) {}

  const Options &options_;
  ProfiledProgram source_;
};

} // namespace boostrt
