// Slurm and the launchers of MPI.
#include "runtime/launch/LauncherEnvironment.h"
#include "runtime/launch/RankTable.h"
#include "runtime/support/Suggest.h"

#include <fmt/format.h>

#include <numeric>

namespace boostrt {

std::optional<std::string> firstHostOf(std::string_view nodeList) {
  size_t end = nodeList.find_first_of(",[");
  std::string host(nodeList.substr(0, end));
  if (end == std::string_view::npos || nodeList[end] == ',')
    return host.empty() ? std::nullopt : std::optional(host);
  // A bracket holds numbers and ranges: its first number is the first host's.
  std::string_view inside = nodeList.substr(end + 1);
  size_t close = inside.find(']');
  size_t stop = inside.find_first_not_of("0123456789");
  if (close == std::string_view::npos || stop == 0)
    return std::nullopt;
  host += inside.substr(0, stop);
  std::string_view rest = inside.substr(close + 1);
  // "rack[1-2]-node[3-4]": brackets may follow, and text between them.
  if (rest.empty() || rest.front() == ',')
    return host;
  std::optional<std::string> tail = firstHostOf(rest);
  return tail ? std::optional(host + *tail) : std::nullopt;
}

std::optional<std::vector<uint32_t>> tasksPerNode(std::string_view list) {
  std::vector<uint32_t> counts;
  while (true) {
    size_t comma = list.find(',');
    std::string_view part = list.substr(0, comma);
    size_t open = part.find("(x");
    std::optional<uint32_t> tasks =
        wholeNumber(part.substr(0, open), kMaxRanks);
    std::optional<uint32_t> times = 1;
    if (open != std::string_view::npos)
      times = part.ends_with(')')
                  ? wholeNumber(part.substr(open + 2, part.size() - open - 3),
                                kMaxRanks)
                  : std::nullopt;
    if (!tasks || *tasks == 0 || !times || *times == 0 ||
        counts.size() + *times > kMaxRanks)
      return std::nullopt;
    counts.insert(counts.end(), *times, *tasks);
    if (comma == std::string_view::npos)
      return counts;
    list = list.substr(comma + 1);
  }
}

namespace {

/// Slurm names the tasks of every node: servers may differ.
Status placeInStep(LauncherEnvironment &environment, Variables &variables) {
  BOOSTRT_RETURN_IF_ERROR(checkRank(environment));
  constexpr const char *kTasks = "SLURM_STEP_TASKS_PER_NODE";
  constexpr const char *kRemedy = "start with srun --distribution=block";
  std::optional<std::string> list = variables.text(kTasks);
  if (!list)
    return placeInBlocks(
        environment, variables,
        {"SLURM_LOCALID", "", "SLURM_NODEID", "SLURM_STEP_NUM_NODES"},
        environment.size /
            std::max(variables.number("SLURM_STEP_NUM_NODES").value_or(1u), 1u),
        kRemedy);
  std::optional<std::vector<uint32_t>> counts = tasksPerNode(*list);
  if (!counts)
    return Status(ExitCode::Usage,
                  fmt::format("{}={}: expected a list such as 8(x2),4", kTasks,
                              printable(*list)));
  uint64_t sum = std::accumulate(counts->begin(), counts->end(), uint64_t{0});
  if (sum != environment.size)
    return Status(ExitCode::Usage,
                  fmt::format("{}={} are {} tasks, but {}={}", kTasks,
                              printable(*list), sum, environment.sizeName,
                              environment.size));
  uint32_t first = 0;
  environment.server = 0;
  while (environment.rank - first >= (*counts)[environment.server])
    first += (*counts)[environment.server++];
  environment.localSize = (*counts)[environment.server];
  environment.localRank = environment.rank - first;
  environment.ranksOfServer = std::move(*counts);
  for (auto [name, computed] :
       {std::pair{"SLURM_NODEID", environment.server},
        std::pair{"SLURM_LOCALID", environment.localRank}}) {
    std::optional<uint32_t> said = variables.number(name);
    if (said && *said != computed)
      return Status(
          ExitCode::Usage,
          fmt::format("{}={}, but {}={} and {}={} make it {}: the ranks of a "
                      "server must be neighbours; {}",
                      name, *said, environment.rankName, environment.rank,
                      kTasks, printable(*list), computed, kRemedy));
  }
  if (variables.has("SLURM_LOCALID"))
    environment.localRankName = "SLURM_LOCALID";
  return variables.status();
}

} // namespace

DetectedEnvironment detectSlurm(Variables &variables) {
  // In a batch script and in a shell of salloc there are variables of Slurm's
  // too, but no step and one process.
  bool isStep = variables.has("SLURM_STEP_ID") ||
                variables.has("SLURM_STEP_NODELIST") ||
                variables.has("SLURM_STEP_NUM_TASKS");
  if (!isStep || !variables.has("SLURM_PROCID"))
    return std::optional<LauncherEnvironment>();
  LauncherEnvironment environment;
  environment.launcher = "Slurm";
  environment.rankName = "SLURM_PROCID";
  environment.sizeName = variables.has("SLURM_STEP_NUM_TASKS")
                             ? "SLURM_STEP_NUM_TASKS"
                             : "SLURM_NTASKS";
  environment.rank = variables.number("SLURM_PROCID").value_or(0);
  environment.size = variables.needNumber(environment.sizeName, "SLURM_PROCID");
  BOOSTRT_RETURN_IF_ERROR(variables.status());
  BOOSTRT_RETURN_IF_ERROR(placeInStep(environment, variables));
  environment.isNested = environment.ranksOfServer.size() == environment.size;
  environment.job =
      fmt::format("{}.{}", variables.text("SLURM_JOB_ID").value_or(""),
                  variables.text("SLURM_STEP_ID").value_or(""));
  if (environment.ranksOfServer.size() == 1) {
    environment.masterHost = "127.0.0.1";
  } else if (auto list = variables.text("SLURM_STEP_NODELIST")) {
    std::optional<std::string> host = firstHostOf(*list);
    if (!host)
      return Status(ExitCode::Usage,
                    fmt::format("SLURM_STEP_NODELIST={}: expected a list such "
                                "as node[01-04]; say where rank 0 is with "
                                "--master HOST:PORT",
                                printable(*list)));
    environment.masterHost = *host;
  } else {
    environment.masterHost =
        variables.text("SLURM_LAUNCH_NODE_IPADDR").value_or("");
  }
  return std::optional<LauncherEnvironment>(std::move(environment));
}

DetectedEnvironment detectOpenMpi(Variables &variables) {
  constexpr const char *kRank = "OMPI_COMM_WORLD_RANK",
                       *kSize = "OMPI_COMM_WORLD_SIZE";
  if (!variables.has(kRank) && !variables.has(kSize))
    return std::optional<LauncherEnvironment>();
  LauncherEnvironment environment;
  environment.launcher = "Open MPI";
  environment.rankName = kRank;
  environment.sizeName = kSize;
  environment.rank = variables.needNumber(kRank, kSize);
  environment.size = variables.needNumber(kSize, kRank);
  if (environment.size > 1)
    variables.needNumber("OMPI_COMM_WORLD_LOCAL_SIZE", kRank);
  BOOSTRT_RETURN_IF_ERROR(variables.status());
  BOOSTRT_RETURN_IF_ERROR(placeInBlocks(
      environment, variables,
      {"OMPI_COMM_WORLD_LOCAL_RANK", "OMPI_COMM_WORLD_LOCAL_SIZE", "", ""},
      environment.size, "start with mpirun --map-by slot"));
  environment.job =
      variables.text("OMPI_MCA_ess_base_jobid")
          .value_or(variables.text("PMIX_NAMESPACE").value_or(""));
  if (environment.ranksOfServer.size() == 1)
    environment.masterHost = "127.0.0.1";
  return std::optional<LauncherEnvironment>(std::move(environment));
}

DetectedEnvironment detectPmi(Variables &variables) {
  if (!variables.has("PMI_RANK") && !variables.has("PMI_SIZE"))
    return std::optional<LauncherEnvironment>();
  LauncherEnvironment environment;
  environment.launcher = "PMI";
  environment.rankName = "PMI_RANK";
  environment.sizeName = "PMI_SIZE";
  environment.rank = variables.needNumber("PMI_RANK", "PMI_SIZE");
  environment.size = variables.needNumber("PMI_SIZE", "PMI_RANK");
  BOOSTRT_RETURN_IF_ERROR(variables.status());
  // srun --mpi=pmi2 sets the two above alone, and Slurm's say the rest.
  if (environment.size > 1 && !variables.has("MPI_LOCALNRANKS"))
    environment.problem = fmt::format(
        "PMI_RANK={} and PMI_SIZE={} are set, but MPI_LOCALNRANKS, the ranks "
        "of this server, is not; set it, or give a rank table "
        "(RANK_TABLE_FILE)",
        environment.rank, environment.size);
  BOOSTRT_RETURN_IF_ERROR(placeInBlocks(
      environment, variables, {"MPI_LOCALRANKID", "MPI_LOCALNRANKS", "", ""},
      environment.size, "start with mpiexec -ppn N"));
  environment.job = variables.text("PMI_PORT").value_or("");
  if (environment.ranksOfServer.size() == 1)
    environment.masterHost = "127.0.0.1";
  return std::optional<LauncherEnvironment>(std::move(environment));
}

} // namespace boostrt
