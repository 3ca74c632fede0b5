// CpuOperation.h - library calls on a CPU: which library computes a kind of
// call, and what a device knows of one.
#pragma once

#include "runtime/abi/boost_abi.h"
#include "runtime/support/Status.h"

#include <cstdint>
#include <memory>

namespace boostrt {

class ThreadPool;

/// A library call, ready to run.
class CpuOperation {
public:
  virtual ~CpuOperation() = default;

  /// How many operands come before the scratch memory.
  virtual size_t scratchIndex() const = 0;
  /// Bytes of the scratch operand that execute() will use.
  virtual uint64_t scratchBytes() const = 0;
  /// "brg:avx512_core": what computes it, for `boost-run info`.
  virtual const char *implementation() const = 0;
  /// Operands as listed at the struct of the call's kind, on the threads of
  /// `pool`. Only the addresses change between calls; nothing is looked up.
  /// Returns a BoostCallStatus.
  virtual int32_t execute(ThreadPool &pool, void *const *operands) = 0;
};

class DnnlContext;

/// The libraries that compute calls on CPUs, by the kinds of calls.
class CpuLibraries {
public:
  static Result<std::unique_ptr<CpuLibraries>> create();
  ~CpuLibraries();

  /// Makes `call` ready, for up to `shares` threads to share; what it computes
  /// depends on that number, not on how many threads there are. Fails with
  /// ExitCode::Input when no library has it on this CPU.
  Result<std::unique_ptr<CpuOperation>> prepare(const BoostLibraryCall &call,
                                                uint32_t shares);
  /// The most that scratchBytes() of the operation would be in a program that
  /// runs on up to `threads` threads.
  Result<uint64_t> queryScratchBytes(const BoostLibraryCall &call,
                                     uint32_t threads, bool isStrict);

private:
  explicit CpuLibraries(std::unique_ptr<DnnlContext> dnnl);
  std::unique_ptr<DnnlContext> dnnl_;
};

} // namespace boostrt
