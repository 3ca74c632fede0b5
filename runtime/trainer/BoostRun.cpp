#include "runtime/device/cpu/SpinPolicy.h"
#include "runtime/trainer/CommandLine.h"
#include "runtime/trainer/Commands.h"
#include "runtime/trainer/RunOnRanks.h"

#include <fmt/format.h>
#include <new>

namespace boostrt {
namespace {

Status dispatch(const Options &options) {
  switch (options.command) {
  case Command::Train:
    return runOnRanks(options, trainCommand);
  case Command::Evaluate:
    return runOnRanks(options, evalCommand);
  case Command::Info:
    return infoCommand(options);
  case Command::Bench:
    return benchCommand(options);
  case Command::Doctor:
    return doctorCommand(options);
  }
  return Status(ExitCode::Internal, "unknown command");
}

Status run(int argc, const char *const *argv) {
  Result<CommandLine> line = parseCommandLine(argc, argv);
  if (!line.ok())
    return line.status();
  if (!line->text.empty()) {
    fmt::print("{}", line->text);
    return Status();
  }
  if (line->options.command != Command::Info &&
      line->options.command != Command::Doctor)
    limitSpinning(argv);
  return dispatch(line->options);
}

} // namespace

int boostRun(int argc, const char *const *argv) {
  Status status;
  try {
    status = run(argc, argv);
  } catch (const std::bad_alloc &) {
    status = Status(ExitCode::Internal, "out of memory");
  }
  if (!status.ok())
    fmt::print(stderr, "boost-run: error: {}\n", status.message());
  // A full disk behind standard output would otherwise go unnoticed.
  if (std::fflush(stdout) != 0 && status.ok()) {
    fmt::print(stderr, "boost-run: error: cannot write to standard output\n");
    return static_cast<int>(ExitCode::Internal);
  }
  return static_cast<int>(status.code());
}

} // namespace boostrt
