// GpuVectors.h - vectors in the memory of a GPU, added by its kernels: those of
// the runtime's own, which every GPU that runs programs takes, and the
// simulated one. An addition rounds as the host's does, so a sum has the same
// bits.
#pragma once

#include "runtime/comm/VectorMemory.h"
#include "runtime/device/cuda/GpuAdasumKernels.h"
#include "runtime/device/cuda/RuntimeKernels.h"

#include <memory>

namespace boostrt {

/// A message costs as much as a long one's begin, and a GPU has room.
inline constexpr VectorCuts kGpuCuts = {size_t(32) << 20, size_t(32) << 20,
                                        size_t(64) << 10};

class GpuVectors final : public VectorMemory {
public:
  /// `driver` outlives the object; its program is loaded and its kernels are
  /// found. Fails with ExitCode::Input.
  static Result<std::unique_ptr<GpuVectors>> create(GpuDriver &driver);

  VectorCuts cuts() const override { return kGpuCuts; }
  /// What was smaller before stays reserved until the driver ends.
  Result<std::byte *> reserve(size_t bytes) override;
  size_t capacity() const { return capacity_; }
  Status copy(void *to, const void *from, size_t bytes) override;
  Status put(void *to, const void *host, size_t bytes) override;
  Status get(void *host, const void *from, size_t bytes) override;
  Status add(Element element, void *into, const void *from,
             size_t count) override;
  Status sum(Element element, std::span<void *const> pieces, size_t count,
             void *into) override;
  adasum::AdasumKernels &adasumKernels() override { return *adasumKernels_; }
  bool isOnHost() const override { return driver_.isOnHost(); }
  std::span<std::byte> message(void *data, size_t bytes,
                               bool isWritten) override;

private:
  explicit GpuVectors(GpuDriver &driver) : driver_(driver) {}
  /// into = a + b; `into` may be one of them.
  Status add(Element element, void *into, const void *a, const void *b,
             size_t count);

  GpuDriver &driver_;
  std::unique_ptr<GpuAdasumKernels> adasumKernels_;
  RuntimeKernel addFloats_ = {"boost_add_f32"},
                addIntegers_ = {"boost_add_i64"};
  std::byte *scratch_ = nullptr;
  size_t capacity_ = 0;
};

} // namespace boostrt
