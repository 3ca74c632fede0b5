#include "runtime/trainer/MachineMemory.h"

#include "runtime/support/ByteText.h"
#include "runtime/support/ProcText.h"

#include <algorithm>
#include <fmt/format.h>
#include <functional>
#include <optional>
#include <sstream>
#include <string_view>
#include <sys/resource.h>
#include <vector>

namespace boostrt {
namespace {

constexpr uint64_t kUnlimited = MachineMemory::kUnlimited;

std::optional<uint64_t> numberIn(const std::string &path) {
  std::optional<std::string> text = procText(path);
  return text ? leadingNumber(*text) : std::nullopt;
}

/// numberAfter(), 0 without such a line.
uint64_t valueOf(const std::string &text, std::string_view key) {
  return numberAfter(text, key).value_or(0);
}

uint64_t lessUsed(uint64_t limit, uint64_t used) {
  return limit > used ? limit - used : 0;
}

/// Files in which a version of cgroups says what it limits and what is used.
struct GroupFiles {
  const char *limit, *used, *inactive, *active;
  const char *swapLimit, *swapUsed; ///< null: swap is not counted
};
constexpr GroupFiles kVersion1 = {"memory.limit_in_bytes",
                                  "memory.usage_in_bytes",
                                  "total_inactive_file ",
                                  "total_active_file ",
                                  nullptr,
                                  nullptr};
constexpr GroupFiles kVersion2 = {"memory.max",      "memory.current",
                                  "inactive_file ",  "active_file ",
                                  "memory.swap.max", "memory.swap.current"};

/// What is left in the cgroup whose folder is `path`. Pages of files that are
/// cached make room when they must.
uint64_t leftInGroup(const std::string &path, const GroupFiles &files,
                     uint64_t freeSwap) {
  std::optional<uint64_t> limit = numberIn(path + "/" + files.limit);
  std::optional<uint64_t> used = numberIn(path + "/" + files.used);
  if (!limit || !used)
    return kUnlimited;
  std::string stat = procText(path + "/memory.stat").value_or("");
  uint64_t cached = valueOf(stat, files.inactive) + valueOf(stat, files.active);
  uint64_t left = lessUsed(*limit, lessUsed(*used, cached));
  if (!files.swapLimit)
    return left;
  uint64_t swap =
      lessUsed(numberIn(path + "/" + files.swapLimit).value_or(kUnlimited),
               numberIn(path + "/" + files.swapUsed).value_or(0));
  return left + std::min(swap, freeSwap);
}

/// Looks at the cgroup `name` under `mount` and at all around it. A container
/// may see its own as the mount's root, whatever /proc calls it.
void tightenByGroups(const std::string &mount, std::string name,
                     const GroupFiles &files, uint64_t freeSwap,
                     MachineMemory &memory) {
  for (;;) {
    std::string path = mount + (name == "/" ? "" : name);
    uint64_t left = leftInGroup(path, files, freeSwap);
    if (left < memory.group) {
      memory.group = left;
      memory.groupName = path;
    }
    if (name.empty() || name == "/")
      return;
    name.resize(name.rfind('/'));
  }
}

/// Lines of /proc/self/cgroup: hierarchy, controllers and name with colons
/// between them.
void readGroups(const std::string &root, uint64_t freeSwap,
                MachineMemory &memory) {
  std::istringstream lines(procText(root + "/proc/self/cgroup").value_or(""));
  for (std::string line; std::getline(lines, line);) {
    size_t first = line.find(':'), second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos)
      continue;
    std::string controllers = line.substr(first + 1, second - first - 1);
    std::string name = line.substr(second + 1);
    if (name.empty() || name[0] != '/')
      continue;
    if (controllers.empty())
      tightenByGroups(root + "/sys/fs/cgroup", name, kVersion2, freeSwap,
                      memory);
    else if (("," + controllers + ",").find(",memory,") != std::string::npos)
      tightenByGroups(root + "/sys/fs/cgroup/memory", name, kVersion1, 0,
                      memory);
  }
}

uint64_t leftOfLimit(int resource, uint64_t used) {
  rlimit limit;
  if (getrlimit(static_cast<__rlimit_resource>(resource), &limit) != 0 ||
      limit.rlim_cur == RLIM_INFINITY)
    return kUnlimited;
  return lessUsed(limit.rlim_cur, used);
}

/// What limits memory, for messages.
struct Place {
  const char *name;
  const char *source; ///< of its number
  const char *remedy;
};
constexpr Place kProcess = {"the process", "ulimit -v or -d, less what it has",
                            "higher limit"};
constexpr Place kGroup = {
    "the cgroup", "memory.max or memory.limit_in_bytes, less what is used",
    "higher limit"};
constexpr Place kMachine = {"the machine",
                            "MemAvailable and SwapFree of /proc/meminfo",
                            "machine with more memory"};

Status tooLittle(uint64_t planned, uint32_t ranks, uint64_t left,
                 const Place &place) {
  return Status(
      ExitCode::Memory,
      fmt::format(
          "{} {} of memory, and {} has {} left ({}); use a smaller "
          "batch_size, {}a {}",
          ranks == 1 ? "the run needs" : fmt::format("{} ranks need", ranks),
          describeBytes(planned), place.name, describeBytes(left), place.source,
          ranks == 1 ? "or " : "fewer ranks here, or ", place.remedy));
}

} // namespace

MachineMemory MachineMemory::read(const std::string &root) {
  MachineMemory memory;
  std::string info = procText(root + "/proc/meminfo").value_or("");
  uint64_t freeSwap = valueOf(info, "SwapFree:") * 1024;
  if (uint64_t available = valueOf(info, "MemAvailable:") * 1024)
    memory.machine = available + freeSwap;
  readGroups(root, freeSwap, memory);
  std::string status = procText(root + "/proc/self/status").value_or("");
  memory.process =
      std::min(leftOfLimit(RLIMIT_AS, valueOf(status, "VmSize:") * 1024),
               leftOfLimit(RLIMIT_DATA, valueOf(status, "VmData:") * 1024));
  return memory;
}

Status checkMemory(std::span<const RankMemory> ranks,
                   std::span<const uint32_t> serverOfRank, bool shareProcess) {
  for (size_t r = 0; r < ranks.size(); ++r) {
    const RankMemory &own = ranks[r];
    auto check = [&](uint64_t left, auto &&shares, const Place &place) {
      uint64_t planned = 0;
      uint32_t count = 0;
      for (size_t other = 0; other < ranks.size(); ++other)
        if (serverOfRank[other] == serverOfRank[r] && shares(other)) {
          planned += ranks[other].planned;
          ++count;
        }
      return planned > left ? tooLittle(planned, count, left, place) : Status();
    };
    BOOSTRT_RETURN_IF_ERROR(check(
        own.process, [&](size_t other) { return shareProcess || other == r; },
        kProcess));
    BOOSTRT_RETURN_IF_ERROR(check(
        own.group,
        [&](size_t other) { return ranks[other].groupKey == own.groupKey; },
        kGroup));
    BOOSTRT_RETURN_IF_ERROR(
        check(own.machine, [](size_t) { return true; }, kMachine));
  }
  return Status();
}

static RankMemory describe(uint64_t planned, const MachineMemory &memory) {
  return {planned, memory.process, memory.group, memory.machine,
          std::hash<std::string>()(memory.groupName)};
}

Status checkMemory(uint64_t plannedEach, uint32_t ranks, bool shareProcess,
                   const MachineMemory &memory) {
  std::vector<RankMemory> all(ranks, describe(plannedEach, memory));
  return checkMemory(all, std::vector<uint32_t>(ranks), shareProcess);
}

Status checkMemory(uint64_t planned, Ranks &ranks, const MachineMemory &memory,
                   uint64_t *total) {
  std::vector<RankMemory> all(ranks.size());
  BOOSTRT_RETURN_IF_ERROR(
      ranks.gather(describe(planned, memory), std::span(all)));
  if (total) {
    *total = 0;
    for (const RankMemory &rank : all)
      *total += rank.planned;
  }
  Status status = checkMemory(all, ranks.servers(), ranks.isThread());
  // All ranks find the same; none is to end before the others know.
  if (!status.ok())
    BOOSTRT_RETURN_IF_ERROR(ranks.barrier());
  return status;
}

} // namespace boostrt
