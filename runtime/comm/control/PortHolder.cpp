#include "runtime/comm/control/PortHolder.h"

#include "runtime/support/Suggest.h"

#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <set>
#include <sstream>

namespace boostrt::control {
namespace {

namespace fs = std::filesystem;

/// The links of /proc/PID/fd to the sockets that listen at `port`.
std::set<std::string> listeners(uint16_t port) {
  std::set<std::string> links;
  for (const char *table : {"/proc/net/tcp", "/proc/net/tcp6"}) {
    std::ifstream file(table);
    std::string line;
    std::getline(file, line); // the names of the columns
    while (std::getline(file, line)) {
      std::istringstream columns(line);
      std::string number, local, remote, state, queues, timer, retries, user,
          timeout, inode;
      columns >> number >> local >> remote >> state >> queues >> timer >>
          retries >> user >> timeout >> inode;
      constexpr const char *kListens = "0A";
      if (state == kListens && local.ends_with(fmt::format(":{:04X}", port)))
        links.insert(fmt::format("socket:[{}]", inode));
    }
  }
  return links;
}

bool holdsOneOf(const fs::path &process, const std::set<std::string> &links) {
  std::error_code error;
  for (fs::directory_iterator at(process / "fd", error), end;
       !error && at != end; at.increment(error)) {
    std::error_code gone;
    if (links.count(fs::read_symlink(at->path(), gone).string()))
      return true;
  }
  return false;
}

} // namespace

std::string portHolder(uint16_t port) {
  std::set<std::string> links = listeners(port);
  if (links.empty())
    return {};
  std::error_code error;
  for (fs::directory_iterator at("/proc", error), end; !error && at != end;
       at.increment(error)) {
    std::string id = at->path().filename();
    bool isProcess = id.find_first_not_of("0123456789") == std::string::npos;
    if (!isProcess || !holdsOneOf(at->path(), links))
      continue;
    std::string name;
    std::ifstream comm(at->path() / "comm");
    std::getline(comm, name);
    return fmt::format("process {} ({})", id, printable(name));
  }
  return {};
}

} // namespace boostrt::control
