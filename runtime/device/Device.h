// Device.h - what runs the functions of a program: a CPU, a GPU, the simulated
// GPU. The trainer knows no more of it than this.
#pragma once

#include "runtime/abi/boost_abi.h"
#include "runtime/support/Status.h"

#include <cstddef>
#include <span>
#include <string>

namespace boostrt {

class GpuStream;
class SpanRecorder;
class ThreadTeam;
class VectorMemory;

/// What is copied from a device: `from`, as many bytes as `to` has. None is
/// nothing to copy.
struct DeviceCopy {
  std::span<std::byte> to;
  const void *from = nullptr;
};

/// Memory that the host reaches by copies only. Copies are ordered with the
/// calls of the device they belong to.
class DeviceMemory {
public:
  virtual ~DeviceMemory() = default;

  /// `bytes` (more than 0) with undefined content, for as long as the device
  /// lives; `name` is for messages. Fails with ExitCode::Internal.
  virtual Result<void *> allocate(uint64_t bytes, const std::string &name) = 0;
  /// May return before `from` is read: it stays as it is until finishCopies()
  /// or a later copyOut() has returned.
  virtual Status copyIn(void *to, std::span<const std::byte> from) = 0;
  /// Waits until all copies so far have read their sources; not for the calls
  /// that came after them.
  virtual Status finishCopies() = 0;
  /// Waits, once, for all that was asked for before and for these copies.
  virtual Status copyOut(std::span<const DeviceCopy> copies) = 0;

  /// The same in two parts: the second waits for the copies of the first and
  /// what came before them, not for what came after.
  virtual Status beginCopyOut(std::span<const DeviceCopy> copies) = 0;
  virtual Status finishCopyOut() = 0;

  /// A few words of 4 bytes, which are read before it returns.
  virtual Status write(void *to, std::span<const std::byte> value) = 0;

  /// As copyIn(), of what a call gets as its batch arena; ordered with the
  /// calls that get `to` alone, it overlaps the others. `from` stays as it
  /// is until finishBatches() has returned, which waits for nothing else.
  virtual Status copyBatch(void *to, std::span<const std::byte> from) = 0;
  virtual Status finishBatches() = 0;

  /// Locks the pages of `host`, where that makes copies faster and lets them
  /// overlap the host. False: they are copied as they are. What is locked
  /// is unlocked before it is unmapped, when no copy is under way.
  virtual bool pin(std::span<std::byte>) { return false; }
  virtual void unpin(std::span<std::byte>) {}
};

/// What ranks do together, for the functions of a program.
class CollectiveRunner {
public:
  virtual ~CollectiveRunner() = default;

  /// Executes collective `index` of the program in place on `operands`, in
  /// memory of the host unless worksOnDevice(), as BoostCollective::operands
  /// describes them.
  virtual Status run(uint32_t index, void *const *operands) = 0;

  /// Whether run() takes operands in the device's memory, and leaves its work
  /// to the device.
  virtual bool worksOnDevice() const { return false; }

  /// Whether what a micro-batch leaves is what this rank adds to the step, so
  /// that collectives need not wait for the rest of it.
  virtual bool isEarly() const { return false; }
  /// On a CPU: the operands of collective `index` have the value of a
  /// micro-batch, which goes on without touching them; see
  /// BoostEnv::gradients_ready.
  virtual void ready(uint32_t, std::span<void *const>) {}
};

class Device {
public:
  virtual ~Device() = default;

  /// "cpu with 2 threads", "the simulated GPU": for the line that says where a
  /// program runs.
  virtual std::string describe() const = 0;

  /// Null: functions work on memory of the host.
  virtual DeviceMemory *memory() { return nullptr; }

  /// What adds vectors that lie in that memory, for as long as the device
  /// lives; null without such memory. Fails with ExitCode::Input.
  virtual Result<VectorMemory *> vectors() { return nullptr; }
  /// For a library that works on the device next to it; null: there can be
  /// none.
  virtual GpuStream *stream() { return nullptr; }

  /// The threads of the host that run its functions, which have nothing to do
  /// between two calls; for the thread that makes the calls. Null: there are
  /// none.
  virtual ThreadTeam *team() { return nullptr; }

  /// Runs function `index` of the target the device was made for on `arenas`,
  /// addresses in its memory by BoostArenaKind. It may return before the
  /// function has ended; what is called or copied next comes after it.
  virtual Status call(uint32_t index, void *const *arenas) = 0;

  /// Hands the collectives from the next call on to `runner`; `schedule` is the
  /// program's table of them and outlives the device. Null, as at first: there
  /// is one rank, and collectives do nothing.
  virtual void setCollectives(CollectiveRunner *runner,
                              std::span<const BoostCollective> schedule) = 0;

  /// Has the calls from now on time what they call and leave that in
  /// `recorder`, which outlives them; null, as at first: they time nothing. No
  /// result depends on it.
  virtual void setRecorder(SpanRecorder *recorder) = 0;
  /// Threads of the host that compute what functions call; 0: another device
  /// does.
  virtual uint32_t threads() const { return 0; }
  /// Whether such times say something: those of a simulated device do not.
  virtual bool hasTimes() const { return true; }
};

} // namespace boostrt
