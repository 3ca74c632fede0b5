#include "test/runtime/device/cuda/nccl/NcclRanks.h"

#include "test/runtime/device/cuda/nccl/FakeGpu.h"

namespace boostrt::test {
namespace {

/// Over Gloo's control plane.
class NcclTestJob : public TestJob {
public:
  NcclTestJob(uint32_t size, std::chrono::milliseconds deadline)
      : hosts_(transportKinds()[1].start(size, deadline)) {}
  Result<std::unique_ptr<Transport>> connect(uint32_t rank) override {
    Result<std::unique_ptr<Transport>> host = hosts_->connect(rank);
    if (!host.ok())
      return host;
    Result<std::unique_ptr<fake_nccl::Connection>> connection =
        fake_nccl::connect(std::move(host).value());
    if (!connection.ok())
      return connection.status();
    return std::unique_ptr<Transport>(std::move(connection).value());
  }

private:
  std::unique_ptr<TestJob> hosts_;
};

} // namespace

const std::vector<TransportKind> &allTransportKinds() {
  static const std::vector<TransportKind> kinds = [] {
    std::vector<TransportKind> all = transportKinds();
    all.push_back({"nccl",
                   [](uint32_t size, std::chrono::milliseconds deadline)
                       -> std::unique_ptr<TestJob> {
                     return std::make_unique<NcclTestJob>(size, deadline);
                   }});
    return all;
  }();
  return kinds;
}

} // namespace boostrt::test
