#include "sim/Block.h"

#include <algorithm>
#include <cstdlib>
#include <fmt/format.h>

namespace boostrt::sim {

void Warp::raise(FaultKind kind, uint32_t lane, uint64_t address,
                 uint32_t bytes, std::string detail) {
  faulted = true;
  if (block->fault)
    return;
  const LaunchState &launch = *block->launch;
  const OpOrigin &origin =
      launch.kernel->origins[launch.kernel->code[pc].origin];
  Fault fault;
  fault.kind = kind;
  fault.kernel = launch.kernel->name;
  fault.origin = launch.request->origin;
  fault.line = origin.line;
  fault.text = launch.module->lineAt(origin.line);
  fault.source = launch.module->describe(origin.source);
  fault.block = block->index;
  uint32_t thread = index * kLanes + lane;
  fault.thread = {thread % launch.block.x,
                  thread / launch.block.x % launch.block.y,
                  thread / launch.block.x / launch.block.y};
  fault.address = address;
  fault.bytes = bytes;
  fault.detail = std::move(detail);
  block->fault = std::move(fault);
}

namespace {
template <class T> void fillLanes(Warp &warp, uint32_t slot, T value) {
  std::fill_n(warp.at<T>(slot), kLanes, value);
}

/// What stays the same for this warp in every block of the launch.
void fillConstants(Warp &warp, const LaunchState &launch) {
  const Kernel &kernel = *launch.kernel;
  for (const Constant &constant : kernel.constants) {
    if (constant.bytes == 2)
      fillLanes(warp, constant.slot, static_cast<uint16_t>(constant.bits));
    else if (constant.bytes == 4)
      fillLanes(warp, constant.slot, static_cast<uint32_t>(constant.bits));
    else
      fillLanes(warp, constant.slot, constant.bits);
  }
  auto each = [&](Special special, auto value) {
    uint32_t slot = kernel.specials[static_cast<size_t>(special)];
    if (slot != kNone)
      for (uint32_t i = 0; i < kLanes; ++i)
        warp.at<uint32_t>(slot)[i] = static_cast<uint32_t>(value(i));
  };
  uint32_t first = warp.index * kLanes;
  const Dim3 &block = launch.block, &grid = launch.grid;
  each(Special::TidX, [&](uint32_t i) { return (first + i) % block.x; });
  each(Special::TidY,
       [&](uint32_t i) { return (first + i) / block.x % block.y; });
  each(Special::TidZ,
       [&](uint32_t i) { return (first + i) / block.x / block.y; });
  each(Special::NtidX, [&](uint32_t) { return block.x; });
  each(Special::NtidY, [&](uint32_t) { return block.y; });
  each(Special::NtidZ, [&](uint32_t) { return block.z; });
  each(Special::NctaidX, [&](uint32_t) { return grid.x; });
  each(Special::NctaidY, [&](uint32_t) { return grid.y; });
  each(Special::NctaidZ, [&](uint32_t) { return grid.z; });
  each(Special::Laneid, [](uint32_t i) { return i; });
  each(Special::Warpid, [&](uint32_t) { return warp.index; });
  each(Special::Nwarpid, [&](uint32_t) { return (launch.threads + 31) / 32; });
  each(Special::LanemaskEq, [](uint32_t i) { return 1u << i; });
  each(Special::LanemaskLt, [](uint32_t i) { return (1u << i) - 1; });
  each(Special::LanemaskLe, [](uint32_t i) { return (2u << i) - 1; });
  each(Special::LanemaskGt, [](uint32_t i) { return ~((2u << i) - 1); });
  each(Special::LanemaskGe, [](uint32_t i) { return ~((1u << i) - 1); });
  each(Special::DynamicSmemSize,
       [&](uint32_t) { return launch.sharedBytes - kernel.sharedBytes; });
  each(Special::TotalSmemSize, [&](uint32_t) { return launch.sharedBytes; });
}
} // namespace

void Block::prepare(const LaunchState &state) {
  launch = &state;
  const Kernel &kernel = *state.kernel;
  size_t count = (state.threads + kLanes - 1) / kLanes;
  size_t frame = (kernel.frameBytes + 63) / 64 * 64;
  frames_.reset(
      static_cast<std::byte *>(std::aligned_alloc(64, count * frame)));
  size_t perWarp = size_t(kernel.localBytes) * kLanes;
  local_.assign(count * perWarp, std::byte{0});
  localWritten_.assign(count * perWarp, 0);
  warps.clear();
  warps.resize(count);
  recent[0] = recent[1] = nullptr;
  executed = laneExecuted = globalBytes = 0;
  fault.reset();
  for (size_t i = 0; i < count; ++i) {
    Warp &warp = warps[i];
    warp.block = this;
    warp.index = static_cast<uint32_t>(i);
    warp.registers = frames_.get() + i * frame;
    warp.local = local_.data() + i * perWarp;
    warp.localWritten = localWritten_.data() + i * perWarp;
    fillConstants(warp, state);
  }
}

void Block::start(uint64_t linearIndex) {
  const Kernel &kernel = *launch->kernel;
  linear = linearIndex;
  index = {static_cast<uint32_t>(linear % launch->grid.x),
           static_cast<uint32_t>(linear / launch->grid.x % launch->grid.y),
           static_cast<uint32_t>(linear / launch->grid.x / launch->grid.y)};
  shared.reset(launch->sharedBytes);
  std::fill(localWritten_.begin(), localWritten_.end(), 0);
  for (Warp &warp : warps) {
    // The same for every block, so that a register that was never set holds 0
    // whichever worker runs it.
    std::memset(warp.registers, 0, kernel.registerBytes);
    auto set = [&](Special special, uint32_t value) {
      uint32_t slot = kernel.specials[static_cast<size_t>(special)];
      if (slot != kNone)
        fillLanes(warp, slot, value);
    };
    set(Special::CtaidX, index.x);
    set(Special::CtaidY, index.y);
    set(Special::CtaidZ, index.z);
    uint32_t threads = std::min(launch->threads - warp.index * kLanes, kLanes);
    warp.live = threads == kLanes ? kFullMask : (1u << threads) - 1;
    warp.stack.assign(1, {0, kNone, warp.live});
    warp.executed = warp.laneExecuted = warp.globalBytes = 0;
    warp.order = 0;
    warp.faulted = warp.done = warp.atBarrier = false;
  }
}

void Block::run(uint64_t linearIndex) {
  start(linearIndex);
  bool waiting = true;
  while (waiting && !fault) {
    waiting = false;
    for (Warp &warp : warps) {
      if (warp.done)
        continue;
      runWarp(warp);
      if (warp.faulted)
        break;
      waiting |= warp.atBarrier;
    }
    if (waiting && !fault && checkBarrier()) {
      shared.barrier();
      for (Warp &warp : warps)
        warp.atBarrier = false;
    }
  }
  for (const Warp &warp : warps) {
    executed += warp.executed;
    laneExecuted += warp.laneExecuted;
    globalBytes += warp.globalBytes;
  }
}

/// All warps wait or have ended. Every thread of the block must have come to
/// the same barrier.
bool Block::checkBarrier() {
  if (!launch->all)
    return true;
  const Kernel &kernel = *launch->kernel;
  Warp *first = nullptr;
  for (Warp &warp : warps)
    if (warp.atBarrier && !first)
      first = &warp;
  auto lineOf = [&](const Warp &warp) {
    return kernel.origins[kernel.code[warp.pc].origin].line;
  };
  for (Warp &warp : warps) {
    uint32_t begin = warp.index * kLanes;
    uint32_t threads = std::min(launch->threads - begin, kLanes);
    uint32_t all = threads == kLanes ? kFullMask : (1u << threads) - 1;
    uint32_t arrived = warp.atBarrier ? warp.mask : 0;
    if (arrived == all &&
        kernel.code[warp.pc].offset == kernel.code[first->pc].offset &&
        lineOf(warp) == lineOf(*first))
      continue;
    uint32_t missing = all & ~arrived;
    std::string what;
    if (!missing) {
      what = fmt::format("the warp of thread {} waits at line {}, at another "
                         "barrier than this one",
                         begin, lineOf(warp));
    } else {
      uint32_t lane = static_cast<uint32_t>(__builtin_ctz(missing));
      bool ended = !(warp.live >> lane & 1);
      what = fmt::format(
          "thread {} of the block {}; a barrier needs every thread",
          begin + lane,
          ended ? "has ended" : "took another way and does not come here");
    }
    Warp &reporter = warp.atBarrier ? warp : *first;
    reporter.raise(FaultKind::BarrierDivergence,
                   static_cast<uint32_t>(__builtin_ctz(reporter.mask)), 0, 0,
                   what);
    return false;
  }
  return true;
}

} // namespace boostrt::sim
