#include "runtime/support/StackLimit.h"

#include <algorithm>
#include <cstddef>
#include <pthread.h>
#include <sys/resource.h>

namespace boostrt {
namespace {

constexpr size_t kStackBytes = size_t{8} << 20;

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

} // namespace

void raiseStackLimit() {
  raiseForThisThread();
  raiseForOtherThreads();
}

} // namespace boostrt
