#include "test/runtime/comm/Ranks.h"

#include "runtime/comm/control/ControlServer.h"
#include "runtime/comm/gloo/GlooTransport.h"
#include "runtime/comm/local/LocalJob.h"

#include <gtest/gtest.h>

#include <thread>

namespace boostrt::test {
namespace {

class LocalTestJob : public TestJob {
public:
  LocalTestJob(uint32_t size, std::chrono::milliseconds deadline)
      : job_(size, deadline) {}
  Result<std::unique_ptr<Transport>> connect(uint32_t rank) override {
    return job_.connect(rank);
  }

private:
  LocalJob job_;
};

/// Ranks in one process, but with the sockets of several. The test serves.
class GlooTestJob : public TestJob {
public:
  GlooTestJob(uint32_t size, std::chrono::milliseconds deadline) {
    options_.size = size;
    options_.token = "the ranks of a test";
    control::ServerOptions server;
    server.token = options_.token;
    server.size = size;
    server.stallDeadline = deadline;
    auto started = control::ControlServer::start(server);
    EXPECT_TRUE(started.ok()) << started.status().message();
    if (!started.ok())
      return;
    server_ = std::move(started).value();
    options_.masterPort = server_->port();
  }
  Result<std::unique_ptr<Transport>> connect(uint32_t rank) override {
    GlooOptions options = options_;
    options.rank = rank;
    return connectGloo(options);
  }

private:
  GlooOptions options_;
  std::unique_ptr<control::ControlServer> server_;
};

template <typename Job>
std::unique_ptr<TestJob> start(uint32_t size,
                               std::chrono::milliseconds deadline) {
  return std::make_unique<Job>(size, deadline);
}

} // namespace

const std::vector<TransportKind> &transportKinds() {
  static const std::vector<TransportKind> kinds = {
      {"local", start<LocalTestJob>},
      {"gloo", start<GlooTestJob>},
  };
  return kinds;
}

std::string kindName(const TransportKind &kind) { return kind.title; }

CarriedMemory &carriedMemory() {
  static CarriedMemory memory;
  return memory;
}

std::vector<Status> runRanks(const TransportKind &kind, uint32_t size,
                             const std::function<Status(Transport &)> &rank,
                             std::chrono::milliseconds deadline) {
  std::unique_ptr<TestJob> job = kind.start(size, deadline);
  std::vector<Status> statuses(size);
  std::vector<std::thread> threads;
  for (uint32_t i = 0; i < size; ++i)
    threads.emplace_back([&, i] {
      auto transport = job->connect(i);
      statuses[i] = transport.ok() ? rank(**transport) : transport.status();
    });
  for (std::thread &thread : threads)
    thread.join();
  return statuses;
}

void expectRanks(const TransportKind &kind, uint32_t size,
                 const std::function<Status(Transport &)> &rank) {
  std::vector<Status> statuses = runRanks(kind, size, rank);
  for (uint32_t i = 0; i < size; ++i)
    EXPECT_TRUE(statuses[i].ok())
        << "rank " << i << " of " << size << ": " << statuses[i].message();
}

} // namespace boostrt::test
