// FakeGpu.h - GPUs for the library of FakeNccl.cpp, and ranks that have them.
#pragma once

#include "runtime/device/cuda/nccl/NcclTransport.h"
#include "test/runtime/device/cuda/nccl/Connection.h"
#include "test/runtime/device/cuda/nccl/FakeNccl.h"

#include <gtest/gtest.h>

#include <dlfcn.h>
#include <memory>
#include <vector>

namespace boostrt::fake_nccl {

inline void *library() {
  static void *library = dlopen(BOOSTC_FAKE_NCCL, RTLD_NOW | RTLD_LOCAL);
  return library;
}

inline const Control &control() {
  using Get = const Control *();
  static const Control *control =
      reinterpret_cast<Get *>(dlsym(library(), "fakeNcclControl"))();
  return *control;
}

inline const nccl::NcclApi &api() {
  static Result<nccl::NcclApi> api =
      nccl::NcclApi::find(library(), BOOSTC_FAKE_NCCL);
  EXPECT_TRUE(api.ok()) << api.status().message();
  return *api;
}

/// A rank's GPU, whose memory is the host's.
class Gpu : public GpuStream {
public:
  void *handle() const override { return const_cast<Stream *>(&stream_); }
  std::string busAddress() const override { return "0000:00:00.0"; }
  Result<bool> isIdle() override {
    if (stream_.isBroken)
      return Status(ExitCode::Internal,
                    "cuStreamQuery failed: CUDA_ERROR_ILLEGAL_ADDRESS");
    return stream_.pending == 0;
  }
  Result<uint64_t> allocate(uint64_t bytes, const std::string &) override {
    memory_.push_back(std::make_unique<std::byte[]>(bytes));
    return reinterpret_cast<uint64_t>(memory_.back().get());
  }
  Stream &stream() { return stream_; }

private:
  Stream stream_;
  std::vector<std::unique_ptr<std::byte[]>> memory_;
};

using Connection = test::ConnectionWith<Gpu>;

/// connectNccl() over a transport of the test, for as long as the result lives.
inline Result<std::unique_ptr<Connection>>
connect(std::unique_ptr<Transport> host, const NcclOptions &options = {}) {
  auto gpu = std::make_unique<Gpu>();
  Result<std::unique_ptr<Transport>> transport =
      connectNccl(*host, api(), *gpu, options);
  if (!transport.ok())
    return transport.status();
  return std::make_unique<Connection>(std::move(host), std::move(gpu),
                                      std::move(transport).value());
}

} // namespace boostrt::fake_nccl
