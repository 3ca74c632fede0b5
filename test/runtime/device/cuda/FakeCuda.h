// FakeCuda.h - what tests ask the driver library of FakeCuda.cpp. It stays open
// with what it counted: every test starts where forget() was called.
#pragma once

#include <dlfcn.h>

#include <string>

namespace boostrt::fake_cuda {

template <class Function> Function *find(const char *name) {
  static void *library = dlopen(BOOST_FAKE_CUDA, RTLD_NOW | RTLD_LOCAL);
  return reinterpret_cast<Function *>(dlsym(library, name));
}

/// What somebody has to free: handles, memory, page-locked ranges.
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

/// How often somebody waited for the first stream.
inline int waits(const std::string &calls) {
  return count(calls, "cuStreamSynchronize") +
         count(calls, "cuEventSynchronize");
}

} // namespace boostrt::fake_cuda
