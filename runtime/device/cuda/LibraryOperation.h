// LibraryOperation.h - what differs between NVIDIA's libraries: how they are
// told of a call, and what they propose.
#pragma once

#include "runtime/abi/boost_abi.h"
#include "runtime/support/Status.h"

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace boostrt::cuda {

/// A library call, described to its library.
class LibraryOperation {
public:
  /// A, B, bias, C, scratch, as at BoostLibraryCall; 0 for what is absent.
  using Operands = std::span<const uint64_t>;

  /// The candidates that are asked for.
  static constexpr int kMaxCandidates = 8;

  virtual ~LibraryOperation() = default;

  /// The ways to execute it that the library proposes, best first: words for a
  /// file, which mean the same to the same version of the library. Results do
  /// not differ from run to run, precision is the call's, and the scratch
  /// memory is enough. Only addresses and alignment of `operands` count. Fails
  /// when there is none.
  virtual Result<std::vector<std::string>> candidates(Operands operands) = 0;
  /// Makes `candidate`, which may come from a file, what run() executes. Fails
  /// when it is none of this library for this call.
  virtual Status choose(const std::string &candidate, Operands operands) = 0;
  /// Asks for it, on the library's stream; after choose().
  virtual Status run(Operands operands) = 0;
};

/// A library, started, whose work runs on one stream.
class GpuLibrary {
public:
  virtual ~GpuLibrary() = default;
  /// "cuBLASLt 13.1.0"
  virtual std::string name() const = 0;
  /// The library outlives the operation, and so does `call`.
  virtual Result<std::unique_ptr<LibraryOperation>>
  describe(const BoostLibraryCall &call) const = 0;
};

} // namespace boostrt::cuda
