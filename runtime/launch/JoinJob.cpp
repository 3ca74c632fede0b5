#include "runtime/launch/JoinJob.h"

#include "runtime/comm/gloo/GlooTransport.h"
#include "runtime/support/Streams.h"

#include <algorithm>

namespace boostrt {

Result<std::unique_ptr<Transport>> joinJob(const JobPlan &plan,
                                           const LaunchOptions &options) {
  if (plan.size == 1)
    return std::unique_ptr<Transport>();
  auto milliseconds = [](double seconds) {
    return std::chrono::milliseconds(static_cast<int64_t>(seconds * 1e3));
  };
  GlooOptions gloo;
  gloo.rank = plan.rank;
  gloo.size = plan.size;
  gloo.masterHost = plan.masterHost;
  gloo.masterPort = plan.masterPort;
  gloo.token = plan.token;
  gloo.isMaster = plan.rank == 0;
  gloo.connectDeadline = milliseconds(options.joinDeadline);
  // The launcher passes on what its ranks say, and they all wait for the same.
  if (!plan.isStarted || plan.localRank == 0)
    gloo.notice.tell = [](const std::string &text) {
      printNote("boost-run: {}\n", text);
    };
  gloo.silenceDeadline = milliseconds(options.rankDeadline);
  // A few may come late before the deadline passes.
  gloo.heartbeat =
      std::min(gloo.heartbeat, milliseconds(options.rankDeadline / 8));
  return connectGloo(gloo);
}

} // namespace boostrt
