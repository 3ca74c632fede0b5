// torchrun and msrun, which start one process a device and say so.
#include "runtime/launch/LauncherEnvironment.h"
#include "runtime/launch/RankTable.h"
#include "runtime/support/Suggest.h"

#include <fmt/format.h>

namespace boostrt {

DetectedEnvironment detectTorchrun(Variables &variables) {
  if (!variables.has("RANK") && !variables.has("WORLD_SIZE"))
    return std::optional<LauncherEnvironment>();
  LauncherEnvironment environment;
  environment.launcher = "torchrun";
  environment.rankName = "RANK";
  environment.sizeName = "WORLD_SIZE";
  environment.rank = variables.needNumber("RANK", "WORLD_SIZE");
  environment.size = variables.needNumber("WORLD_SIZE", "RANK");
  std::optional<std::string> master = variables.text("MASTER_ADDR");
  uint32_t port = environment.size > 1
                      ? variables.needNumber("MASTER_PORT", "RANK", 65535)
                      : variables.number("MASTER_PORT", 65535).value_or(0);
  BOOSTRT_RETURN_IF_ERROR(variables.status());
  if (environment.size > 1 && !master)
    return Status(ExitCode::Usage,
                  fmt::format("RANK={} and WORLD_SIZE={} are set, but "
                              "MASTER_ADDR, the host of rank 0, is not",
                              environment.rank, environment.size));
  if (environment.size > 1 && port == 0)
    return Status(ExitCode::Usage,
                  "MASTER_PORT=0: expected a port, 1 to 65535");
  environment.masterHost = master.value_or("127.0.0.1");
  // The launcher itself listens there when it keeps the store for its ranks.
  if (variables.text("TORCHELASTIC_USE_AGENT_STORE") == "True") {
    if (port == 65535)
      return Status(ExitCode::Usage,
                    "MASTER_PORT=65535 is taken by torchrun itself "
                    "(TORCHELASTIC_USE_AGENT_STORE=True), and ranks meet at "
                    "the port after it; give torchrun a smaller one");
    ++port;
    environment.notes.push_back(
        fmt::format("ranks meet at port {}, because torchrun itself listens at "
                    "MASTER_PORT={} (TORCHELASTIC_USE_AGENT_STORE=True)",
                    port, port - 1));
  }
  environment.masterPort = static_cast<uint16_t>(port);
  environment.job = variables.text("TORCHELASTIC_RUN_ID").value_or("");
  if (variables.has("LOCAL_RANK"))
    variables.needNumber("LOCAL_WORLD_SIZE", "LOCAL_RANK");
  BOOSTRT_RETURN_IF_ERROR(variables.status());
  // Without the local variables, as some platforms leave them out, processes
  // that meet at this host are all on it, others are alone on theirs.
  BOOSTRT_RETURN_IF_ERROR(placeInBlocks(
      environment, variables,
      {"LOCAL_RANK", "LOCAL_WORLD_SIZE", "GROUP_RANK", "GROUP_WORLD_SIZE"},
      isLoopback(environment.masterHost) ? environment.size : 1,
      "start one torchrun on each server"));
  return std::optional<LauncherEnvironment>(std::move(environment));
}

namespace {

/// The rank of a worker: msrun exports it once or twice.
Status readWorkerRank(LauncherEnvironment &environment, Variables &variables) {
  std::optional<uint32_t> rank = variables.number("RANK_ID");
  BOOSTRT_RETURN_IF_ERROR(variables.status());
  std::optional<std::string> node = variables.text("MS_NODE_ID");
  // msrun accepts a name that is not a number; it is not a rank.
  std::optional<uint32_t> nodeRank =
      node ? wholeNumber(*node, kMaxRanks) : std::nullopt;
  if (rank && nodeRank && *rank != *nodeRank)
    return Status(ExitCode::Usage,
                  fmt::format("RANK_ID={} and MS_NODE_ID={} contradict each "
                              "other; unset one of them",
                              *rank, *nodeRank));
  if (!rank && !nodeRank)
    return Status(
        ExitCode::Usage,
        fmt::format("MS_ROLE=MS_WORKER is set, but the rank of this worker is "
                    "not: {}; give msrun --node_rank, or set RANK_ID",
                    node ? fmt::format("RANK_ID is absent and MS_NODE_ID={} "
                                       "is not a number",
                                       printable(*node))
                         : "RANK_ID and MS_NODE_ID are absent"));
  environment.rankName = rank ? "RANK_ID" : "MS_NODE_ID";
  environment.rank = rank ? *rank : *nodeRank;
  return Status();
}

} // namespace

DetectedEnvironment detectMsrun(Variables &variables) {
  std::optional<std::string> role = variables.text("MS_ROLE");
  if (!role)
    return std::optional<LauncherEnvironment>();
  LauncherEnvironment environment;
  environment.launcher = "msrun";
  environment.sizeName = "MS_WORKER_NUM";
  if (*role == "MS_SCHED") {
    environment.rankName = "MS_ROLE";
    environment.isIdle = true;
    environment.notes.push_back(fmt::format(
        "MS_ROLE={}: ranks meet at rank 0, so there is nothing to schedule",
        *role));
    return std::optional<LauncherEnvironment>(std::move(environment));
  }
  if (*role != "MS_WORKER")
    return Status(ExitCode::Usage,
                  fmt::format("MS_ROLE={}: expected MS_WORKER or MS_SCHED",
                              printable(*role)));
  environment.size = variables.needNumber("MS_WORKER_NUM", "MS_ROLE");
  BOOSTRT_RETURN_IF_ERROR(variables.status());
  BOOSTRT_RETURN_IF_ERROR(readWorkerRank(environment, variables));
  BOOSTRT_RETURN_IF_ERROR(checkRank(environment));
  // msrun's own defaults.
  environment.masterHost =
      variables.text("MS_SCHED_HOST").value_or("127.0.0.1");
  uint32_t port = variables.number("MS_SCHED_PORT", 65535).value_or(8118);
  BOOSTRT_RETURN_IF_ERROR(variables.status());
  if (port == 0)
    return Status(ExitCode::Usage,
                  "MS_SCHED_PORT=0: expected a port, 1 to 65535");
  environment.masterPort = static_cast<uint16_t>(port);
  if (!isLoopback(environment.masterHost) && !variables.has("DEVICE_NUM") &&
      environment.size > 1)
    return Status(
        ExitCode::Usage,
        fmt::format("MS_WORKER_NUM={} workers meet at MS_SCHED_HOST={}, and "
                    "nothing says how many of them a server has; set "
                    "DEVICE_NUM to that number, or give a rank table "
                    "(RANK_TABLE_FILE)",
                    environment.size, printable(environment.masterHost)));
  BOOSTRT_RETURN_IF_ERROR(
      placeInBlocks(environment, variables, {"", "DEVICE_NUM", "SERVER_ID", ""},
                    environment.size, "see docs/launching.md"));
  return std::optional<LauncherEnvironment>(std::move(environment));
}

} // namespace boostrt
