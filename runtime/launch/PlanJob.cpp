// resolveJob() for the process that calls it.
#include "runtime/launch/ResolveJob.h"
#include "runtime/launch/Variables.h"
#include "runtime/support/File.h"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

namespace boostrt {
namespace {

std::vector<std::string> namesOfThisHost() {
  std::vector<std::string> names;
  char name[256] = {};
  if (gethostname(name, sizeof name - 1) == 0 && name[0] != '\0')
    names.push_back(name);
  ifaddrs *list = nullptr;
  if (getifaddrs(&list) != 0)
    return names;
  for (const ifaddrs *each = list; each; each = each->ifa_next) {
    if (!each->ifa_addr)
      continue;
    int family = each->ifa_addr->sa_family;
    const void *address = nullptr;
    if (family == AF_INET)
      address = &reinterpret_cast<sockaddr_in *>(each->ifa_addr)->sin_addr;
    else if (family == AF_INET6)
      address = &reinterpret_cast<sockaddr_in6 *>(each->ifa_addr)->sin6_addr;
    char text[INET6_ADDRSTRLEN] = {};
    if (address && inet_ntop(family, address, text, sizeof text))
      names.push_back(text);
  }
  freeifaddrs(list);
  return names;
}

} // namespace

Result<JobPlan> planJob(const LaunchOptions &options) {
  JobInputs inputs;
  inputs.options = options;
  inputs.environment = currentEnvironment();
  inputs.hostNames = namesOfThisHost();
  Result<std::string> path = rankTablePath(options, inputs.environment);
  if (!path.ok())
    return path.status();
  if (!path->empty()) {
    Result<RankTable> table = readRankTable(*path);
    if (!table.ok())
      return table.status();
    inputs.rankTable = std::move(table).value();
  }
  if (options.tokenFile) {
    constexpr uint64_t kMaxBytes = 4096;
    Result<std::vector<uint8_t>> token = readWholeFile(
        realFileSystem(), *options.tokenFile, kMaxBytes, ExitCode::Usage);
    if (!token.ok())
      return token.status();
    inputs.tokenFile = std::string(token->begin(), token->end());
  }
  return resolveJob(inputs);
}

} // namespace boostrt
