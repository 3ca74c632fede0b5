// HostileTest.cpp - text that is cut off, damaged or means harm.
#include "SimFixture.h"

using namespace boostrt;
using namespace boostrt::sim;
using testing::StartsWith;

namespace {

TEST(SimHostile, TextCutOffAnywhereIsAnErrorOrAModule) {
  for (const char *name : {"rows.ptx", "probe.ptx"}) {
    std::string text = inputText(name);
    ASSERT_FALSE(text.empty());
    for (size_t length = 0; length < text.size(); length += 3) {
      Status status = loadStatus(text.substr(0, length));
      if (!status.ok()) {
        ASSERT_THAT(status.message(), StartsWith("m.ptx:"));
      }
    }
  }
}

TEST(SimHostile, DamagedTextIsAnErrorOrAModule) {
  const std::string text = inputText("rows.ptx");
  uint32_t state = 1;
  auto draw = [&](size_t below) {
    state = state * 1664525 + 1013904223;
    return (state >> 8) % below;
  };
  const std::string bytes = "%{}[]().,;:@!|0129afrx-+\"/\n";
  size_t loaded = 0;
  for (int round = 0; round < 1500; ++round) {
    std::string damaged = text;
    for (size_t edits = 1 + draw(3); edits; --edits)
      switch (draw(3)) {
      case 0:
        damaged[draw(damaged.size())] = bytes[draw(bytes.size())];
        break;
      case 1:
        damaged.erase(draw(damaged.size()), 1 + draw(20));
        break;
      default:
        damaged.insert(draw(damaged.size()),
                       damaged.substr(draw(damaged.size()), draw(40)));
      }
    Status status = loadStatus(damaged);
    loaded += status.ok();
    if (!status.ok()) {
      ASSERT_THAT(status.message(), StartsWith("m.ptx:"));
    }
  }
  EXPECT_GT(loaded, 0u);
  EXPECT_LT(loaded, 1500u);
}

TEST(SimHostile, DamagedKernelsThatLoadDoNotHarmTheHost) {
  const std::string text = inputText("rows.ptx");
  uint32_t state = 7;
  auto draw = [&](size_t below) {
    state = state * 1664525 + 1013904223;
    return (state >> 8) % below;
  };
  size_t ran = 0, faulted = 0;
  for (int round = 0; round < 1000; ++round) {
    std::string damaged = text;
    // Digits alone, so that most of it loads: other registers, sizes, labels.
    for (size_t edits = 1 + draw(4); edits;) {
      char &c = damaged[draw(damaged.size())];
      if (c >= '0' && c <= '9') {
        c = static_cast<char>('0' + draw(10));
        --edits;
      }
    }
    Memory memory;
    auto module = SimModule::load(damaged, memory);
    if (!module.ok() || !module->findKernel("row_sums"))
      continue;
    MachineOptions options;
    options.instructionBudget = 10000;
    options.checks = static_cast<Checks>(draw(3));
    SimMachine machine(options);
    uint64_t x = *memory.allocate(8 * 512 * 4, "x"),
             y = *memory.allocate(32, "y");
    ASSERT_TRUE(memory.fill(x, 8 * 512 * 4, std::byte{0}).ok());
    Parameters parameters;
    parameters.add(x).add(y);
    LaunchRequest request;
    request.kernel = module->findKernel("row_sums");
    request.grid = {8};
    request.block = {128};
    request.parameters = parameters.span();
    faulted += machine.launch(*module, request).fault.has_value();
    ++ran;
  }
  EXPECT_GT(ran, 100u);
  EXPECT_GT(faulted, 10u);
}

} // namespace
