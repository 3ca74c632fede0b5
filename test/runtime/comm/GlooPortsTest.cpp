// Gloo's own ports ask for no token while the ranks connect: who comes there
// can make the job fail, and no more.
#include "runtime/comm/control/ControlClient.h"
#include "runtime/comm/gloo/GlooTransport.h"
#include "test/runtime/comm/Processes.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <sys/socket.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace boostrt;
using namespace boostrt::control;
using namespace boostrt::test;

namespace {

using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;

/// The TCP ports on which a process listens.
std::set<uint16_t> portsOf(pid_t process) {
  std::string folder = "/proc/" + std::to_string(process);
  std::set<std::string> own;
  std::error_code error;
  for (const auto &entry :
       std::filesystem::directory_iterator(folder + "/fd", error)) {
    std::string target = std::filesystem::read_symlink(entry, error).string();
    if (target.starts_with("socket:["))
      own.insert(target.substr(8, target.size() - 9));
  }
  std::set<uint16_t> ports;
  std::ifstream table(folder + "/net/tcp");
  std::string line;
  while (std::getline(table, line)) {
    std::istringstream fields(line);
    std::string local, state, inode, skipped;
    fields >> skipped >> local >> skipped >> state;
    for (int i = 0; i < 5; ++i)
      fields >> skipped;
    fields >> inode;
    if (state == "0A" && own.count(inode)) // listening
      ports.insert(
          static_cast<uint16_t>(std::stoul(local.substr(9), nullptr, 16)));
  }
  return ports;
}

/// A rank 0 of 2, whose other rank never connects to it. `disturb(port)` is
/// done to each of Gloo's ports; returns the exit code.
int endOfDisturbedRank(const std::function<void(uint16_t)> &disturb) {
  GlooOptions options;
  options.size = 2;
  options.isMaster = true;
  options.masterPort = freePort();
  options.token = "secret";
  options.connectDeadline = milliseconds(500);
  pid_t rank = fork();
  if (rank == 0) {
    alarm(30);
    int code = static_cast<int>(connectGloo(options).status().code());
    _exit(code);
  }
  ClientOptions absent;
  absent.port = options.masterPort;
  absent.token = "secret";
  absent.rank = 1;
  absent.size = 2;
  auto client = ControlClient::connect(absent);
  EXPECT_TRUE(client.ok()) << client.status().message();
  std::set<uint16_t> ports;
  for (int i = 0; i < 1000 && ports.size() < 2; ++i) {
    ports = portsOf(rank);
    std::this_thread::sleep_for(milliseconds(5));
  }
  EXPECT_EQ(ports.size(), 2u); // of the control plane, and for rank 1
  for (uint16_t port : ports)
    if (port != options.masterPort)
      disturb(port);
  // Rank 1 did not want to be found.
  client->reset();
  int status;
  waitpid(rank, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

Socket connectToPort(uint16_t port) {
  auto socket =
      connectTo("127.0.0.1", port, Clock::now() + std::chrono::seconds(10));
  EXPECT_TRUE(socket.ok()) << socket.status().message();
  return std::move(socket).value();
}

TEST(GlooPorts, AStrangerWhoTalksEndsTheJobOnly) {
  for (char byte : {'x', '\1'})
    EXPECT_EQ(endOfDisturbedRank([&](uint16_t port) {
                Socket socket = connectToPort(port);
                sendAll(socket, std::string(200, byte));
                std::this_thread::sleep_for(milliseconds(50));
              }),
              static_cast<int>(ExitCode::RankLost));
}

// As a rank does that dies while it connects.
TEST(GlooPorts, AConnectionThatIsResetAtOnceEndsTheJobOnly) {
  for (int round = 0; round < 2; ++round)
    EXPECT_EQ(endOfDisturbedRank([&](uint16_t port) {
                Socket socket = connectToPort(port);
                linger reset = {1, 0};
                setsockopt(socket.get(), SOL_SOCKET, SO_LINGER, &reset,
                           sizeof(reset));
              }),
              static_cast<int>(ExitCode::RankLost));
}

} // namespace
