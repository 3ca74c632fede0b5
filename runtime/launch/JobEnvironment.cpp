// The variables by which boost-run tells the ranks that it starts who they are.
#include "runtime/launch/JobEnvironment.h"

#include "runtime/launch/LauncherEnvironment.h"
#include "runtime/launch/RankTable.h"
#include "runtime/launch/ResolveJob.h"
#include "runtime/launch/Variables.h"
#include "runtime/support/Suggest.h"

#include <fmt/format.h>

namespace boostrt {

Environment toEnvironment(const JobPlan &plan) {
  Environment variables{{"BOOSTC_RANK", std::to_string(plan.rank)},
                        {"BOOSTC_LAYOUT", plan.layout()},
                        {"BOOSTC_MASTER", plan.master()},
                        {"BOOSTC_TOKEN", plan.token},
                        {"BOOSTC_TOKEN_SOURCE", plan.tokenSource},
                        {"BOOSTC_SOURCE", plan.source}};
  if (plan.deviceId)
    variables.emplace("BOOSTC_DEVICE_ID", std::to_string(*plan.deviceId));
  if (plan.isPinned)
    variables.emplace("BOOSTC_PINNED", "1");
  return variables;
}

Result<std::optional<JobPlan>> planOfLauncher(Variables &variables) {
  if (!variables.has("BOOSTC_RANK"))
    return std::optional<JobPlan>();
  for (const char *name : {"BOOSTC_LAYOUT", "BOOSTC_MASTER", "BOOSTC_TOKEN"})
    if (!variables.has(name))
      return Status(ExitCode::Usage,
                    fmt::format("BOOSTC_RANK is set, but {} is not; boost-run "
                                "sets both for the ranks that it starts: unset "
                                "BOOSTC_RANK",
                                name));
  JobPlan plan;
  plan.isStarted = true;
  plan.rank = variables.number("BOOSTC_RANK", kMaxRanks - 1).value_or(0);
  plan.deviceId = variables.number("BOOSTC_DEVICE_ID", kMaxRanks - 1);
  plan.isPinned = variables.number("BOOSTC_PINNED", 1).value_or(0) == 1;
  BOOSTRT_RETURN_IF_ERROR(variables.status());
  std::string layout = *variables.text("BOOSTC_LAYOUT");
  std::optional<std::vector<uint32_t>> counts = tasksPerNode(layout);
  if (!counts)
    return Status(ExitCode::Usage,
                  fmt::format("BOOSTC_LAYOUT={}: expected the numbers of ranks "
                              "of the servers, such as 8,8",
                              printable(layout)));
  uint64_t size = 0;
  for (uint32_t count : *counts)
    size += count;
  if (size > kMaxRanks || plan.rank >= size)
    return Status(
        ExitCode::Usage,
        fmt::format("BOOSTC_RANK={}, but BOOSTC_LAYOUT={} are {} ranks",
                    plan.rank, printable(layout), size));
  plan.serverOfRank = layOut(*counts);
  plan.size = static_cast<uint32_t>(size);
  plan.server = plan.serverOfRank[plan.rank];
  plan.localRank = plan.rank - plan.firstRankOf(plan.server);
  plan.localSize = plan.ranksOf(plan.server);
  std::string master = *variables.text("BOOSTC_MASTER");
  std::optional<HostPort> place = parseHostPort(master);
  if (!place || place->port == 0)
    return Status(ExitCode::Usage, fmt::format("BOOSTC_MASTER={}: expected "
                                               "HOST:PORT",
                                               printable(master)));
  plan.masterHost = place->host;
  plan.masterPort = place->port;
  plan.token = *variables.text("BOOSTC_TOKEN");
  plan.tokenSource =
      variables.text("BOOSTC_TOKEN_SOURCE").value_or("BOOSTC_TOKEN");
  plan.source = variables.text("BOOSTC_SOURCE").value_or("BOOSTC_RANK");
  return std::optional<JobPlan>(std::move(plan));
}

} // namespace boostrt
