// FakeCudaState.h - what the files of the driver library that tests make share.
#pragma once

#include "test/runtime/device/cuda/FakeSettings.h"
#include "test/runtime/device/cuda/FakeStreams.h"

#include <map>
#include <optional>
#include <string>

namespace boostrt::fake_cuda {

inline constexpr int kInvalidValue = 1, kNotFound = 500, kIllegalState = 401;

inline int live = 0; ///< objects that are still to be freed

/// Page-locked memory.
inline std::map<const char *, size_t> locked;

/// Whether the driver takes `bytes` from `host` on in one copy: it refuses
/// those that are locked in part.
inline bool isOneKind(const void *host, size_t bytes) {
  auto begin = static_cast<const char *>(host), end = begin + bytes;
  for (auto [from, size] : locked)
    for (const char *edge : {from, from + size})
      if (begin < edge && edge < end)
        return false;
  return true;
}

/// The calls so far that can fail, a line each; of streams but the first with
/// the stream's number, "cuEventRecord@2".
inline std::string trace;

/// Microseconds of the device.
inline double now = 0;

using Node = std::function<void()>;
using Nodes = std::vector<Node>;
inline std::optional<Nodes> capture;
inline FakeStreams streams;

inline FakeStream &of(cuda::Stream stream) {
  return *reinterpret_cast<FakeStream *>(stream);
}
inline FakeEvent *of(cuda::Event event) {
  return reinterpret_cast<FakeEvent *>(event);
}

/// Adds a call to the trace; returns its failure where one was asked for, of
/// all such calls or of those on its stream.
inline int note(std::string call, cuda::Stream stream = nullptr) {
  const char *fails = "FAKE_CUDA_FAILS";
  int failure = cuda::fake::failureOf(fails, call);
  if (stream && of(stream).number > 1)
    call.append("@").append(std::to_string(of(stream).number));
  trace += call + "\n";
  return failure ? failure : cuda::fake::failureOf(fails, call);
}

inline cuda::CallResult submit(cuda::Stream stream, Node node) {
  if (!stream)
    return kInvalidValue;
  of(stream).line.push_back({std::move(node), nullptr, 0, nullptr});
  streams.advance();
  return 0;
}

} // namespace boostrt::fake_cuda

#define FAKE(symbol) extern "C" boostrt::cuda::CallResult symbol
#define FAIL_IF_ASKED                                                          \
  if (int failure = note(__func__))                                            \
  return failure
#define FAIL_IF_ASKED_ON(stream)                                               \
  if (int failure = note(__func__, stream))                                    \
  return failure
