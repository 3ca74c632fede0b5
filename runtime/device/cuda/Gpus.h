// Gpus.h - the GPUs of this machine, as NVIDIA's driver tells; nothing is
// reserved on them.
#pragma once

#include "runtime/support/Status.h"

#include <cstdint>
#include <string>
#include <vector>

namespace boostrt::cuda {

struct Gpu {
  std::string name;
  uint32_t architecture = 0; ///< 90 for sm_90
  uint64_t bytes = 0;        ///< of memory
  bool isUsable = false;     ///< new enough for programs
};

struct Gpus {
  int version = 0; ///< of CUDA, which the driver serves: 13000 for 13.0
  std::vector<Gpu> list;
};

/// `library` is another one in tests. Fails with ExitCode::Usage when there is
/// no driver or it does not work; without any GPU the list is empty.
Result<Gpus> listGpus(const char *library = "libcuda.so.1");

} // namespace boostrt::cuda
