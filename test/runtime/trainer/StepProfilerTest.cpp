// Steps that are timed: which they are, what is in them, and that they compute
// what they would without.
#include "runtime/trainer/StepProfiler.h"
#include "runtime/profile/Profile.h"
#include "test/runtime/trainer/GpuMachine.h"

#include <gmock/gmock.h>

#include <algorithm>

using namespace boostrt;
using testing::ElementsAre;

namespace {

/// Each span lies in the last one of a kind before its own that is open.
void expectNested(std::span<const Span> spans) {
  std::vector<Span> open;
  for (const Span &span : spans) {
    EXPECT_LE(span.begin, span.end);
    while (!open.empty() &&
           open.back().kind >= std::min(span.kind, SpanKind::Kernel))
      open.pop_back();
    if (span.kind != SpanKind::Step) {
      ASSERT_FALSE(open.empty());
      EXPECT_LE(open.back().begin, span.begin);
      EXPECT_LE(span.end, open.back().end);
    }
    open.push_back(span);
  }
}

std::vector<int64_t> indicesOf(std::span<const Span> spans, SpanKind kind) {
  std::vector<int64_t> indices;
  for (const Span &span : spans)
    if (span.kind == kind)
      indices.push_back(span.index);
  return indices;
}

TEST(StepProfiler, StepsAfterTheFirstAreTimedAndChangeNothing) {
  auto timed = initialised("window", "digits:train=320,test=10");
  auto plain = initialised("window", "digits:train=320,test=10");
  ASSERT_TRUE(timed && plain);
  StepProfiler profiler(timed->execution(), /*skipped=*/3, /*steps=*/4);
  int done = 0;
  Trainer::Settings settings{{.epochs = 2}, {}};
  settings.profiler = &profiler;
  settings.profiled = [&] { ++done; };
  ASSERT_TRUE(train(*timed, settings, /*shuffle=*/true).reason.ok());
  ASSERT_TRUE(train(*plain, {{.epochs = 2}, {}}, true).reason.ok());
  for (BoostArenaKind kind : {BOOSTC_ARENA_PARAMETER, BOOSTC_ARENA_STATE})
    EXPECT_TRUE(bytesOf(*timed, kind) == bytesOf(*plain, kind));

  EXPECT_TRUE(profiler.isDone());
  EXPECT_EQ(done, 1);
  std::span<const Span> spans = profiler.spans();
  EXPECT_THAT(indicesOf(spans, SpanKind::Step), ElementsAre(4, 5, 6, 7));
  expectNested(spans);

  // Each launch and library call of micro, combine and update is a row, once.
  ProfiledProgram source{timed->program().descriptor(),
                         timed->target(),
                         timed->device().describe(),
                         timed->device().hasTimes(),
                         {}};
  Profile profile = makeProfile(source, spans);
  EXPECT_EQ(profile.steps, 4);
  EXPECT_LE(profile.secondsInCalls(), profile.seconds);
  std::vector<std::pair<std::string, int64_t>> calls;
  for (const ProfileRow &row : profile.rows)
    calls.emplace_back(row.function + ": " + row.call.name, row.calls);
  EXPECT_THAT(calls, testing::UnorderedElementsAre(
                         std::pair("micro: softmax_rows", 16),
                         std::pair("micro: sum_columns", 16),
                         std::pair("micro: matmul 16x10x784", 16),
                         std::pair("micro: matmul 10x784x16", 16),
                         std::pair("combine: add_elements", 12),
                         std::pair("update: apply_elements", 4)));
}

TEST(StepProfiler, ARunMayEndBeforeItIsDone) {
  auto session = initialised("softmax", "digits:train=160,test=10");
  ASSERT_TRUE(session);
  StepProfiler profiler(session->execution(), 3, 10);
  Trainer::Settings settings{{.epochs = 1}, {}};
  settings.profiler = &profiler;
  settings.profiled = [] { ADD_FAILURE() << "it is not done"; };
  ASSERT_TRUE(train(*session, settings).reason.ok());
  EXPECT_FALSE(profiler.isDone() || profiler.isOpen());
  EXPECT_THAT(indicesOf(profiler.spans(), SpanKind::Step), ElementsAre(4, 5));
}

/// The GPU does everything as late as it may, so what is read before it was
/// waited for is wrong.
TEST(StepProfiler, OnAGpuStepsAreTimedOneByOneAndChangeNothing) {
  {
    Machine gpu("linear_window", true, "200"),
        cpu("linear_window", false, "200");
    StepProfiler profiler(*gpu.execution, 2, 5);
    Trainer::Settings settings{{INT64_MAX, 17}, {}};
    settings.profiler = &profiler;
    Training a = train(*gpu.execution, *gpu.arenas, gpu.data, settings, true);
    Training b = cpu.train(17);
    ASSERT_TRUE(a.reason.ok()) << a.reason.status().message();
    ASSERT_TRUE(b.reason.ok()) << b.reason.status().message();
    for (BoostArenaKind kind : {BOOSTC_ARENA_PARAMETER, BOOSTC_ARENA_STATE})
      EXPECT_TRUE(gpu.bytes(kind) == cpu.bytes(kind));
    EXPECT_THAT(indicesOf(profiler.spans(), SpanKind::Step),
                ElementsAre(3, 4, 5, 6, 7));
    // Its clock is not the host's.
    for (const Span &span : profiler.spans())
      EXPECT_LE(span.begin, span.end);
    // Every function of the fixture is one launch.
    EXPECT_EQ(indicesOf(profiler.spans(), SpanKind::Kernel).size(),
              indicesOf(profiler.spans(), SpanKind::Function).size());
    EXPECT_GT(indicesOf(profiler.spans(), SpanKind::Kernel).size(), 5u);
  }
  EXPECT_EQ(fake_cuda::liveObjects(), 0) << "something was not freed";
  calls.clear();
}

} // namespace
