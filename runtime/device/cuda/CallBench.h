// CallBench.h - memory and clock to try library calls and their fallbacks with,
// before a program's own memory exists.
#pragma once

#include "runtime/device/cuda/CallShape.h"
#include "runtime/device/cuda/CudaApi.h"

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

namespace boostrt::cuda {

class CallBench {
public:
  /// 0 for what is absent.
  using Operands = std::array<uint64_t, CallOperands::Count>;
  using Work = std::function<Status()>;

  /// Reserves what the largest operands of each type of the calls of `target`
  /// need, and writes numbers in [-1, 1) there. `api` outlives it. Fails with
  /// ExitCode::Internal.
  static Result<std::unique_ptr<CallBench>>
  create(const CudaApi &api, Stream stream, const BoostTarget &target);
  ~CallBench();
  CallBench(const CallBench &) = delete;
  CallBench &operator=(const CallBench &) = delete;

  Operands operandsOf(const BoostLibraryCall &call) const;
  /// Runs `work`, waits for it and returns what is in C then; every byte of C
  /// is a NaN's before.
  Result<std::vector<float>> runOnce(const BoostLibraryCall &call,
                                     const Work &work);
  /// Microseconds of `work`, the best of some rounds of some milliseconds
  /// together.
  Result<double> time(const Work &work);

private:
  CallBench(const CudaApi &api, Stream stream) : api_(api), stream_(stream) {}
  Status reserve(const BoostTarget &target);
  Status allocate(uint64_t bytes, uint64_t &address);
  Status copyIn(uint64_t to, const void *from, uint64_t bytes);
  Result<double> round(const Work &work, int repeats);
  Status check(const char *call, CallResult result) const {
    return result == 0 ? Status() : api_.failure(call, result);
  }

  const CudaApi &api_;
  Stream stream_;
  Event begin_ = nullptr, end_ = nullptr;
  /// By BoostFloatType.
  std::array<Operands, BOOSTC_FLOAT_COUNT> memory_{};
  uint64_t scratch_ = 0;
};

} // namespace boostrt::cuda
