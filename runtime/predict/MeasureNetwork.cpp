#include "runtime/predict/MeasureNetwork.h"

#include "runtime/comm/MeasureCosts.h"
#include "runtime/comm/control/ControlServer.h"
#include "runtime/comm/control/Token.h"
#include "runtime/comm/gloo/GlooTransport.h"
#include "runtime/comm/local/LocalJob.h"
#include "runtime/predict/OnRankThreads.h"

#include <functional>

namespace boostrt {
namespace {

using Connect =
    std::function<Result<std::unique_ptr<Transport>>(uint32_t rank)>;

Result<CommCosts> measure(uint32_t ranks, bool pins, size_t vectorBytes,
                          const Connect &connect) {
  CommCosts costs;
  Status status = onRankThreads(ranks, pins, [&](uint32_t rank) {
    Result<std::unique_ptr<Transport>> transport = connect(rank);
    if (!transport.ok())
      return transport.status();
    Group group(**transport);
    Workspace workspace;
    Result<CommCosts> found = measureCosts(group, workspace, vectorBytes);
    if (!found.ok()) {
      (*transport)->abort(found.status().message());
      return found.status();
    }
    if (rank == 0)
      costs = *found; // all have found the same
    return Status();
  });
  if (!status.ok())
    return status;
  return costs;
}

} // namespace

Result<CommCosts> measureNetwork(uint32_t ranks, RankLink link,
                                 size_t vectorBytes) {
  if (link == RankLink::Memory) {
    LocalJob job(ranks);
    return measure(ranks, /*pins=*/false, vectorBytes,
                   [&](uint32_t rank) { return job.connect(rank); });
  }
  Result<std::string> token = control::drawToken();
  if (!token.ok())
    return token.status();
  control::ServerOptions serverOptions;
  serverOptions.token = *token;
  serverOptions.size = ranks;
  Result<std::unique_ptr<control::ControlServer>> server =
      control::ControlServer::start(serverOptions);
  if (!server.ok())
    return server.status();
  GlooOptions options;
  options.size = ranks;
  options.token = *token;
  options.masterPort = (*server)->port();
  return measure(ranks, /*pins=*/true, vectorBytes, [&](uint32_t rank) {
    GlooOptions own = options;
    own.rank = rank;
    return connectGloo(own);
  });
}

} // namespace boostrt
