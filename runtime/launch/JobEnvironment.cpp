// The variables by which boost-run tells the ranks that it starts who they are.
#include "runtime/launch/JobEnvironment.h"

#include "runtime/launch/Claim.h"
#include "runtime/launch/RankTable.h"
#include "runtime/launch/ResolveJob.h"
#include "runtime/launch/Variables.h"
#include "runtime/support/Suggest.h"

#include <fmt/format.h>

namespace boostrt {

Environment toEnvironment(const JobPlan &plan) {
  Environment variables{{"BOOST_RANK", std::to_string(plan.rank)},
                        {"BOOST_LAYOUT", plan.layout()},
                        {"BOOST_MASTER", plan.master()},
                        {"BOOST_TOKEN", plan.token},
                        {"BOOST_TOKEN_SOURCE", plan.tokenSource},
                        {"BOOST_SOURCE", plan.source}};
  if (plan.deviceId)
    variables.emplace("BOOST_DEVICE_ID", std::to_string(*plan.deviceId));
  if (plan.isPinned)
    variables.emplace("BOOST_PINNED", "1");
  return variables;
}

Result<std::optional<JobPlan>> planOfLauncher(Variables &variables) {
  if (!variables.has("BOOST_RANK"))
    return std::optional<JobPlan>();
  for (const char *name : {"BOOST_LAYOUT", "BOOST_MASTER", "BOOST_TOKEN"})
    if (!variables.has(name))
      return Status(ExitCode::Usage,
                    fmt::format("BOOST_RANK is set, but {} is not; boost-run "
                                "sets both for the ranks that it starts: unset "
                                "BOOST_RANK",
                                name));
  JobPlan plan;
  plan.isStarted = true;
  plan.rank = variables.number("BOOST_RANK", kMaxRanks - 1).value_or(0);
  plan.deviceId = variables.number("BOOST_DEVICE_ID", kMaxRanks - 1);
  plan.isPinned = variables.number("BOOST_PINNED", 1).value_or(0) == 1;
  BOOSTRT_RETURN_IF_ERROR(variables.status());
  std::string layout = *variables.text("BOOST_LAYOUT");
  std::optional<std::vector<uint32_t>> counts = tasksPerNode(layout);
  if (!counts)
    return Status(ExitCode::Usage,
                  fmt::format("BOOST_LAYOUT={}: expected the numbers of ranks "
                              "of the servers, such as 8,8",
                              printable(layout)));
  uint64_t size = 0;
  for (uint32_t count : *counts)
    size += count;
  if (size > kMaxRanks || plan.rank >= size)
    return Status(ExitCode::Usage,
                  fmt::format("BOOST_RANK={}, but BOOST_LAYOUT={} are {} ranks",
                              plan.rank, printable(layout), size));
  plan.serverOfRank = layOut(*counts);
  plan.size = static_cast<uint32_t>(size);
  plan.server = plan.serverOfRank[plan.rank];
  plan.localRank = plan.rank - plan.firstRankOf(plan.server);
  plan.localSize = plan.ranksOf(plan.server);
  std::string master = *variables.text("BOOST_MASTER");
  std::optional<HostPort> place = parseHostPort(master);
  if (!place || place->port == 0)
    return Status(ExitCode::Usage, fmt::format("BOOST_MASTER={}: expected "
                                               "HOST:PORT",
                                               printable(master)));
  plan.masterHost = place->host;
  plan.masterPort = place->port;
  plan.token = *variables.text("BOOST_TOKEN");
  plan.tokenSource =
      variables.text("BOOST_TOKEN_SOURCE").value_or("BOOST_TOKEN");
  plan.source = variables.text("BOOST_SOURCE").value_or("BOOST_RANK");
  return std::optional<JobPlan>(std::move(plan));
}

} // namespace boostrt
