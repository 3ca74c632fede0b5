// Collectives that overlap the backward, on a GPU that does everything as late
// as it may, or as early: what they wait for, and what waits for them.
#include "runtime/device/cuda/CudaDevice.h"
#include "runtime/device/cuda/GpuVectors.h"
#include "sim/SimDriver.h"
#include "test/runtime/device/TestFunctions.h"
#include "test/runtime/device/cuda/FakeDriver.h"

#include <algorithm>
#include <array>

using namespace boostrt;

namespace {

/// In a step: three gradients, a cache line each, and what becomes of them.
struct Memory {
  struct alignas(64) Line {
    float value;
  };
  Line gradients[3];
  Line applied;
  std::array<float, 3> values() const {
    return {gradients[0].value, gradients[1].value, gradients[2].value};
  }
};

int32_t launchOn(const BoostEnv *env, void (*kernel)(void *), void *operand) {
  void *operands[] = {reinterpret_cast<void *>(kernel), operand};
  return env->launch(env, 0, operands);
}

void addOne(void *gradient) { ++static_cast<Memory::Line *>(gradient)->value; }
void apply(void *memory) {
  auto *m = static_cast<Memory *>(memory);
  for (Memory::Line &gradient : m->gradients) {
    m->applied.value += gradient.value;
    gradient.value = 0;
  }
}

/// The last gradient is never announced.
int32_t micro(const BoostEnv *env, void *const *arenas) {
  auto *memory = static_cast<Memory *>(arenas[BOOSTC_ARENA_GRADIENT]);
  for (uint32_t i = 0; i < 3; ++i) {
    void *operand = &memory->gradients[i];
    if (int32_t status = launchOn(env, addOne, operand))
      return status;
    if (i < 2)
      env->gradients_ready(env, i, &operand);
  }
  return BOOSTC_CALL_OK;
}

int32_t update(const BoostEnv *env, void *const *arenas) {
  auto *memory = static_cast<Memory *>(arenas[BOOSTC_ARENA_GRADIENT]);
  for (uint32_t i = 0; i < 3; ++i) {
    void *operand = &memory->gradients[i];
    if (int32_t status = env->collective(env, i, &operand))
      return status;
  }
  return launchOn(env, apply, memory);
}

void timesTen(void *gradient) {
  static_cast<Memory::Line *>(gradient)->value *= 10;
}

/// Makes each gradient ten times itself and sees what the GPU has done by then.
/// Where a driver is named, the GPU does it, and no test waits here.
class Exchange : public CollectiveRunner {
public:
  Status run(uint32_t index, void *const *operands) override {
    seen[index] = memory->values();
    if (driver) {
      const std::array<uint64_t, 2> arguments = {
          reinterpret_cast<uint64_t>(timesTen),
          reinterpret_cast<uint64_t>(operands[0])};
      return driver->launch(0, fake_cuda::kCall, arguments);
    }
    timesTen(operands[0]);
    return index == failing ? Status(ExitCode::RankLost, "lost") : Status();
  }
  bool isEarly() const override { return early; }
  bool worksOnDevice() const override { return driver; }

  GpuDriver *driver = nullptr;
  Memory *memory = nullptr;
  bool early = true;
  uint32_t failing = UINT32_MAX;
  std::array<std::array<float, 3>, 3> seen{};
};

using Values = std::array<float, 3>;

class Overlap : public FakeDriver {
protected:
  void make() {
    create();
    set("FAKE_CUDA_IMAGE", "ptx80");
    target.kind = BOOSTC_TARGET_CUDA;
    target.modules = modules;
    target.launches = &fake_cuda::kCall;
    target.launch_count = 1;
    functions.giveTo(target);
    functions.set(BOOSTC_FUNCTION_MICRO, "micro", micro);
    functions.set(BOOSTC_FUNCTION_UPDATE, "update", update);
    functions.set(BOOSTC_FUNCTION_COMBINE, "combine", micro);
    for (uint32_t i = 0; i < 3; ++i)
      schedule[i] = {BOOSTC_COLLECTIVE_ALL_REDUCE,
                     BOOSTC_RANKS_ALL,
                     i,
                     1,
                     &exchanged,
                     "model.json:5:3",
                     0,
                     0};
    made = driver.get();
    device = std::move(CudaDevice::create(std::move(driver), target, "p.so"))
                 .value();
    exchange.memory =
        static_cast<Memory *>(*device->allocate(sizeof(Memory), "gradients"));
    *exchange.memory = {};
    arenas[BOOSTC_ARENA_GRADIENT] = exchange.memory;
    device->setCollectives(&exchange, schedule);
    fake_cuda::forget();
  }
  ~Overlap() override { device.reset(); }

  Status run(BoostFunctionRole function) {
    return device->call(function, arenas);
  }
  float applied() {
    float value = 0;
    DeviceCopy copy{std::as_writable_bytes(std::span(&value, 1)),
                    &exchange.memory->applied};
    EXPECT_TRUE(device->copyOut({&copy, 1}).ok());
    return value;
  }

  const BoostCollectiveOperand exchanged = {1, 1, BOOSTC_F32, UINT32_MAX, 0, 0};
  BoostCollective schedule[3] = {};
  CudaDriver *made = nullptr; ///< of the device
  TestFunctions functions;
  BoostTarget target{};
  Exchange exchange;
  std::unique_ptr<CudaDevice> device;
  void *arenas[BOOSTC_ARENA_COUNT] = {};
};

TEST_F(Overlap, ACollectiveWaitsForItsOperandsAlone) {
  make();
  for (int step = 1; step <= 3; ++step) {
    ASSERT_TRUE(run(BOOSTC_FUNCTION_MICRO).ok());
    ASSERT_TRUE(run(BOOSTC_FUNCTION_UPDATE).ok());
    EXPECT_EQ(exchange.seen[0], (Values{1, 0, 0})) << "it waited for more";
    EXPECT_EQ(exchange.seen[1], (Values{10, 1, 0}));
    EXPECT_EQ(exchange.seen[2], (Values{10, 10, 1}))
        << "no call says when its operand has its value";
    EXPECT_EQ(applied(), 30.0f * float(step));
  }
}

TEST_F(Overlap, StreamsAndTheHostWaitForThisAndNothingElse) {
  make();
  ASSERT_TRUE(run(BOOSTC_FUNCTION_MICRO).ok());
  ASSERT_TRUE(run(BOOSTC_FUNCTION_UPDATE).ok());
  fake_cuda::forget();
  ASSERT_TRUE(run(BOOSTC_FUNCTION_MICRO).ok());
  EXPECT_EQ(fake_cuda::trace(), "cuGraphLaunch\ncuEventRecord\n"
                                "cuGraphLaunch\ncuEventRecord\n"
                                "cuGraphLaunch\n");
  fake_cuda::forget();
  ASSERT_TRUE(run(BOOSTC_FUNCTION_UPDATE).ok());
  const std::string onHost = "cuStreamWaitEvent@3\ncuMemcpyDtoHAsync_v2@3\n"
                             "cuStreamSynchronize@3\ncuMemcpyHtoDAsync_v2@3\n"
                             "cuEventRecord@3\ncuEventSynchronize\n";
  EXPECT_EQ(fake_cuda::trace(), onHost + onHost + "cuEventRecord\n" + onHost +
                                    "cuEventRecord@3\ncuStreamWaitEvent\n"
                                    "cuLaunchKernel\n");
}

/// As late as streams may run, or as early.
class OverlapOfStreams : public Overlap,
                         public testing::WithParamInterface<bool> {
protected:
  OverlapOfStreams() {
    if (GetParam())
      set("FAKE_CUDA_EAGER", "1");
  }
};

TEST_P(OverlapOfStreams, ResultsAreThoseWithoutIt) {
  make();
  for (bool early : {true, false, true}) {
    exchange.early = early;
    float before = applied();
    ASSERT_TRUE(run(BOOSTC_FUNCTION_MICRO).ok());
    ASSERT_TRUE(run(BOOSTC_FUNCTION_UPDATE).ok());
    EXPECT_EQ(applied() - before, 30);
    if (!early) {
      EXPECT_EQ(exchange.seen[0], (Values{1, 1, 1}));
    }
  }
}

TEST_P(OverlapOfStreams, WhatTheSideStreamDoesIsWaitedFor) {
  make();
  exchange.driver = made;
  for (int step = 1; step <= 3; ++step) {
    ASSERT_TRUE(run(BOOSTC_FUNCTION_MICRO).ok());
    fake_cuda::forget();
    ASSERT_TRUE(run(BOOSTC_FUNCTION_UPDATE).ok());
    EXPECT_EQ(fake_cuda::waits(fake_cuda::trace()), 0) << "the host waits";
    EXPECT_EQ(fake_cuda::count(fake_cuda::trace(), "cuLaunchKernel@3"), 3);
    if (step == 2) // several steps may be under way
      continue;
    EXPECT_EQ(applied(), 30.0f * float(step));
  }
}

INSTANTIATE_TEST_SUITE_P(LateAndEarly, OverlapOfStreams, testing::Bool());

// After another call the gradients may not be what was announced.
TEST_F(Overlap, WhatIsWrittenAgainIsWaitedFor) {
  make();
  ASSERT_TRUE(run(BOOSTC_FUNCTION_MICRO).ok());
  ASSERT_TRUE(run(BOOSTC_FUNCTION_COMBINE).ok());
  ASSERT_TRUE(run(BOOSTC_FUNCTION_UPDATE).ok());
  EXPECT_EQ(exchange.seen[0], (Values{2, 2, 2}));
  EXPECT_EQ(applied(), 60);
  // What was announced lies elsewhere.
  auto *other =
      static_cast<Memory *>(*device->allocate(sizeof(Memory), "other"));
  *other = {};
  ASSERT_TRUE(run(BOOSTC_FUNCTION_MICRO).ok());
  arenas[BOOSTC_ARENA_GRADIENT] = other;
  ASSERT_TRUE(run(BOOSTC_FUNCTION_UPDATE).ok());
  EXPECT_EQ(exchange.seen[0], (Values{1, 1, 1}));
}

TEST_F(Overlap, OneRankHasOneGraph) {
  make();
  device->setCollectives(nullptr, schedule);
  ASSERT_TRUE(run(BOOSTC_FUNCTION_MICRO).ok());
  fake_cuda::forget();
  ASSERT_TRUE(run(BOOSTC_FUNCTION_MICRO).ok());
  EXPECT_EQ(fake_cuda::trace(), "cuGraphLaunch\n");
}

TEST_F(Overlap, FailuresAreThoseOfTheFunction) {
  make();
  // While the first piece of a micro-batch is recorded: nothing runs.
  std::string recording =
      failing("cuGraphInstantiate", "cuGraphInstantiateWithFlags");
  expectStatus(run(BOOSTC_FUNCTION_MICRO), ExitCode::Internal, recording);
  set("FAKE_CUDA_FAILS", "");
  EXPECT_EQ(fake_cuda::count(fake_cuda::trace(), "cuLaunchKernel"), 1);
  ASSERT_TRUE(run(BOOSTC_FUNCTION_MICRO).ok());
  for (const char *call : {"cuEventRecord", "cuGraphLaunch"}) {
    std::string text = failing(call, call);
    expectStatus(run(BOOSTC_FUNCTION_MICRO), ExitCode::Internal, text);
  }
  for (const char *call :
       {"cuStreamWaitEvent@3", "cuEventRecord@3", "cuStreamWaitEvent"}) {
    set("FAKE_CUDA_FAILS", "");
    ASSERT_TRUE(run(BOOSTC_FUNCTION_MICRO).ok());
    std::string name = call;
    std::string text = failing(name.substr(0, name.find('@')), call);
    expectStatus(run(BOOSTC_FUNCTION_UPDATE), ExitCode::Internal, text);
  }
  set("FAKE_CUDA_FAILS", "");
  exchange.failing = 1;
  expectStatus(run(BOOSTC_FUNCTION_UPDATE), ExitCode::RankLost, "lost");
  exchange.failing = UINT32_MAX;
  ASSERT_TRUE(run(BOOSTC_FUNCTION_MICRO).ok());
  EXPECT_TRUE(run(BOOSTC_FUNCTION_UPDATE).ok());
}

// A library works on the stream of what is asked for at the time.
TEST_F(FakeDriver, TheStreamOfLibrariesIsTheSideStream) {
  create();
  GpuStream *stream = driver->stream();
  void *usual = stream->handle();
  ASSERT_TRUE(driver->mark(0).ok());
  ASSERT_TRUE(driver->forkToSideStream(0).ok());
  EXPECT_NE(stream->handle(), usual);
  fake_cuda::forget();
  ASSERT_TRUE(stream->isIdle().ok());
  EXPECT_EQ(fake_cuda::trace(), "cuStreamQuery@3\n");
  driver->endSideStream();
  EXPECT_EQ(stream->handle(), usual);
}

// The simulated GPU, which does everything at once, finds what would go wrong
// elsewhere.
TEST(SimulatedOverlap, WhatIsNotWaitedForIsFound) {
  auto driver = std::move(sim::SimDriver::create(1)).value();
  auto vectors = std::move(GpuVectors::create(*driver)).value();
  const std::string unmarked = "the side stream waits for mark 2, which "
                               "no program has set; please report this";
  Status status = driver->forkToSideStream(2);
  EXPECT_EQ(status.code(), ExitCode::Internal);
  EXPECT_EQ(status.message(), unmarked);
  const std::vector<float> two = {1, 2};
  uint64_t address = *driver->allocate(8, "x");
  ASSERT_TRUE(driver->copyIn(address, std::as_bytes(std::span(two))).ok());
  auto *x = reinterpret_cast<float *>(address);
  auto add = [&] { return vectors->add(Element::F32, x, x + 1, 1); };
  ASSERT_TRUE(driver->mark(2).ok());
  ASSERT_TRUE(driver->forkToSideStream(2).ok());
  EXPECT_TRUE(add().ok());
  driver->endSideStream();
  status = add();
  EXPECT_EQ(status.code(), ExitCode::Internal);
  EXPECT_EQ(status.message(), "a sum over ranks: does not wait for the side "
                              "stream; please report this");
  ASSERT_TRUE(driver->joinSideStream().ok());
  EXPECT_TRUE(add().ok());
  // A mark serves once.
  EXPECT_EQ(driver->forkToSideStream(2).message(), unmarked);
}

// Copies wait for nothing but what they touch.
TEST(SimulatedOverlap, CopiesThatDoNotWaitAreFound) {
  auto driver = std::move(sim::SimDriver::create(1)).value();
  auto vectors = std::move(GpuVectors::create(*driver)).value();
  std::array<float, 3> values = {1, 2, 3};
  uint64_t address = *driver->allocate(sizeof values, "x");
  ASSERT_TRUE(driver->copyIn(address, std::as_bytes(std::span(values))).ok());
  auto *x = reinterpret_cast<float *>(address);
  ASSERT_TRUE(driver->mark(0).ok());
  ASSERT_TRUE(driver->forkToSideStream(0).ok());
  ASSERT_TRUE(vectors->add(Element::F32, x, x + 1, 1).ok());
  float sum = 0;
  ASSERT_TRUE(vectors->get(&sum, x, sizeof sum).ok());
  EXPECT_EQ(sum, 3);
  driver->endSideStream();

  float value = 0;
  auto get = [&](size_t i) {
    return vectors->get(&value, x + i, sizeof value);
  };
  auto put = [&](size_t i) {
    return vectors->put(x + i, &value, sizeof value);
  };
  EXPECT_EQ(get(0).message(),
            "a copy of 4 bytes at 0xd0000000000 does not wait for what writes "
            "them on the side stream; please report this");
  EXPECT_TRUE(get(1).ok());
  EXPECT_EQ(put(1).message(),
            "a copy of 4 bytes at 0xd0000000004 does not wait for what reads "
            "them on the side stream; please report this");
  EXPECT_TRUE(put(2).ok());
  EXPECT_EQ(vectors->copy(x + 2, x, sizeof value).message(), get(0).message());
  ASSERT_TRUE(driver->joinSideStream().ok());
  EXPECT_TRUE(get(0).ok());
  EXPECT_TRUE(put(1).ok());
}

} // namespace
