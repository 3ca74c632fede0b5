// GpuDriver.h - the few services of a GPU that a program needs, at the level of
// NVIDIA's driver interface, so that one device serves hardware (CudaDriver)
// and the simulated GPU (SimDriver).
//
// Whatever is asked for runs in the order of the asking, but for two things
// that overlap it, each in an order of its own: the copies of batches,
// ordered with what is between beginUse() and endUse() of the same batch,
// and what is asked for between forkToSideStream() and endSideStream().
#pragma once

#include "runtime/abi/boost_abi.h"
#include "runtime/device/Device.h"
#include "runtime/device/cuda/GpuStream.h"
#include "runtime/support/Status.h"

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace boostrt {

/// Who computes what a program has library calls for.
enum class LibraryUse : uint8_t {
  Auto, ///< the faster of library and kernel; the library on the simulated GPU
  On,   ///< the library wherever it can
  Off,  ///< the generated kernels, their fallbacks
};

struct LibrarySettings {
  LibraryUse use = LibraryUse::Auto;
  /// Files that may keep what was measured, best first; and what tells that
  /// they are about this program.
  std::vector<std::string> planFiles = {};
  std::string programHash = {};
};

class GpuDriver {
public:
  virtual ~GpuDriver() = default;

  /// "NVIDIA H200", "the simulated GPU".
  virtual std::string name() const = 0;

  /// Loads the best of `modules` (a table that ends with BOOSTC_MODULE_END);
  /// `program` is for messages. findKernel() looks into what was loaded last.
  /// Fails with ExitCode::Input.
  virtual Status load(const BoostModule *modules,
                      const std::string &program) = 0;
  /// A number for launch(). Fails with ExitCode::Input.
  virtual Result<uint32_t> findKernel(const char *name) = 0;

  /// Addresses are multiples of 256 or more. Fails with ExitCode::Internal.
  virtual Result<uint64_t> allocate(uint64_t bytes,
                                    const std::string &name) = 0;
  /// As DeviceMemory has them.
  virtual Status copyIn(uint64_t to, std::span<const std::byte> from) = 0;
  virtual Status finishCopies() = 0;
  virtual Status copyOut(std::span<const DeviceCopy> copies) = 0;
  /// Between memory of the device; the places do not overlap.
  virtual Status copy(uint64_t to, uint64_t from, uint64_t bytes) = 0;
  virtual Status beginCopyOut(std::span<const DeviceCopy> copies) = 0;
  virtual Status finishCopyOut() = 0;
  virtual Status write(uint64_t to, std::span<const std::byte> value) = 0;
  virtual Status copyBatch(uint64_t to, std::span<const std::byte> from) = 0;
  virtual Status finishBatches() = 0;
  /// What comes now reads `batch`, which copyBatch() wrote: it waits for that,
  /// and the next copyBatch() there for it. Nothing to do for other memory.
  virtual Status beginUse(uint64_t batch) = 0;
  virtual Status endUse(uint64_t batch) = 0;

  /// Mark `number` (from 0) is after what was asked for so far.
  virtual Status mark(uint32_t number) = 0;
  /// Launches, copies and what a library does on stream() come, until
  /// endSideStream(), after mark `number` and after what the side stream did
  /// before, and after nothing else. Batches, graphs and write() do not occur
  /// there.
  virtual Status forkToSideStream(uint32_t number) = 0;
  virtual void endSideStream() = 0;
  /// What is asked for from now on comes after all of the side stream.
  virtual Status joinSideStream() = 0;

  /// Stamp `number` (from 0) is the time at which all that was asked for so far
  /// is done; not in graphs.
  virtual Status stamp(uint32_t number) = 0;
  /// Waits for stamp `second` and returns how long it was after `first`.
  virtual Result<double> secondsBetween(uint32_t first, uint32_t second) = 0;
  /// Whether such times say something.
  virtual bool hasTimes() const { return true; }

  virtual bool pin(std::span<std::byte>) { return false; }
  virtual void unpin(std::span<std::byte>) {}

  /// What a library that works next to the program needs; null: there can be
  /// none.
  virtual GpuStream *stream() { return nullptr; }
  /// Whether message() is memory of the host.
  virtual bool isOnHost() const { return false; }
  /// `bytes` at `address` as a transport is to read them, or, with `isWritten`,
  /// to write them.
  virtual std::span<std::byte> message(uint64_t address, uint64_t bytes,
                                       bool /*isWritten*/) {
    return {reinterpret_cast<std::byte *>(address), bytes};
  }

  /// `launch` outlives the driver's graphs; `operands` are copied. After the
  /// addresses that `launch` describes there may be numbers.
  virtual Status launch(uint32_t kernel, const BoostLaunch &launch,
                        std::span<const uint64_t> operands) = 0;

  /// Makes the library calls of `target`, which outlives the driver, ready;
  /// called once, after findKernel(), whose numbers `kernels` are, by launch.
  /// A library that is missing or does not work is not a failure: its calls are
  /// left to their fallbacks, and `notes` says so.
  virtual Status prepareCalls(const BoostTarget &target,
                              std::span<const uint32_t> kernels,
                              const LibrarySettings &settings,
                              std::vector<std::string> &notes) = 0;
  /// Whether call() executes library call `index`; else the program is to
  /// launch its fallback.
  virtual bool executes(uint32_t index) const = 0;
  /// Operands as listed at the call's struct, 0 for what is absent.
  virtual Status call(uint32_t index, std::span<const uint64_t> operands) = 0;

  /// What is launched between the two becomes a graph and does not run.
  virtual Status beginCapture() = 0;
  virtual Result<uint32_t> endCapture() = 0;
  virtual Status launchGraph(uint32_t graph) = 0;
};

} // namespace boostrt
