#include "test/runtime/comm/Ranks.h"

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

template <typename Job>
std::unique_ptr<TestJob> start(uint32_t size,
                               std::chrono::milliseconds deadline) {
  return std::make_unique<Job>(size, deadline);
}

} // namespace

const std::vector<TransportKind> &transportKinds() {
  static const std::vector<TransportKind> kinds = {
      {"local", start<LocalTestJob>},
  };
  return kinds;
}

std::string kindName(const TransportKind &kind) { return kind.name; }

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
