#include "runtime/support/StackLimit.h"

#include <algorithm>
#include <cstddef>
#include <fmt/format.h>
#include <optional>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/resource.h>

namespace boostrt {
namespace {

constexpr size_t kStackBytes = size_t{8} << 20;
constexpr size_t kMinStackBytes = size_t{2} << 20;

void raiseForThisThread() {
  rlimit limit;
  if (getrlimit(RLIMIT_STACK, &limit) != 0 || limit.rlim_cur >= kStackBytes)
    return;
  limit.rlim_cur = std::min<rlim_t>(kStackBytes, limit.rlim_max);
  setrlimit(RLIMIT_STACK, &limit);
}

void raiseForOtherThreads() {
  pthread_attr_t attributes;
  if (pthread_getattr_default_np(&attributes) != 0)
    return;
  size_t bytes = 0;
  pthread_attr_getstacksize(&attributes, &bytes);
  if (bytes < kStackBytes &&
      pthread_attr_setstacksize(&attributes, kStackBytes) == 0)
    pthread_setattr_default_np(&attributes);
  pthread_attr_destroy(&attributes);
}

/// The size of stacks that `read` gets attributes of; nothing where it fails.
std::optional<size_t> stackBytes(int (*read)(pthread_attr_t *)) {
  pthread_attr_t attributes;
  if (read(&attributes) != 0)
    return std::nullopt;
  size_t bytes = 0;
  pthread_attr_getstacksize(&attributes, &bytes);
  pthread_attr_destroy(&attributes);
  return bytes;
}

} // namespace

void raiseStackLimit() {
  raiseForThisThread();
  raiseForOtherThreads();
}

Status checkStackLimit() {
  auto ofThisThread = stackBytes([](pthread_attr_t *attributes) {
    return pthread_getattr_np(pthread_self(), attributes);
  });
  auto ofOthers = stackBytes(pthread_getattr_default_np);
  size_t smallest = std::min(ofThisThread.value_or(kMinStackBytes),
                             ofOthers.value_or(kMinStackBytes));
  if (smallest >= kMinStackBytes)
    return Status();
  return Status(ExitCode::Usage,
                fmt::format("kernels for CPUs need a stack of {} KiB for each "
                            "thread, and a thread gets {} KiB; raise the limit "
                            "on stacks (ulimit -s, also the hard one)",
                            kMinStackBytes >> 10, smallest >> 10));
}

bool hasRoomForStack() {
  std::optional<size_t> bytes = stackBytes(pthread_getattr_default_np);
  if (!bytes)
    return true;
  void *stack = mmap(nullptr, *bytes, PROT_NONE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (stack == MAP_FAILED)
    return false;
  munmap(stack, *bytes);
  return true;
}

} // namespace boostrt
