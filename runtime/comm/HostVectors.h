// HostVectors.h - vectors in the memory of the host, added by its CPU.
#pragma once

#include "runtime/comm/TreeSum.h"
#include "runtime/comm/VectorMemory.h"
#include "runtime/comm/Workspace.h"
#include "runtime/comm/vectors/HostAdasumKernels.h"

#include <cstring>

namespace boostrt {

class HostVectors : public VectorMemory {
public:
  explicit HostVectors(Workspace &workspace) : workspace_(workspace) {}

  VectorCuts cuts() const override { return kHostCuts; }
  Result<std::byte *> reserve(size_t bytes) override {
    return workspace_.reserve(bytes);
  }
  Status copy(void *to, const void *from, size_t bytes) override {
    std::memcpy(to, from, bytes);
    return Status();
  }
  Status put(void *to, const void *host, size_t bytes) override {
    return copy(to, host, bytes);
  }
  Status get(void *host, const void *from, size_t bytes) override {
    return copy(host, from, bytes);
  }
  Status add(Element element, void *into, const void *from,
             size_t count) override {
    auto run = [&]<typename T>(T *to) {
      addArrays(to, to, static_cast<const T *>(from), count);
    };
    if (element == Element::F32)
      run(static_cast<float *>(into));
    else
      run(static_cast<int64_t *>(into));
    return Status();
  }
  Status sum(Element element, std::span<void *const> pieces, size_t count,
             void *into) override {
    if (element == Element::F32)
      treeSum(pieces, count, static_cast<float *>(into));
    else
      treeSum(pieces, count, static_cast<int64_t *>(into));
    return Status();
  }
  adasum::AdasumKernels &adasumKernels() override { return adasumKernels_; }
  bool isOnHost() const override { return true; }
  std::span<std::byte> message(void *data, size_t bytes, bool) override {
    return {static_cast<std::byte *>(data), bytes};
  }

private:
  Workspace &workspace_;
  adasum::HostAdasumKernels adasumKernels_;
};

} // namespace boostrt
