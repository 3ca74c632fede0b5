// What is left of a machine's memory, read from files like those of Linux.
#include "runtime/trainer/MachineMemory.h"

#include "test/runtime/support/TemporaryDirectory.h"

#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>

using namespace boostrt;
using testing::HasSubstr;

namespace {

constexpr uint64_t kMiB = 1 << 20;

class Machine {
public:
  void write(const std::string &path, const std::string &text) const {
    std::filesystem::path whole = (directory_ / path).c_str();
    std::filesystem::create_directories(whole.parent_path());
    std::ofstream(whole) << text;
  }
  MachineMemory read() const {
    std::string root = directory_ / "";
    root.pop_back(); // paths begin with a slash
    return MachineMemory::read(root);
  }

private:
  TemporaryDirectory directory_;
};

TEST(MachineMemory, CountsMemoryAndSwap) {
  Machine machine;
  EXPECT_EQ(machine.read().machine, MachineMemory::kUnlimited)
      << "a system that does not tell";
  machine.write("proc/meminfo", "MemTotal:       9000000 kB\n"
                                "MemFree:           1000 kB\n"
                                "MemAvailable:      4096 kB\n"
                                "SwapTotal:         8192 kB\n"
                                "SwapFree:          2048 kB\n");
  EXPECT_EQ(machine.read().machine, 6 * kMiB);
  EXPECT_EQ(machine.read().group, MachineMemory::kUnlimited);
}

TEST(MachineMemory, TheTightestCgroupOfVersion2Counts) {
  Machine machine;
  machine.write("proc/self/cgroup", "0::/job/task\n");
  machine.write("sys/fs/cgroup/job/task/memory.max", "max\n");
  machine.write("sys/fs/cgroup/job/task/memory.current", "1048576\n");
  EXPECT_EQ(machine.read().group, MachineMemory::kUnlimited);
  // Cached pages of files make room.
  machine.write("sys/fs/cgroup/job/memory.max", "10485760\n");
  machine.write("sys/fs/cgroup/job/memory.current", "8388608\n");
  machine.write("sys/fs/cgroup/job/memory.stat",
                "anon 5242880\nfile 3145728\ninactive_file 1048576\n"
                "active_file 2097152\n");
  MachineMemory memory = machine.read();
  EXPECT_EQ(memory.group, 5 * kMiB);
  EXPECT_THAT(memory.groupName, testing::EndsWith("/sys/fs/cgroup/job"));
  // Swap counts as far as both the group and the machine have it.
  machine.write("proc/meminfo",
                "MemAvailable: 1048576 kB\nSwapFree: 3072 kB\n");
  EXPECT_EQ(machine.read().group, 8 * kMiB);
  machine.write("sys/fs/cgroup/job/memory.swap.max", "2097152\n");
  machine.write("sys/fs/cgroup/job/memory.swap.current", "1048576\n");
  EXPECT_EQ(machine.read().group, 6 * kMiB);
  machine.write("sys/fs/cgroup/job/task/memory.max", "1048576\n");
  EXPECT_EQ(machine.read().group, 3 * kMiB) << "its own is full, but for swap";
}

TEST(MachineMemory, ACgroupOfVersion1Counts) {
  Machine machine;
  machine.write("proc/self/cgroup",
                "12:cpu,cpuacct:/other\n5:memory:/docker/1234\n");
  // As a container sees it: the mount's root is its own cgroup.
  machine.write("sys/fs/cgroup/memory/memory.limit_in_bytes", "10485760\n");
  machine.write("sys/fs/cgroup/memory/memory.usage_in_bytes", "7340032\n");
  machine.write("sys/fs/cgroup/memory/memory.stat",
                "inactive_file 99\ntotal_inactive_file 1048576\n");
  EXPECT_EQ(machine.read().group, 4 * kMiB);
  machine.write("sys/fs/cgroup/memory/docker/1234/memory.limit_in_bytes",
                "9223372036854771712\n");
  machine.write("sys/fs/cgroup/memory/docker/1234/memory.usage_in_bytes",
                "7340032\n");
  EXPECT_EQ(machine.read().group, 4 * kMiB);
}

TEST(MachineMemory, FilesThatMakeNoSenseLimitNothing) {
  Machine machine;
  machine.write("proc/meminfo", "MemAvailable\nMemAvailable: many kB\n");
  machine.write("proc/self/cgroup", "0\n:\n0::\n0::relative\nmemory:/x\n");
  machine.write("sys/fs/cgroup/memory.max", "soon\n");
  MachineMemory memory = machine.read();
  EXPECT_EQ(memory.machine, MachineMemory::kUnlimited);
  EXPECT_EQ(memory.group, MachineMemory::kUnlimited);
}

RankMemory rank(uint64_t planned) {
  constexpr uint64_t all = MachineMemory::kUnlimited;
  return {planned, all, all, all, 0};
}

void expectRefused(const Status &status, const std::string &text) {
  EXPECT_EQ(status.code(), ExitCode::Memory);
  EXPECT_EQ(status.message(), text);
}

TEST(CheckMemory, TheRanksOfAMachineShareIt) {
  std::vector<RankMemory> ranks(4, rank(3 * kMiB));
  std::vector<uint32_t> oneServer = {0, 0, 0, 0}, twoServers = {0, 0, 1, 1};
  for (RankMemory &each : ranks)
    each.machine = 12 * kMiB;
  EXPECT_TRUE(checkMemory(ranks, oneServer, false).ok());
  for (RankMemory &each : ranks)
    each.machine = 11 * kMiB;
  expectRefused(checkMemory(ranks, oneServer, false),
                "4 ranks need 12.00 MiB of memory, and the machine has 11.00 "
                "MiB left (MemAvailable and SwapFree of /proc/meminfo); use a "
                "smaller batch_size, fewer ranks here, or a machine with more "
                "memory");
  EXPECT_TRUE(checkMemory(ranks, twoServers, false).ok());
  ranks[3].machine = 5 * kMiB;
  EXPECT_FALSE(checkMemory(ranks, twoServers, false).ok());
}

TEST(CheckMemory, ThoseOfACgroupShareThat) {
  std::vector<RankMemory> ranks(2, rank(3 * kMiB));
  std::vector<uint32_t> servers = {0, 0};
  ranks[0].group = ranks[1].group = 5 * kMiB;
  expectRefused(checkMemory(ranks, servers, false),
                "2 ranks need 6.00 MiB of memory, and the cgroup has 5.00 MiB "
                "left (memory.max or memory.limit_in_bytes, less what is "
                "used); use a smaller batch_size, fewer ranks here, or a "
                "higher limit");
  ranks[1].groupKey = 1; // each has its own
  EXPECT_TRUE(checkMemory(ranks, servers, false).ok());
}

TEST(CheckMemory, AProcessHasLimitsOfItsOwn) {
  std::vector<RankMemory> ranks(2, rank(3 * kMiB));
  std::vector<uint32_t> servers = {0, 0};
  ranks[0].process = ranks[1].process = 5 * kMiB;
  EXPECT_TRUE(checkMemory(ranks, servers, false).ok());
  EXPECT_FALSE(checkMemory(ranks, servers, /*shareProcess=*/true).ok());
  ranks[1].process = 2 * kMiB;
  expectRefused(checkMemory(ranks, servers, false),
                "the run needs 3.00 MiB of memory, and the process has 2.00 "
                "MiB left (ulimit -v or -d, less what it has); use a smaller "
                "batch_size, or a higher limit");
}

TEST(CheckMemory, OfRanksThatAreToBeStarted) {
  MachineMemory memory;
  memory.machine = 5 * kMiB;
  EXPECT_TRUE(checkMemory(kMiB, 5, false, memory).ok());
  EXPECT_EQ(checkMemory(kMiB, 6, false, memory).code(), ExitCode::Memory);
}

} // namespace
