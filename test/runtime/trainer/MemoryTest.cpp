#include "runtime/program/MemoryPlan.h"
#include "runtime/trainer/Arenas.h"
#include "runtime/trainer/PeakMemory.h"

#include "test/runtime/trainer/Fixtures.h"

#include <gmock/gmock.h>

#include <cstring>
#include <sys/mman.h>
#include <unistd.h>

using namespace boostrt;

namespace {

/// A scalar of the loss.
BoostAccumulator lossAt(uint64_t offset, uint64_t bytes,
                        BoostAccumulatorKind kind) {
  BoostAccumulator accumulator{};
  accumulator.tensor.offset = offset;
  accumulator.tensor.bytes = bytes;
  accumulator.kind = kind;
  return accumulator;
}

const BoostAccumulator kLoss[] = {
    lossAt(192, 4, BOOSTC_ACCUMULATOR_LOSS_SUM),
    lossAt(256, 8, BOOSTC_ACCUMULATOR_LOSS_COUNT)};

BoostProgram sized(uint32_t microBatches) {
  BoostProgram program{};
  program.accumulators = kLoss;
  program.accumulator_count = std::size(kLoss);
  uint64_t bytes[] = {1000, 2000, 300, 300, 40, 5, 6, 0};
  std::memcpy(program.arena_bytes, bytes, sizeof bytes);
  program.micro_batches = microBatches;
  return program;
}

BoostTarget target() {
  BoostTarget target{};
  target.transient_bytes = 7000;
  return target;
}

TEST(MemoryPlan, IsTheSumOfTheArenasAndTheirCopies) {
  // parameter + state + gradient sets + three batches + scalars + transient
  EXPECT_EQ(planTraining(sized(1), target()).total(),
            1000u + 2000 + 300 + 3 * 40 + 5 + 6 + 7000);
  EXPECT_EQ(planTraining(sized(8), target()).total(),
            1000u + 2000 + 4 * 300 + 3 * 40 + 5 + 6 + 7000);
}

TEST(MemoryPlan, EvaluationNeedsNeitherGradientsNorState) {
  EXPECT_EQ(planEvaluation(sized(8), target()).total(),
            1000u + 3 * 40 + 5 + 6 + 7000);
}

/// A gradient bucket of a tensor of `elements` and one of 10, summed by all.
struct Summed {
  explicit Summed(uint64_t elements) {
    operands[0].elements = elements;
    operands[1].elements = 10;
    collective.kind = BOOSTC_COLLECTIVE_ALL_REDUCE;
    collective.ranks = BOOSTC_RANKS_ALL;
    collective.operands = operands;
    collective.operand_count = 2;
    for (BoostCollectiveOperand &operand : operands)
      operand.dtype = BOOSTC_F32;
    program.collectives = &collective;
    program.collective_count = 1;
  }
  uint64_t exchange(uint32_t ranks) const {
    MemoryJob job;
    job.ranks = ranks;
    return planTraining(program, target(), job).exchange;
  }
  BoostCollectiveOperand operands[2] = {};
  BoostCollective collective = {};
  BoostProgram program = sized(1);
};

TEST(MemoryPlan, RanksReceiveWhatTheyAddUp) {
  constexpr uint64_t kMiB = 1 << 20;
  // 32 MiB: a block of 16 is summed at a time, and each rank gets the slices
  // of all others; what slices cut off is copied.
  Summed large(8 * kMiB);
  EXPECT_EQ(large.exchange(1), 0u);
  uint64_t two = large.exchange(2), four = large.exchange(4);
  EXPECT_GE(two, 8 * kMiB);
  EXPECT_LE(two, 8 * kMiB + kMiB / 2);
  EXPECT_GE(four, 12 * kMiB);
  EXPECT_LE(four, 12 * kMiB + kMiB);
  // Never more than a block to send and one to receive.
  EXPECT_LE(large.exchange(4096), 32 * kMiB);
  // Short tensors travel together.
  Summed small(30);
  EXPECT_EQ(small.exchange(2), 80u + 160);
}

TEST(MemoryPlan, RankZeroHoldsAnotherRanksStateForCheckpoints) {
  Summed summed(30);
  summed.program.state_is_private = 1;
  MemoryJob job;
  job.ranks = 2;
  auto other = [&] {
    return planTraining(summed.program, target(), job).otherState;
  };
  EXPECT_EQ(other(), 2000u);
  job.rank = 1;
  EXPECT_EQ(other(), 0u);
  job.rank = 0;
  job.keepsCheckpoints = false;
  EXPECT_EQ(other(), 0u);
  job = {};
  EXPECT_EQ(other(), 0u) << "one rank";
}

TEST(MemoryPlan, ItsTableAddsUp) {
  Summed summed(30);
  summed.program.state_is_private = 1;
  MemoryJob job;
  job.ranks = 2;
  MemoryPlan plan = planTraining(summed.program, target(), job);
  std::vector<std::string> names;
  uint64_t sum = 0;
  for (const MemoryTerm &term : plan.terms()) {
    names.push_back(term.name);
    sum += term.total();
    EXPECT_STRNE(term.formula, "") << term.name;
    EXPECT_STRNE(term.holds, "") << term.name;
  }
  EXPECT_THAT(names, testing::ElementsAre(
                         "parameter", "state", "gradient", "batch", "control",
                         "result", "transient", "exchange", "other_state"));
  EXPECT_EQ(plan.total(), sum);
  EXPECT_EQ(sum, planTraining(summed.program, target()).total() +
                     plan.exchange + 2000);
}

TEST(Arenas, AreAlignedZeroedAndWritable) {
  MemoryPlan plan = planTraining(sized(4), target());
  auto arenas = Arenas::reserve(plan);
  ASSERT_TRUE(arenas.ok()) << arenas.status().message();
  EXPECT_EQ((*arenas)->copies(BOOSTC_ARENA_GRADIENT).size(), 3u);
  EXPECT_EQ((*arenas)->copies(BOOSTC_ARENA_BATCH).size(), 3u);
  EXPECT_EQ((*arenas)->base(BOOSTC_ARENA_GRADIENT_OTHER), nullptr);
  for (int kind = 0; kind < BOOSTC_ARENA_COUNT; ++kind)
    for (std::byte *base :
         (*arenas)->copies(static_cast<BoostArenaKind>(kind))) {
      EXPECT_EQ(reinterpret_cast<uintptr_t>(base) % BOOSTC_ALIGNMENT, 0u);
      for (uint64_t i = 0; i < plan.bytes[kind]; ++i)
        ASSERT_EQ(base[i], std::byte{0});
      std::memset(base, 0xff, plan.bytes[kind]);
    }
}

TEST(ArenasDeathTest, ThePageAfterAnArenaIsOutOfBounds) {
  MemoryPlan plan = planTraining(sized(1), target());
  plan.bytes[BOOSTC_ARENA_STATE] = 4096;
  auto arenas = Arenas::reserve(plan);
  ASSERT_TRUE(arenas.ok());
  std::byte *base = (*arenas)->base(BOOSTC_ARENA_STATE);
  EXPECT_DEATH(base[4096] = std::byte{1}, "");
}

TEST(Arenas, MemoryThatIsNotThereIsAMessage) {
  MemoryPlan plan = planTraining(sized(1), target());
  plan.bytes[BOOSTC_ARENA_STATE] = uint64_t{1} << 50;
  auto arenas = Arenas::reserve(plan);
  ASSERT_FALSE(arenas.ok());
  EXPECT_EQ(arenas.status().code(), ExitCode::Memory);
  EXPECT_THAT(arenas.status().message(),
              testing::AllOf(testing::StartsWith("cannot reserve "),
                             testing::HasSubstr("use a smaller batch_size")));
}

/// Memory that knows what it was asked for; the host's, for lack of better.
class ListedMemory : public DeviceMemory {
public:
  Result<void *> allocate(uint64_t bytes, const std::string &name) override {
    if (name == refused)
      return Status(ExitCode::Internal, "no room for " + name);
    listed.emplace_back(name, bytes);
    blocks_.push_back(std::make_unique<std::byte[]>(bytes));
    std::memset(blocks_.back().get(), 0x55, bytes);
    return static_cast<void *>(blocks_.back().get());
  }
  Status copyIn(void *to, std::span<const std::byte> from) override {
    std::memcpy(to, from.data(), from.size());
    return Status();
  }
  Status finishCopies() override { return Status(); }
  Status copyOut(std::span<const DeviceCopy> copies) override {
    ++pulls;
    for (const DeviceCopy &copy : copies)
      if (!copy.to.empty())
        std::memcpy(copy.to.data(), copy.from, copy.to.size());
    return Status();
  }
  Status beginCopyOut(std::span<const DeviceCopy> copies) override {
    return copyOut(copies);
  }
  Status finishCopyOut() override { return Status(); }
  Status write(void *to, std::span<const std::byte> value) override {
    return copyIn(to, value);
  }
  Status copyBatch(void *to, std::span<const std::byte> from) override {
    ++batches;
    return copyIn(to, from);
  }
  Status finishBatches() override {
    batches = 0;
    return Status();
  }
  bool pin(std::span<std::byte> host) override {
    pinned.push_back(host);
    return pinned.size() <= pinnable;
  }
  void unpin(std::span<std::byte> host) override {
    EXPECT_GT(pulls, 0) << "with copies under way";
    EXPECT_EQ(batches, 0) << "with copies of batches under way";
    // It is still mapped.
    host.front() = host.back() = std::byte{1};
    unpinned.push_back(host.data());
  }

  std::string refused;
  std::vector<std::pair<std::string, uint64_t>> listed;
  int pulls = 0;              ///< each waits for everything but batches
  int batches = 0;            ///< copies of them that nothing waited for
  size_t pinnable = SIZE_MAX; ///< how often pin() succeeds
  std::vector<std::span<std::byte>> pinned;
  std::vector<std::byte *> unpinned;

private:
  std::vector<std::unique_ptr<std::byte[]>> blocks_;
};

TEST(Arenas, OnADeviceThePlanIsOfItsMemory) {
  ListedMemory memory;
  auto arenas = Arenas::reserve(planTraining(sized(4), target()), &memory);
  ASSERT_TRUE(arenas.ok()) << arenas.status().message();
  EXPECT_THAT(memory.listed,
              testing::ElementsAre(std::pair("arena parameter (0)", 1000u),
                                   std::pair("arena state (0)", 2000u),
                                   std::pair("arena gradient (0)", 300u),
                                   std::pair("arena gradient (1)", 300u),
                                   std::pair("arena gradient (2)", 300u),
                                   std::pair("arena batch (0)", 64u),
                                   std::pair("arena batch (1)", 64u),
                                   std::pair("arena batch (2)", 64u),
                                   std::pair("arena control (0)", 64u),
                                   std::pair("arena result (0)", 64u),
                                   std::pair("arena transient (0)", 7000u)));
  EXPECT_EQ((*arenas)->base(BOOSTC_ARENA_TRANSIENT), nullptr)
      << "the host has no use for it";
  EXPECT_EQ((*arenas)->deviceBase(BOOSTC_ARENA_GRADIENT_OTHER), nullptr);
  EXPECT_EQ((*arenas)->deviceBase(BOOSTC_ARENA_BATCH, 3), nullptr);
  EXPECT_NE((*arenas)->deviceBase(BOOSTC_ARENA_TRANSIENT), nullptr);

  // Copies are of the bytes named and no others.
  std::byte *host = (*arenas)->base(BOOSTC_ARENA_GRADIENT, 1);
  auto *device =
      static_cast<std::byte *>((*arenas)->deviceBase(BOOSTC_ARENA_GRADIENT, 1));
  ASSERT_NE(host, device);
  std::memset(host, 0x11, 300);
  ASSERT_TRUE((*arenas)
                  ->pull((*arenas)->copyOf(BOOSTC_ARENA_GRADIENT, 1, 50, 150))
                  .ok());
  for (int i = 0; i < 300; ++i)
    ASSERT_EQ(host[i], std::byte(i >= 50 && i < 150 ? 0x55 : 0x11)) << i;
  // A value is set on the device alone.
  int32_t value = 7;
  host = (*arenas)->base(BOOSTC_ARENA_GRADIENT);
  device =
      static_cast<std::byte *>((*arenas)->deviceBase(BOOSTC_ARENA_GRADIENT));
  ASSERT_TRUE(
      (*arenas)
          ->write(BOOSTC_ARENA_GRADIENT, 8, std::as_bytes(std::span(&value, 1)))
          .ok());
  EXPECT_EQ(std::memcmp(device + 8, &value, 4), 0);
  EXPECT_EQ(device[12], std::byte{0x55});
  EXPECT_EQ(host[8], std::byte{0});
  std::memset(host, 0x22, 300);
  ASSERT_TRUE((*arenas)->push(BOOSTC_ARENA_GRADIENT).ok());
  EXPECT_EQ(std::memcmp(host, device, 300), 0);
  device =
      static_cast<std::byte *>((*arenas)->deviceBase(BOOSTC_ARENA_GRADIENT, 1));
  for (int i = 0; i < 300; ++i)
    ASSERT_EQ(device[i], std::byte{0x55}) << "the next copy, " << i;
  // Nothing to copy is not a failure.
  EXPECT_TRUE((*arenas)->push(BOOSTC_ARENA_GRADIENT_OTHER).ok());
  EXPECT_TRUE((*arenas)->pull((*arenas)->copyOf(BOOSTC_ARENA_TRANSIENT)).ok());
}

TEST(Arenas, WhatStepsExchangeIsPageLocked) {
  BoostProgram program = sized(4);
  program.arena_bytes[BOOSTC_ARENA_BATCH] = 10000;
  // A large model's gradients stay where they are.
  program.arena_bytes[BOOSTC_ARENA_GRADIENT] = 100000;
  for (size_t pinnable : {size_t{8}, size_t{2}, size_t{0}}) {
    SCOPED_TRACE(pinnable);
    ListedMemory memory;
    memory.pinnable = pinnable;
    auto reserved = Arenas::reserve(planTraining(program, target()), &memory);
    ASSERT_TRUE(reserved.ok()) << "a refusal is no failure";
    std::unique_ptr<Arenas> arenas = std::move(reserved).value();
    const auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
    std::vector<std::pair<std::byte *, size_t>> expected, pinned;
    auto expect = [&](BoostArenaKind kind, uint32_t copies, size_t bytes) {
      for (uint32_t i = 0; i < copies; ++i)
        expected.emplace_back(arenas->base(kind, i),
                              (bytes + page - 1) / page * page);
    };
    expect(BOOSTC_ARENA_GRADIENT, 3, 264);
    expect(BOOSTC_ARENA_BATCH, 3, 10000);
    expect(BOOSTC_ARENA_RESULT, 1, 6);
    for (std::span<std::byte> host : memory.pinned)
      pinned.emplace_back(host.data(), host.size());
    EXPECT_EQ(pinned, expected);
    ASSERT_TRUE(arenas->pushBatch(1).ok());
    arenas.reset();
    ASSERT_EQ(memory.unpinned.size(), std::min(pinnable, expected.size()))
        << "what was refused is not unlocked";
    for (size_t i = 0; i < memory.unpinned.size(); ++i)
      EXPECT_EQ(memory.unpinned[i], expected[i].first);
  }
}

TEST(Arenas, EvaluationExchangesNoGradientsAndTheHostNothing) {
  MemoryPlan plan = planEvaluation(sized(1), target());
  EXPECT_EQ(plan.exchanged[BOOSTC_ARENA_BATCH].end, 40u);
  EXPECT_EQ(plan.exchanged[BOOSTC_ARENA_GRADIENT].end, 0u);
  EXPECT_EQ(plan.exchanged[BOOSTC_ARENA_PARAMETER].end, 0u);
  auto arenas = Arenas::reserve(plan);
  ASSERT_TRUE(arenas.ok());
  EXPECT_TRUE((*arenas)->finishPushes().ok());
  EXPECT_TRUE((*arenas)->pull((*arenas)->copyOf(BOOSTC_ARENA_RESULT)).ok());
}

TEST(MemoryPlan, WorkersThatDecodeImagesHaveARow) {
  MemoryJob job;
  job.decoding = 64 << 20;
  job.workers = 4;
  uint64_t without = planTraining(sized(1), target()).total();
  for (const MemoryPlan &plan : {planTraining(sized(1), target(), job),
                                 planEvaluation(sized(1), target(), job)}) {
    std::vector<MemoryTerm> terms = plan.terms();
    EXPECT_STREQ(terms.back().name, "decoding");
    EXPECT_EQ(terms.back().bytes, uint64_t{64} << 20);
    EXPECT_EQ(terms.back().copies, 4u);
  }
  EXPECT_EQ(planTraining(sized(1), target(), job).total(),
            without + (uint64_t{256} << 20));
  // It is not the memory of a GPU.
  job.isOnHost = false;
  EXPECT_EQ(planTraining(sized(1), target(), job).total(), without);
}

TEST(MemoryPlan, CachedSamplesHaveARowWhereTrainingIsPlanned) {
  MemoryJob job;
  uint64_t without = planTraining(sized(1), target()).total();
  job.cache = 1000;
  MemoryPlan plan = planTraining(sized(1), target(), job);
  EXPECT_STREQ(plan.terms().back().name, "cache");
  EXPECT_EQ(plan.total(), without + 1000);
  // One evaluation alone reads each image once.
  EXPECT_EQ(planEvaluation(sized(1), target(), job).cache, 0u);
  job.isOnHost = false;
  EXPECT_EQ(planTraining(sized(1), target(), job).total(), without);
}

TEST(Arenas, MemoryThatTheDeviceHasNotIsItsMessage) {
  ListedMemory memory;
  memory.refused = "arena gradient (2)";
  auto arenas = Arenas::reserve(planTraining(sized(4), target()), &memory);
  ASSERT_FALSE(arenas.ok());
  EXPECT_EQ(arenas.status().message(), "no room for arena gradient (2)");
}

TEST(PeakMemory, SeesWhatCameAndWentAfterBegin) {
  PeakMemory peak;
  peak.begin();
  constexpr size_t kBytes = 64u << 20;
  void *memory = mmap(nullptr, kBytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
  ASSERT_NE(memory, MAP_FAILED);
  munmap(memory, kBytes);
  ASSERT_TRUE(peak.bytes().has_value());
  EXPECT_NEAR(static_cast<double>(*peak.bytes()), kBytes, 2 << 20);
}

} // namespace
