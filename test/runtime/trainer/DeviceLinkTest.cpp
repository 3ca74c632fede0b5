// Which way sums take between devices, and that NCCL's is one.
#include "runtime/trainer/DeviceLink.h"

#include "runtime/comm/HostVectors.h"
#include "test/runtime/comm/Ranks.h"
#include "test/runtime/device/cuda/nccl/FakeGpu.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <thread>

using namespace boostrt;
using testing::HasSubstr;

namespace {

PeerCapability gpu(int version, const char *bus) {
  PeerCapability offer;
  offer.kind = PeerCapability::Gpu;
  offer.ncclVersion = version;
  std::strcpy(offer.bus, bus);
  return offer;
}

PeerCapability unable(PeerCapability::Kind kind, const char *why) {
  PeerCapability offer;
  offer.kind = kind;
  std::strcpy(offer.why, why);
  return offer;
}

TEST(DeviceLink, TheFirstReasonIsNamed) {
  const PeerCapability a = gpu(22809, "0000:01:00.0"),
                       b = gpu(22809, "0000:02:00.0");
  const PeerCapability simulated = unable(PeerCapability::SimulatedGpu, ""),
                       cpu;
  const std::vector<uint32_t> one = {0, 0, 0}, two = {0, 0, 1};
  EXPECT_EQ(directTransferBlocker(std::array{a, b, a}, two), "");
  EXPECT_EQ(directTransferBlocker(std::array{a, b, a}, one),
            "ranks 0 and 2 share the GPU at 0000:01:00.0, and NCCL needs one "
            "for each");
  EXPECT_EQ(
      directTransferBlocker(std::array{a, b, gpu(21403, "0000:01:00.0")}, two),
      "rank 2 has NCCL 2.14.3, and rank 0 has 2.28.9");
  EXPECT_EQ(
      directTransferBlocker(
          std::array{a, unable(PeerCapability::Gpu, "it has no NCCL"), a}, two),
      "rank 1: it has no NCCL");
  EXPECT_EQ(directTransferBlocker(std::array{a, cpu, a}, two),
            "rank 1 computes on a CPU, and rank 0 on a GPU");
  EXPECT_EQ(directTransferBlocker(std::array{simulated, b, a}, two),
            "rank 1 computes on a GPU, and rank 0 on the simulated GPU");
  EXPECT_EQ(
      directTransferBlocker(std::array{simulated, simulated, simulated}, one),
      "");
  EXPECT_EQ(directTransferBlocker(std::array{cpu, cpu, cpu}, one),
            "a CPU computes");
}

/// Vectors of which only a GPU knows where they are, here the host.
class Vectors : public HostVectors {
public:
  using HostVectors::HostVectors;
  bool isOnHost() const override { return false; }
};

/// As much of a GPU as a link asks for.
class Gpu : public Device {
public:
  std::string describe() const override { return "a GPU"; }
  Result<VectorMemory *> vectors() override { return &vectors_; }
  GpuStream *stream() override { return &stream_; }
  Status call(uint32_t, void *const *) override { return Status(); }
  void setCollectives(CollectiveRunner *,
                      std::span<const BoostCollective>) override {}
  void setRecorder(SpanRecorder *) override {}

private:
  Workspace workspace_;
  Vectors vectors_{workspace_};
  fake_nccl::Gpu stream_;
};

class Links : public testing::Test {
protected:
  Links() {
    fake_nccl::control().behave({});
    libraries.origin = std::filesystem::path(BOOSTC_FAKE_NCCL).parent_path();
  }

  using Check = std::function<Status(Ranks &, const DeviceLink &)>;
  /// Two ranks of processes, each on a server of its own or on one.
  std::vector<Status> link(CommKind comm, std::vector<uint32_t> servers,
                           const Check &check, size_t kind = 1) {
    auto job = test::transportKinds()[kind].start(2, std::chrono::seconds(60));
    std::vector<Status> statuses(2);
    std::vector<std::thread> threads;
    for (uint32_t rank = 0; rank < 2; ++rank)
      threads.emplace_back([&, rank] {
        auto transport = job->connect(rank);
        ASSERT_TRUE(transport.ok());
        Ranks ranks(std::move(transport).value(), servers);
        Gpu device;
        auto made = linkDevices(device, ranks, comm, libraries);
        statuses[rank] = made.ok() ? check(ranks, **made) : made.status();
      });
    for (std::thread &thread : threads)
      thread.join();
    return statuses;
  }
  static Status isOnHost(const DeviceLink &link, const std::string &why) {
    EXPECT_EQ(link.vectors, nullptr);
    EXPECT_EQ(link.note, "GPUs exchange gradients through the host: " + why);
    return Status();
  }

  cuda::SearchContext libraries;
};

TEST_F(Links, GpusThatNcclConnectsAddOverIt) {
  auto statuses =
      link(CommKind::Auto, {0, 1}, [](Ranks &ranks, const DeviceLink &link) {
        EXPECT_EQ(link.note,
                  "GPUs exchange gradients over nccl 2.28.9, 2 ranks");
        std::vector<float> values(1000, 1.0f + float(ranks.rank()));
        std::span<float> part = values;
        Group group(*link.transport);
        Status status =
            allReduceSum(group, {&part, 1}, ranks.workspace(), *link.vectors);
        EXPECT_EQ(values, std::vector<float>(1000, 3.0f));
        EXPECT_EQ(link.transport->traffic().sentBytes, 4000u);
        EXPECT_EQ(ranks.workspace().capacity(), 0u)
            << "the sum took the way through the host";
        return status;
      });
  for (const Status &status : statuses)
    EXPECT_TRUE(status.ok()) << status.message();
}

TEST_F(Links, WithoutNcclTheHostCarries) {
  libraries = {};
  libraries.root = testing::TempDir() + "nothing";
  if (dlopen("libnccl.so.2", RTLD_NOW | RTLD_LOCAL))
    GTEST_SKIP() << "this machine has one";
  link(CommKind::Auto, {0, 1}, [](Ranks &, const DeviceLink &link) {
    return isOnHost(link, "rank 0: libnccl.so.2 is not found");
  });
}

TEST_F(Links, RanksThatShareAGpuGoThroughTheHost) {
  link(CommKind::Auto, {0, 0}, [](Ranks &, const DeviceLink &link) {
    return isOnHost(link, "ranks 0 and 1 share the GPU at 0000:00:00.0, and "
                          "NCCL needs one for each");
  });
  link(CommKind::Gloo, {0, 1}, [](Ranks &, const DeviceLink &link) {
    return isOnHost(link, "rank 0: --comm=gloo");
  });
  // Over the transport of threads.
  link(
      CommKind::Local, {0, 0},
      [](Ranks &, const DeviceLink &link) {
        return isOnHost(link,
                        "rank 0: it is a thread of a process of several ranks");
      },
      /*kind=*/0);
}

TEST_F(Links, WhoAsksForNcclIsToldWhyNot) {
  for (const Status &status :
       link(CommKind::Nccl, {0, 0},
            [](Ranks &, const DeviceLink &) { return Status(); })) {
    EXPECT_EQ(status.code(), ExitCode::Usage);
    EXPECT_EQ(status.message(),
              "--comm=nccl cannot be: ranks 0 and 1 share the GPU at "
              "0000:00:00.0, and NCCL needs one for each; with --comm=auto "
              "the host carries what GPUs exchange");
  }
}

} // namespace
