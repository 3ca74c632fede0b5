#include "runtime/trainer/MemoryPlan.h"

#include "runtime/trainer/GradientTree.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>

namespace boostrt {

uint64_t MemoryPlan::total() const {
  uint64_t sum = 0;
  for (int kind = 0; kind < BOOST_ARENA_COUNT; ++kind)
    sum += bytes[kind] * copies[kind];
  return sum;
}

MemoryPlan planEvaluation(const BoostProgram &program,
                          const BoostTarget &target) {
  MemoryPlan plan;
  for (int kind = 0; kind < BOOST_ARENA_COUNT; ++kind)
    plan.bytes[kind] = program.arena_bytes[kind];
  plan.bytes[BOOST_ARENA_TRANSIENT] = target.transient_bytes;
  for (BoostArenaKind kind : {BOOST_ARENA_PARAMETER, BOOST_ARENA_CONTROL,
                              BOOST_ARENA_RESULT, BOOST_ARENA_TRANSIENT})
    plan.copies[kind] = 1;
  plan.copies[BOOST_ARENA_BATCH] = kBatchCopies;
  for (BoostArenaKind kind : {BOOST_ARENA_BATCH, BOOST_ARENA_RESULT})
    plan.exchanged[kind] = {0, plan.bytes[kind]};
  return plan;
}

MemoryPlan planTraining(const BoostProgram &program,
                        const BoostTarget &target) {
  MemoryPlan plan = planEvaluation(program, target);
  plan.copies[BOOST_ARENA_STATE] = 1;
  // GRADIENT_OTHER is a second name for one of these, not memory of its own.
  plan.copies[BOOST_ARENA_GRADIENT] = GradientTree::slotsFor(
      program.micro_batches, accumulatesInPlace(program));
  // The gradients themselves stay on the device.
  const BoostTensor &sum = program.loss_sum, &count = program.loss_count;
  plan.exchanged[BOOST_ARENA_GRADIENT] = {
      std::min(sum.offset, count.offset),
      std::max(sum.offset + sum.bytes, count.offset + count.bytes)};
  return plan;
}

namespace {
/// A "Key:  123 kB" line of /proc/self/status, in bytes.
std::optional<uint64_t> statusBytes(const char *key) {
  std::FILE *file = std::fopen("/proc/self/status", "re");
  if (!file)
    return std::nullopt;
  std::optional<uint64_t> found;
  char line[256];
  size_t length = std::strlen(key);
  while (!found && std::fgets(line, sizeof line, file)) {
    unsigned long long kilobytes = 0;
    if (std::strncmp(line, key, length) == 0 && line[length] == ':' &&
        std::sscanf(line + length + 1, "%llu", &kilobytes) == 1)
      found = kilobytes * 1024;
  }
  std::fclose(file);
  return found;
}
} // namespace

void PeakMemory::begin() {
  int file = open("/proc/self/clear_refs", O_WRONLY | O_CLOEXEC);
  if (file >= 0) {
    // A refusal leaves the old mark, which bytes() documents.
    [[maybe_unused]] ssize_t written = write(file, "5", 1);
    close(file);
  }
  residentBefore_ = statusBytes("VmRSS").value_or(0);
}

std::optional<uint64_t> PeakMemory::bytes() const {
  std::optional<uint64_t> peak = statusBytes("VmHWM");
  if (!peak || residentBefore_ == 0)
    return std::nullopt;
  return *peak > residentBefore_ ? *peak - residentBefore_ : 0;
}

} // namespace boostrt
