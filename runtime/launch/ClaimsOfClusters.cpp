// Slurm and the launchers of MPI.
#include "runtime/launch/Claim.h"
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
Status placeInStep(Claim &claim, Variables &variables) {
  BOOSTRT_RETURN_IF_ERROR(checkRank(claim));
  constexpr const char *kTasks = "SLURM_STEP_TASKS_PER_NODE";
  constexpr const char *kRemedy = "start with srun --distribution=block";
  std::optional<std::string> list = variables.text(kTasks);
  if (!list)
    return placeInBlocks(
        claim, variables,
        {"SLURM_LOCALID", "", "SLURM_NODEID", "SLURM_STEP_NUM_NODES"},
        claim.size /
            std::max(variables.number("SLURM_STEP_NUM_NODES").value_or(1u), 1u),
        kRemedy);
  std::optional<std::vector<uint32_t>> counts = tasksPerNode(*list);
  if (!counts)
    return Status(ExitCode::Usage,
                  fmt::format("{}={}: expected a list such as 8(x2),4", kTasks,
                              printable(*list)));
  uint64_t sum = std::accumulate(counts->begin(), counts->end(), uint64_t{0});
  if (sum != claim.size)
    return Status(ExitCode::Usage, fmt::format("{}={} are {} tasks, but {}={}",
                                               kTasks, printable(*list), sum,
                                               claim.sizeName, claim.size));
  uint32_t first = 0;
  claim.server = 0;
  while (claim.rank - first >= (*counts)[claim.server])
    first += (*counts)[claim.server++];
  claim.localSize = (*counts)[claim.server];
  claim.localRank = claim.rank - first;
  claim.ranksOfServer = std::move(*counts);
  for (auto [name, computed] : {std::pair{"SLURM_NODEID", claim.server},
                                std::pair{"SLURM_LOCALID", claim.localRank}}) {
    std::optional<uint32_t> said = variables.number(name);
    if (said && *said != computed)
      return Status(
          ExitCode::Usage,
          fmt::format("{}={}, but {}={} and {}={} make it {}: the ranks of a "
                      "server must be neighbours; {}",
                      name, *said, claim.rankName, claim.rank, kTasks,
                      printable(*list), computed, kRemedy));
  }
  if (variables.has("SLURM_LOCALID"))
    claim.localRankName = "SLURM_LOCALID";
  return variables.status();
}

} // namespace

FoundClaim claimOfSlurm(Variables &variables) {
  // In a batch script and in a shell of salloc there are variables of Slurm's
  // too, but no step and one process.
  bool isStep = variables.has("SLURM_STEP_ID") ||
                variables.has("SLURM_STEP_NODELIST") ||
                variables.has("SLURM_STEP_NUM_TASKS");
  if (!isStep || !variables.has("SLURM_PROCID"))
    return std::optional<Claim>();
  Claim claim;
  claim.launcher = "Slurm";
  claim.rankName = "SLURM_PROCID";
  claim.sizeName = variables.has("SLURM_STEP_NUM_TASKS")
                       ? "SLURM_STEP_NUM_TASKS"
                       : "SLURM_NTASKS";
  claim.rank = variables.number("SLURM_PROCID").value_or(0);
  claim.size = variables.needNumber(claim.sizeName, "SLURM_PROCID");
  BOOSTRT_RETURN_IF_ERROR(variables.status());
  BOOSTRT_RETURN_IF_ERROR(placeInStep(claim, variables));
  claim.mayHoldAnother = claim.ranksOfServer.size() == claim.size;
  claim.job = fmt::format("{}.{}", variables.text("SLURM_JOB_ID").value_or(""),
                          variables.text("SLURM_STEP_ID").value_or(""));
  if (claim.ranksOfServer.size() == 1) {
    claim.masterHost = "127.0.0.1";
  } else if (auto list = variables.text("SLURM_STEP_NODELIST")) {
    std::optional<std::string> host = firstHostOf(*list);
    if (!host)
      return Status(ExitCode::Usage,
                    fmt::format("SLURM_STEP_NODELIST={}: expected a list such "
                                "as node[01-04]; say where rank 0 is with "
                                "--master HOST:PORT",
                                printable(*list)));
    claim.masterHost = *host;
  } else {
    claim.masterHost = variables.text("SLURM_LAUNCH_NODE_IPADDR").value_or("");
  }
  return std::optional<Claim>(std::move(claim));
}

FoundClaim claimOfOpenMpi(Variables &variables) {
  constexpr const char *kRank = "OMPI_COMM_WORLD_RANK",
                       *kSize = "OMPI_COMM_WORLD_SIZE";
  if (!variables.has(kRank) && !variables.has(kSize))
    return std::optional<Claim>();
  Claim claim;
  claim.launcher = "Open MPI";
  claim.rankName = kRank;
  claim.sizeName = kSize;
  claim.rank = variables.needNumber(kRank, kSize);
  claim.size = variables.needNumber(kSize, kRank);
  if (claim.size > 1)
    variables.needNumber("OMPI_COMM_WORLD_LOCAL_SIZE", kRank);
  BOOSTRT_RETURN_IF_ERROR(variables.status());
  BOOSTRT_RETURN_IF_ERROR(placeInBlocks(
      claim, variables,
      {"OMPI_COMM_WORLD_LOCAL_RANK", "OMPI_COMM_WORLD_LOCAL_SIZE", "", ""},
      claim.size, "start with mpirun --map-by slot"));
  claim.job = variables.text("OMPI_MCA_ess_base_jobid")
                  .value_or(variables.text("PMIX_NAMESPACE").value_or(""));
  if (claim.ranksOfServer.size() == 1)
    claim.masterHost = "127.0.0.1";
  return std::optional<Claim>(std::move(claim));
}

FoundClaim claimOfPmi(Variables &variables) {
  if (!variables.has("PMI_RANK") && !variables.has("PMI_SIZE"))
    return std::optional<Claim>();
  Claim claim;
  claim.launcher = "PMI";
  claim.rankName = "PMI_RANK";
  claim.sizeName = "PMI_SIZE";
  claim.rank = variables.needNumber("PMI_RANK", "PMI_SIZE");
  claim.size = variables.needNumber("PMI_SIZE", "PMI_RANK");
  BOOSTRT_RETURN_IF_ERROR(variables.status());
  // srun --mpi=pmi2 sets the two above alone, and Slurm's say the rest.
  if (claim.size > 1 && !variables.has("MPI_LOCALNRANKS"))
    claim.problem = fmt::format(
        "PMI_RANK={} and PMI_SIZE={} are set, but MPI_LOCALNRANKS, the ranks "
        "of this server, is not; set it, or give a rank table "
        "(RANK_TABLE_FILE)",
        claim.rank, claim.size);
  BOOSTRT_RETURN_IF_ERROR(placeInBlocks(
      claim, variables, {"MPI_LOCALRANKID", "MPI_LOCALNRANKS", "", ""},
      claim.size, "start with mpiexec -ppn N"));
  claim.job = variables.text("PMI_PORT").value_or("");
  if (claim.ranksOfServer.size() == 1)
    claim.masterHost = "127.0.0.1";
  return std::optional<Claim>(std::move(claim));
}

} // namespace boostrt
