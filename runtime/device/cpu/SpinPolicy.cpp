#include "runtime/device/cpu/SpinPolicy.h"

#include <cstdlib>
#include <unistd.h>

namespace boostrt {

void limitSpinning(const char *const *argv) {
  if (std::getenv("OMP_WAIT_POLICY") || std::getenv("GOMP_SPINCOUNT"))
    return;
  if (setenv("GOMP_SPINCOUNT", "1000", /*overwrite=*/0) == 0)
    execv("/proc/self/exe", const_cast<char *const *>(argv));
}

} // namespace boostrt
