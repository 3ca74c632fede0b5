// FakeCuda.h - what tests, and the libraries that they make, ask the driver
// library of FakeCuda.cpp. It stays open with what it counted: every test
// starts where forget() was called.
#pragma once

#include "runtime/device/cuda/CudaApi.h"

#include <dlfcn.h>

#include <cstring>
#include <functional>
#include <string>

namespace boostrt::fake_cuda {

template <class Function> Function *find(const char *name) {
  static void *library = dlopen(BOOSTC_FAKE_CUDA, RTLD_NOW | RTLD_LOCAL);
  return reinterpret_cast<Function *>(dlsym(library, name));
}

/// What the caller has to free: handles, memory, page-locked ranges.
inline int liveObjects() { return find<int()>("fakeCudaLiveObjects")(); }

/// The calls since forget(), one a line.
inline std::string trace() { return find<const char *()>("fakeCudaTrace")(); }
inline void forget() { find<void()>("fakeCudaForget")(); }

/// How often `call` is a line of `calls`.
inline int count(const std::string &calls, const std::string &call) {
  int found = 0;
  std::string line = call + "\n";
  for (size_t at = 0; (at = calls.find(line, at)) != std::string::npos;
       at += line.size())
    found += at == 0 || calls[at - 1] == '\n';
  return found;
}

/// How often the host waited for the first stream, or for an event.
inline int waits(const std::string &calls) {
  return count(calls, "cuStreamSynchronize") +
         count(calls, "cuEventSynchronize");
}

/// What the kernel "defined" computes of so many operands.
inline void define(int operands, void (*kernel)(const cuda::Address *)) {
  find<void(int, void (*)(const cuda::Address *))>("fakeCudaDefine")(operands,
                                                                     kernel);
}

/// The kernel "call", which calls its first operand with the second.
inline constexpr BoostOperand kOperandsOfCall[2] = {{8, 0, 0, "a"},
                                                    {8, 1, 0, "b"}};
inline constexpr BoostLaunch kCall = {
    "call", "model.json:5:3", "fc1", kOperandsOfCall, 2, 3, 32, 0, {}};

/// For the libraries that tests make: work on the driver's first stream, which
/// leaves what it likes in the library's scratch memory.
inline void submit(const std::function<void()> &work, void *scratch,
                   double microseconds) {
  find<void(const std::function<void()> &, double)>("fakeCudaSubmit")(
      [=] {
        std::memset(scratch, 0xee, 256);
        work();
      },
      microseconds);
}

} // namespace boostrt::fake_cuda
