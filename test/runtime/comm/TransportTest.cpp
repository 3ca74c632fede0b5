// What every transport promises in Transport.h.
#include "runtime/comm/Collectives.h"
#include "runtime/comm/HostVectors.h"
#include "test/runtime/comm/WrappedTransport.h"
#include "test/runtime/device/cuda/nccl/GpuRanks.h"
#include "test/runtime/device/cuda/nccl/NcclRanks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

using namespace boostrt;
using namespace boostrt::test;
using ::testing::AllOf;
using ::testing::HasSubstr;

namespace {

using std::chrono::milliseconds;
using Bytes = CarriedVector<std::byte>;

/// There may be too few GPUs.
#define NEEDS_RANKS(count)                                                     \
  if (GetParam().maxRanks < (count))                                           \
  GTEST_SKIP() << "it takes " << (count) << " GPUs"

/// Different for every sender, receiver and number.
Bytes content(uint32_t from, uint32_t to, uint32_t number, size_t size) {
  Bytes bytes(size);
  for (size_t i = 0; i < size; ++i)
    bytes[i] = std::byte(from * 31 + to * 7 + number * 3 + i);
  return bytes;
}

std::vector<TransportKind> kinds() {
  std::vector<TransportKind> kinds = allTransportKinds();
  if (std::optional<TransportKind> onGpus = ncclOnGpus())
    kinds.push_back(*onGpus);
  return kinds;
}

class Transports : public ::testing::TestWithParam<TransportKind> {
protected:
  /// All ranks fail with this message, which says who, where and why.
  void expectFailure(const std::vector<Status> &statuses,
                     const std::vector<std::string> &parts) {
    for (const Status &status : statuses) {
      EXPECT_EQ(status.code(), ExitCode::RankLost) << status.message();
      for (const std::string &part : parts)
        EXPECT_THAT(status.message(), HasSubstr(part));
      EXPECT_EQ(status.message(), statuses[0].message());
    }
  }
};

INSTANTIATE_TEST_SUITE_P(Over, Transports, ::testing::ValuesIn(kinds()),
                         [](const auto &info) { return kindName(info.param); });

TEST_P(Transports, SaysWhoItIs) {
  NEEDS_RANKS(3u);
  expectRanks(GetParam(), 3, [&](Transport &transport) {
    EXPECT_EQ(transport.size(), 3u);
    EXPECT_LT(transport.rank(), 3u);
    EXPECT_THAT(transport.describe(),
                AllOf(HasSubstr(GetParam().name), HasSubstr("3 ranks")));
    return Status();
  });
}

TEST_P(Transports, CarryMessagesOfAllSizes) {
  const std::vector<size_t> sizes = {0, 1, 3, 64, 4097, 1 << 20, 5000003};
  expectRanks(GetParam(), 2, [&](Transport &transport) {
    uint32_t self = transport.rank(), other = 1 - self;
    uint64_t total = 0;
    for (uint32_t i = 0; i < sizes.size(); ++i) {
      Bytes out = content(self, other, i, sizes[i]), in(sizes[i]);
      Outgoing send{other, out};
      Incoming receive{other, in};
      BOOSTRT_RETURN_IF_ERROR(transport.exchange({&send, 1}, {&receive, 1}));
      EXPECT_EQ(in, content(other, self, i, sizes[i])) << sizes[i];
      total += sizes[i];
    }
    EXPECT_EQ(transport.traffic().sentBytes, total);
    EXPECT_EQ(transport.traffic().receivedBytes, total);
    EXPECT_EQ(transport.traffic().sentMessages, sizes.size());
    EXPECT_EQ(transport.traffic().receivedMessages, sizes.size());
    return Status();
  });
}

// Several messages of different lengths between each two, also to oneself, all
// under way together: they arrive in the order in which they were sent.
TEST_P(Transports, KeepTheOrderOfMessagesBetweenTwo) {
  constexpr uint32_t count = 5;
  auto size = [](uint32_t from, uint32_t to, uint32_t number) {
    return size_t(from * 1000 + to * 100 + number * (number % 2 ? 1 : 40000));
  };
  for (uint32_t ranks = 1; ranks <= std::min(9u, GetParam().maxRanks); ++ranks)
    expectRanks(GetParam(), ranks, [&](Transport &transport) {
      uint32_t self = transport.rank();
      std::vector<Bytes> out, in;
      std::vector<Outgoing> sends;
      std::vector<Incoming> receives;
      uint64_t bytes = 0;
      for (uint32_t number = 0; number < count; ++number)
        for (uint32_t peer = 0; peer < ranks; ++peer) {
          out.push_back(content(self, peer, number, size(self, peer, number)));
          in.emplace_back(size(peer, self, number));
          bytes += peer == self ? 0 : out.back().size();
        }
      for (uint32_t i = 0; i < out.size(); ++i)
        sends.push_back({i % ranks, out[i]});
      // Waited for in another order than they come.
      for (uint32_t peer = ranks; peer-- > 0;)
        for (uint32_t number = 0; number < count; ++number)
          receives.push_back({peer, in[number * ranks + peer]});
      std::vector<size_t> order;
      BOOSTRT_RETURN_IF_ERROR(
          transport.exchangeEach(sends, receives, [&](size_t i) {
            uint32_t peer = receives[i].from;
            uint32_t number = uint32_t(i) % count;
            EXPECT_EQ(in[number * ranks + peer],
                      content(peer, self, number, size(peer, self, number)));
            order.push_back(i);
          }));
      std::vector<size_t> all(receives.size());
      for (size_t i = 0; i < all.size(); ++i)
        all[i] = i;
      EXPECT_EQ(order, all);
      EXPECT_EQ(transport.traffic().sentBytes, bytes);
      EXPECT_EQ(transport.traffic().sentMessages, count * (ranks - 1));
      EXPECT_EQ(transport.traffic().receivedMessages, count * (ranks - 1));
      return Status();
    });
}

TEST_P(Transports, AMessageMayBeReceivedInALaterCallThanAnother) {
  expectRanks(GetParam(), 2, [&](Transport &transport) {
    const Bytes sent = {std::byte(1), std::byte(2)};
    Bytes got(2);
    if (transport.rank() == 0) {
      Outgoing sends[] = {{1, {&sent[0], 1}}, {1, {&sent[1], 1}}};
      return transport.exchange(sends, {});
    }
    for (std::byte &byte : got) {
      std::this_thread::sleep_for(milliseconds(20));
      Incoming receive{0, {&byte, 1}};
      BOOSTRT_RETURN_IF_ERROR(transport.exchange({}, {&receive, 1}));
    }
    EXPECT_EQ(got, sent);
    return Status();
  });
}

TEST_P(Transports, NameBothSizesOfAMismatch) {
  NEEDS_RANKS(3u);
  auto statuses = runRanks(GetParam(), 3, [&](Transport &transport) {
    transport.setActivity({7, "bucket 2", "model.json:14:5"});
    Group group(transport);
    // Rank 1 has another program.
    Bytes data(transport.rank() == 1 ? 30 : 20);
    uint32_t self = transport.rank();
    std::vector<Outgoing> sends;
    std::vector<Incoming> receives;
    Bytes in(60);
    for (uint32_t peer = 0; peer < 3; ++peer)
      if (peer != self) {
        sends.push_back({peer, data});
        receives.push_back(
            {peer, std::span(in).subspan(peer * 20, self == 1 ? 30 : 20)});
      }
    if (self == 1)
      receives[1].data = receives[1].data.first(20);
    Status status = transport.exchange(sends, receives);
    EXPECT_FALSE(status.ok());
    return status;
  });
  expectFailure(statuses, {"bytes of rank ", ", which sent ", "30", "20",
                           "same program"});
}

TEST_P(Transports, FailForEverWithTheFirstMessage) {
  auto statuses = runRanks(GetParam(), 2, [&](Transport &transport) {
    transport.setActivity({3, "bucket 1", "model.json:2:3"});
    if (transport.rank() == 0) {
      transport.abort("loss is not a number");
      transport.abort("a second cause");
    }
    Group group(transport);
    Status first = barrier(group);
    Status second = barrier(group);
    EXPECT_EQ(first.message(), second.message());
    return second;
  });
  expectFailure(statuses,
                {"rank 0 gave up in step 3, bucket 1 (model.json:2:3): loss is "
                 "not a number"});
}

// One rank gives up in another thread, while all wait.
TEST_P(Transports, AbortEndsAPendingWait) {
  NEEDS_RANKS(3u);
  auto begin = std::chrono::steady_clock::now();
  auto statuses = runRanks(GetParam(), 3, [&](Transport &transport) {
    std::thread watch;
    if (transport.rank() == 2)
      watch = std::thread([&] {
        std::this_thread::sleep_for(milliseconds(50));
        transport.abort("stopped by the user");
      });
    // Nothing of rank 0 comes to any rank.
    Bytes in(1);
    Incoming receive{transport.rank() ? 0u : 1u, in};
    Status status = transport.exchange({}, {&receive, 1});
    if (watch.joinable())
      watch.join();
    return status;
  });
  expectFailure(statuses, {"rank 2 gave up before the first step: stopped by "
                           "the user"});
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(5));
}

TEST_P(Transports, NameTheRankThatAllWaitFor) {
  NEEDS_RANKS(4u);
  std::atomic<uint32_t> failed = 0;
  auto statuses = runRanks(
      GetParam(), 4,
      [&](Transport &transport) {
        transport.setActivity({5, "bucket 0", ""});
        Group group(transport);
        Status status = barrier(group);
        if (transport.rank() == 2)
          while (failed < 3) // at something else; then its own call fails too
            std::this_thread::sleep_for(milliseconds(10));
        transport.setActivity({6, "bucket 1", ""});
        status = barrier(group);
        ++failed;
        return status;
      },
      milliseconds(1500));
  expectFailure(statuses, {"rank 2 has not answered", "in step 5, bucket 0"});
}

TEST_P(Transports, NameARankThatLeavesEarly) {
  NEEDS_RANKS(3u);
  auto statuses = runRanks(GetParam(), 3, [&](Transport &transport) {
    transport.setActivity({9, "bucket 3", ""});
    Group group(transport);
    BOOSTRT_RETURN_IF_ERROR(barrier(group));
    if (transport.rank() == 1)
      return Status();
    return barrier(group);
  });
  EXPECT_TRUE(statuses[1].ok());
  statuses.erase(statuses.begin() + 1);
  expectFailure(statuses, {"rank 1 has left the job", "waits for it"});
}

TEST_P(Transports, NameADeadlock) {
  NEEDS_RANKS(3u);
  auto statuses = runRanks(
      GetParam(), 3,
      [&](Transport &transport) {
        Bytes in(1);
        Incoming receive{(transport.rank() + 1) % 3, in};
        return transport.exchange({}, {&receive, 1});
      },
      milliseconds(1500));
  expectFailure(statuses, {"ranks wait for each other", "same program"});
}

/// Gives up before call number `calls`.
class Interrupted : public WrappedTransport {
public:
  Interrupted(Transport &base, int calls)
      : WrappedTransport(base), calls_(calls) {}
  Status exchangeEach(std::span<const Outgoing> sends,
                      std::span<const Incoming> receives,
                      const std::function<void(size_t)> &received) override {
    if (calls_-- == 0)
      abort("interrupted");
    return WrappedTransport::exchangeEach(sends, receives, received);
  }

private:
  int calls_;
};

/// With scratch memory that the transport carries.
class CarriedHostVectors : public HostVectors {
public:
  using HostVectors::HostVectors;
  Result<std::byte *> reserve(size_t bytes) override {
    if (scratch_.size() < bytes)
      scratch_.resize(bytes);
    return scratch_.data();
  }

private:
  Bytes scratch_;
};

// Each rank gives up once before each message of an all-reduce.
TEST_P(Transports, FailWhereverAnAllReduceIsInterrupted) {
  NEEDS_RANKS(4u);
  for (uint32_t culprit = 0; culprit < 4; ++culprit)
    for (int point = 0; point < 6; ++point) {
      // Two calls of exchange(), or two for the halves and two for the slices.
      auto algorithm =
          point < 2 ? AllReduceAlgorithm::Direct : AllReduceAlgorithm::Halving;
      int calls = point < 2 ? point : point - 2;
      auto statuses = runRanks(GetParam(), 4, [&](Transport &transport) {
        Interrupted interrupted(transport,
                                transport.rank() == culprit ? calls : -1);
        transport.setActivity({2, "bucket 0", ""});
        Group group(interrupted);
        Workspace workspace;
        CarriedHostVectors memory(workspace);
        CarriedVector<float> values(50000, 1);
        std::span<float> part = values;
        return allReduceSum(group, std::span(&part, 1), workspace, memory,
                            algorithm);
      });
      std::string cause = "rank " + std::to_string(culprit) +
                          " gave up in step 2, bucket 0: interrupted";
      // A rank that needed nothing more of the culprit may have finished.
      EXPECT_FALSE(statuses[culprit].ok());
      for (const Status &status : statuses)
        if (!status.ok()) {
          EXPECT_EQ(status.message(), cause);
        }
    }
}

} // namespace
