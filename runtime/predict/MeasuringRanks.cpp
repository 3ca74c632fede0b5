#include "runtime/predict/MeasuringRanks.h"

#include "runtime/comm/local/RankThreads.h"
#include "runtime/launch/JoinJob.h"
#include "runtime/launch/ResolveJob.h"
#include "runtime/launch/StartRanks.h"
#include "runtime/program/ProgramTargets.h"
#include "runtime/support/CaughtException.h"
#include "runtime/support/Streams.h"

#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <fmt/format.h>
#include <string_view>
#include <vector>

namespace boostrt {
namespace {

/// The first argument of a process that measures; the program's file, threads
/// and seconds follow.
constexpr std::string_view kWord = "--measuring-rank";

/// measureSteps() of a rank that tells the others when it fails.
Result<StepCosts> measureWith(const BoostProgram &program,
                              const BoostTarget &target, uint32_t threads,
                              Transport &transport, double seconds) {
  Result<StepCosts> costs = catching([&] {
    return measureSteps(program, target, threads, &transport, seconds);
  });
  if (!costs.ok())
    transport.abort(costs.status().message());
  return costs;
}

Result<StepCosts> measureAsRank(const char *file, uint32_t threads,
                                double seconds) {
  // Stays loaded: the process ends soon. The process that started this one has
  // checked the file.
  void *library = dlopen(file, RTLD_NOW | RTLD_LOCAL);
  auto query =
      library
          ? reinterpret_cast<BoostQuery>(dlsym(library, BOOSTC_QUERY_SYMBOL))
          : nullptr;
  const BoostProgram *program = query ? query(BOOSTC_ABI_VERSION) : nullptr;
  const BoostTarget *target =
      program ? findTarget(*program, BOOSTC_TARGET_CPU) : nullptr;
  if (!target)
    return Status(ExitCode::Input,
                  fmt::format("the program in '{}' has changed since it was "
                              "loaded; try again",
                              file));
  LaunchOptions options;
  Result<JobPlan> plan = planJob(options);
  if (!plan.ok())
    return plan.status();
  Result<std::unique_ptr<Transport>> transport = joinJob(*plan, options);
  if (!transport.ok())
    return transport.status();
  if (!*transport)
    return Status(ExitCode::Usage,
                  fmt::format("{} is only for processes that a prediction "
                              "starts itself; give boost-run info --ranks N",
                              kWord));
  return measureWith(*program, *target, threads, **transport, seconds);
}

} // namespace

Result<StepCosts> measureOnThreads(const BoostProgram &program,
                                   const BoostTarget &target, uint32_t threads,
                                   uint32_t ranks, double seconds) {
  LocalJob job(ranks);
  std::vector<Result<StepCosts>> found(ranks, StepCosts());
  BOOSTRT_RETURN_IF_ERROR(
      runRankThreads(job, ranks, [&](std::unique_ptr<Transport> transport) {
        Result<StepCosts> &own = found[transport->rank()];
        own = measureWith(program, target, threads, *transport, seconds);
        return own.status();
      }));
  return found.front(); // all have found the same
}

Result<StepCosts> measureOnProcesses(const std::string &file, uint32_t threads,
                                     uint32_t ranks, double seconds) {
  Result<std::vector<std::string>> answers =
      askRanks(ranks, threads,
               {"boost-measure", std::string(kWord), file,
                fmt::format("{}", threads), fmt::format("{}", seconds)});
  if (!answers.ok())
    return Status(answers.status().code(),
                  fmt::format("cannot measure a step on {} ranks: {}", ranks,
                              answers.status().message()));
  StepCosts costs;
  const std::string &answer = answers->front(); // all have found the same
  if (answer.size() != sizeof costs)
    return Status(ExitCode::Internal,
                  fmt::format("a rank that measured said {} bytes where {} "
                              "were expected; please report this",
                              answer.size(), sizeof costs));
  std::memcpy(&costs, answer.data(), sizeof costs);
  return costs;
}

std::optional<int> actAsMeasuringRank(int argc, const char *const *argv) {
  constexpr int kArguments = 5;
  if (argc != kArguments || argv[1] != kWord)
    return std::nullopt;
  auto threads = static_cast<uint32_t>(std::strtoul(argv[3], nullptr, 10));
  Result<StepCosts> costs =
      measureAsRank(argv[2], threads, std::strtod(argv[4], nullptr));
  if (costs.ok())
    writeResult({reinterpret_cast<const char *>(&*costs), sizeof *costs});
  Status status = costs.ok() ? resultsStatus() : costs.status();
  if (!status.ok())
    printNote("{}\n", status.message());
  return static_cast<int>(status.code());
}

} // namespace boostrt
