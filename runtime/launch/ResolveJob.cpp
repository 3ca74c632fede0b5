#include "runtime/launch/ResolveJob.h"

#include "runtime/launch/JobEnvironment.h"
#include "runtime/launch/LauncherEnvironment.h"
#include "runtime/launch/RankTablePlan.h"
#include "runtime/launch/Rendezvous.h"
#include "runtime/support/Suggest.h"

#include <fmt/format.h>

#include <algorithm>

namespace boostrt {
namespace {

Status usage(std::string message) {
  return Status(ExitCode::Usage, std::move(message));
}

std::string said(const LauncherEnvironment &environment) {
  return fmt::format("{} says {}={} and {}={}", environment.launcher,
                     environment.rankName, environment.rank,
                     environment.sizeName, environment.size);
}

std::string sourceOf(const LauncherEnvironment &environment) {
  return fmt::format("{} ({}, {})", environment.launcher, environment.rankName,
                     environment.sizeName);
}

class Resolver {
public:
  explicit Resolver(const JobInputs &inputs)
      : inputs_(inputs), options_(inputs.options),
        variables_(inputs.environment) {}

  Result<JobPlan> resolve() {
    Result<std::optional<JobPlan>> started = planOfLauncher(variables_);
    if (!started.ok())
      return started.status();
    if (*started) {
      // The launcher that has set those has looked at everything else.
      (*started)->comm = options_.comm;
      return **std::move(started);
    }
    BOOSTRT_RETURN_IF_ERROR(collectClaims());
    BOOSTRT_RETURN_IF_ERROR(plan());
    if (plan_.isIdle)
      return plan_;
    plan_.comm = options_.comm;
    BOOSTRT_RETURN_IF_ERROR(checkComm());
    BOOSTRT_RETURN_IF_ERROR(checkSizeVariable());
    BOOSTRT_RETURN_IF_ERROR(checkLogDir());
    if (!plan_.ranksAreThreads() && (plan_.size > 1 || plan_.startsRanks)) {
      // A launcher of one process knows nothing of the ranks that this starts.
      bool isItsJob =
          !asksForRanks() && !claims_.empty() && claims_[0].size > 1;
      BOOSTRT_RETURN_IF_ERROR(resolveRendezvous(
          plan_, inputs_, isItsJob ? &claims_[0] : nullptr, variables_));
    }
    noteFlagsWithoutEffect();
    return plan_;
  }

private:
  /// What launchers say, the first source first.
  Status collectClaims() {
    for (auto find :
         {detectTorchrun, detectMsrun, detectSlurm, detectOpenMpi, detectPmi}) {
      DetectedEnvironment environment = find(variables_);
      if (!environment.ok())
        return environment.status();
      if (*environment)
        claims_.push_back(**std::move(environment));
    }
    // One process of Slurm's on each host may be another launcher's helper.
    bool isHolder = claims_.size() > 1 || asksForRanks();
    std::erase_if(claims_, [&](const LauncherEnvironment &environment) {
      bool differs =
          inputs_.rankTable && inputs_.rankTable->size() != environment.size;
      return environment.isNested && (isHolder || differs);
    });
    for (size_t i = 1; i < claims_.size(); ++i)
      BOOSTRT_RETURN_IF_ERROR(checkAgreement(claims_[0], claims_[i]));
    if (claims_.empty() || claims_[0].problem.empty() || inputs_.rankTable)
      return Status();
    return usage(claims_[0].problem);
  }

  static Status checkAgreement(const LauncherEnvironment &first,
                               const LauncherEnvironment &other) {
    if (first.isIdle || other.isIdle)
      return usage(fmt::format("{}, but {}; unset the variables of the one "
                               "that has not started this process",
                               said(first), said(other)));
    bool differs = first.rank != other.rank || first.size != other.size;
    if (differs)
      return usage(fmt::format("{}, but {}; unset the variables of the one "
                               "that has not started this process",
                               said(first), said(other)));
    if (!first.localRankName.empty() && !other.localRankName.empty() &&
        first.localRank != other.localRank)
      return usage(fmt::format("{}={}, but {}={}; unset the variables of the "
                               "one that has not started this process",
                               first.localRankName, first.localRank,
                               other.localRankName, other.localRank));
    return Status();
  }

  bool asksForRanks() const { return options_.ranks || options_.nodes; }

  Status plan() {
    bool isJob = !claims_.empty() && claims_[0].size > 1;
    if (asksForRanks()) {
      if (inputs_.rankTable)
        return usage(fmt::format("--{} and the rank table '{}' both say which "
                                 "ranks there are; leave one of them out",
                                 options_.ranks ? "ranks" : "nnodes",
                                 inputs_.rankTable->path));
      if (isJob || (!claims_.empty() && claims_[0].isIdle))
        return usage(fmt::format(
            "--{} starts ranks, but {}: each of those would start them; leave "
            "--{} out, or start one process",
            options_.ranks ? "ranks" : "nnodes", said(claims_[0]),
            options_.ranks ? "ranks" : "nnodes"));
      return planFromCommandLine();
    }
    if (!claims_.empty() && claims_[0].isIdle) {
      plan_.isIdle = true;
      plan_.source = "msrun (MS_ROLE)";
      plan_.notes = claims_[0].notes;
      return Status();
    }
    if (inputs_.rankTable)
      return planFromTable(isJob);
    if (options_.nodeRank)
      return usage("--node-rank says which of several servers this is; it "
                   "needs --nnodes N or a rank table");
    if (!claims_.empty())
      planFromClaim(claims_[0]);
    return Status();
  }

  Status planFromCommandLine() {
    uint32_t ranks = options_.ranks.value_or(1),
             nodes = options_.nodes.value_or(1);
    if (uint64_t{ranks} * nodes > kMaxRanks)
      return usage(fmt::format("--ranks={} on --nnodes={} servers are more "
                               "than {} ranks",
                               ranks, nodes, kMaxRanks));
    if (nodes > 1 && !options_.nodeRank)
      return usage(fmt::format("--nnodes={} needs --node-rank I, which of them "
                               "this is, from 0 to {}",
                               nodes, nodes - 1));
    uint32_t server = options_.nodeRank.value_or(0);
    if (server >= nodes)
      return usage(fmt::format("--node-rank={}, but --nnodes={}: expected 0 to "
                               "{}",
                               server, nodes, nodes - 1));
    plan_.source = options_.nodes
                       ? fmt::format("the command line ({}--nnodes, "
                                     "--node-rank)",
                                     options_.ranks ? "--ranks, " : "")
                       : "the command line (--ranks)";
    lay(std::vector<uint32_t>(nodes, ranks), server * ranks);
    plan_.startsRanks = plan_.size > 1 || options_.logDir.has_value();
    if (options_.comm == CommKind::Local)
      plan_.startsRanks = false;
    return Status();
  }

  Status planFromTable(bool isJob) {
    const RankTable &table = *inputs_.rankTable;
    Result<PlaceInTable> place =
        findPlaceInTable(table, options_.nodeRank, variables_,
                         isJob ? &claims_[0] : nullptr, inputs_.hostNames);
    if (!place.ok())
      return place.status();
    plan_.source = place->source;
    lay(table.ranksOfServer(), place->rank);
    plan_.startsRanks = place->startsRanks;
    for (const RankTable::Device &device : table.servers[plan_.server].devices)
      plan_.startedDeviceIds.push_back(device.id);
    if (!place->startsRanks) {
      plan_.deviceId = plan_.startedDeviceIds[plan_.localRank];
      plan_.startedDeviceIds.clear();
    }
    if (isJob)
      plan_.notes = claims_[0].notes;
    return Status();
  }

  void planFromClaim(const LauncherEnvironment &environment) {
    plan_.source = sourceOf(environment);
    lay(environment.ranksOfServer, environment.rank);
    plan_.notes = environment.notes;
  }

  void lay(const std::vector<uint32_t> &ranksOfServer, uint32_t rank) {
    plan_.serverOfRank = layOut(ranksOfServer);
    plan_.size = static_cast<uint32_t>(plan_.serverOfRank.size());
    plan_.rank = rank;
    plan_.server = plan_.serverOfRank[rank];
    plan_.localRank = rank - plan_.firstRankOf(plan_.server);
    plan_.localSize = plan_.ranksOf(plan_.server);
  }

  Status checkComm() const {
    if (options_.comm != CommKind::Local || plan_.size == 1)
      return Status();
    if (!asksForRanks())
      return usage(fmt::format("--comm=local makes all ranks threads of one "
                               "process, but this is one of {} ranks, from {}; "
                               "take --comm=gloo",
                               plan_.size, plan_.source));
    if (plan_.servers() > 1)
      return usage(fmt::format("--comm=local makes all ranks threads of one "
                               "process, but --nnodes={}; take --comm=gloo",
                               plan_.servers()));
    return Status();
  }

  Status checkLogDir() const {
    if (!options_.logDir || plan_.startsRanks)
      return Status();
    std::string why =
        plan_.ranksAreThreads() ? "--comm=local starts none"
        : plan_.source.empty()
            ? "this process is the only one (--ranks N starts N)"
            : plan_.source + " has started this one; let that write the logs";
    return usage("--log-dir is for ranks that boost-run starts, and " + why);
  }

  void noteFlagsWithoutEffect() {
    auto note = [&](std::initializer_list<const char *> flags,
                    const std::string &why) {
      for (const char *flag : flags)
        if (options_.given.count(flag))
          plan_.notes.push_back(
              fmt::format("--{} has no effect, because {}", flag, why));
    };
    std::string threads = "ranks are threads of this process (--comm=local)";
    bool areThreads = plan_.ranksAreThreads();
    if (areThreads || plan_.size == 1)
      note({"master", "token-file", "join-deadline", "rank-deadline"},
           areThreads ? threads : "there is one rank");
    if (plan_.size == 1)
      note({"comm", "check-replicas"}, "there is one rank");
    if (!plan_.startsRanks)
      note({"grace", "pin"}, areThreads ? threads
                             : plan_.size == 1
                                 ? "there is one rank"
                                 : plan_.source + " has started this one");
  }

  /// RANK_SIZE without the file or the launcher that it belongs to.
  Status checkSizeVariable() {
    std::optional<uint32_t> size = variables_.number("RANK_SIZE");
    BOOSTRT_RETURN_IF_ERROR(variables_.status());
    if (!size || *size == plan_.size || *size <= 1)
      return Status();
    if (plan_.source.empty())
      return usage(fmt::format("RANK_SIZE={} is set, but nothing says where "
                               "the ranks are: set RANK_TABLE_FILE too, or "
                               "start them with --ranks {}, or unset it",
                               *size, *size));
    return usage(fmt::format("RANK_SIZE={}, but there are {} ranks by {}; "
                             "unset it, or correct it",
                             *size, plan_.size, plan_.source));
  }

  const JobInputs &inputs_;
  const LaunchOptions &options_;
  Variables variables_;
  std::vector<LauncherEnvironment> claims_;
  JobPlan plan_;
};

} // namespace

Result<std::string> rankTablePath(const LaunchOptions &options,
                                  const Environment &environment) {
  Variables variables(environment);
  if (variables.has("BOOSTC_RANK"))
    return std::string(); // the launcher has read it
  std::optional<std::string> variable = variables.text("RANK_TABLE_FILE");
  if (options.rankTable && variable && *options.rankTable != *variable)
    return usage(fmt::format("--rank-table says '{}', but RANK_TABLE_FILE={}; "
                             "leave one of them out",
                             printable(*options.rankTable),
                             printable(*variable)));
  return options.rankTable.value_or(variable.value_or(""));
}

Result<JobPlan> resolveJob(const JobInputs &inputs) {
  return Resolver(inputs).resolve();
}

} // namespace boostrt
