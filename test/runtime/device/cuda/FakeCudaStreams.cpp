// Copies, events, streams and graphs of FakeCuda.cpp.
#include "test/runtime/device/cuda/FakeCudaState.h"

#include <algorithm>
#include <cstring>

using namespace boostrt::cuda;
using namespace boostrt::fake_cuda;

FAKE(cuMemcpyHtoDAsync_v2)(Address to, const void *from, size_t bytes,
                           Stream stream) {
  FAIL_IF_ASKED_ON(stream);
  if (!isOneKind(from, bytes))
    return kInvalidValue;
  return submit(
      stream, [=] { std::memcpy(reinterpret_cast<void *>(to), from, bytes); });
}
FAKE(cuMemcpyDtoHAsync_v2)(void *to, Address from, size_t bytes,
                           Stream stream) {
  FAIL_IF_ASKED_ON(stream);
  if (!isOneKind(to, bytes))
    return kInvalidValue;
  return submit(
      stream, [=] { std::memcpy(to, reinterpret_cast<void *>(from), bytes); });
}
FAKE(cuMemcpyDtoDAsync_v2)(Address to, Address from, size_t bytes,
                           Stream stream) {
  FAIL_IF_ASKED_ON(stream);
  return submit(stream, [=] {
    std::memcpy(reinterpret_cast<void *>(to), reinterpret_cast<void *>(from),
                bytes);
  });
}
FAKE(cuMemsetD32Async)(Address to, unsigned word, size_t count, Stream stream) {
  FAIL_IF_ASKED_ON(stream);
  if (to % sizeof word != 0 || count == 0)
    return kInvalidValue;
  return submit(stream, [=] {
    std::fill_n(reinterpret_cast<unsigned *>(to), count, word);
  });
}
FAKE(cuEventCreate)(Event *event, unsigned flags) {
  FAIL_IF_ASKED;
  if (flags != kEventDisableTiming && flags != 0)
    return kInvalidValue;
  *event = reinterpret_cast<Event>(new FakeEvent);
  ++live;
  return 0;
}
FAKE(cuEventRecord)(Event event, Stream stream) {
  FAIL_IF_ASKED_ON(stream);
  if (!event || !stream)
    return kInvalidValue;
  of(stream).record(of(event), now);
  streams.advance();
  return 0;
}
FAKE(cuEventSynchronize)(Event event) {
  FAIL_IF_ASKED;
  if (!event)
    return kInvalidValue;
  finish(*of(event));
  streams.advance();
  return 0;
}
FAKE(cuEventElapsedTime)(float *milliseconds, Event begin, Event end) {
  FAIL_IF_ASKED;
  double from = of(begin)->time, to = of(end)->time;
  *milliseconds = static_cast<float>((to - from) / 1000);
  return from >= 0 && to >= from ? 0 : kInvalidValue;
}
FAKE(cuEventDestroy_v2)(Event event) {
  delete of(event);
  --live;
  return 0;
}
FAKE(cuStreamCreate)(Stream *stream, unsigned flags) {
  FAIL_IF_ASKED;
  if (flags != kStreamNonBlocking)
    return kInvalidValue;
  *stream = reinterpret_cast<Stream>(streams.make());
  ++live;
  return 0;
}
FAKE(cuStreamDestroy_v2)(Stream stream) {
  streams.destroy(&of(stream));
  --live;
  return 0;
}
FAKE(cuStreamSynchronize)(Stream stream) {
  FAIL_IF_ASKED_ON(stream);
  of(stream).finish();
  streams.advance();
  return 0;
}
FAKE(cuStreamQuery)(Stream stream) {
  FAIL_IF_ASKED_ON(stream);
  // Each question finds a little more done.
  if (of(stream).line.empty())
    return 0;
  of(stream).runOne();
  streams.advance();
  return kErrorNotReady;
}
FAKE(cuStreamWaitEvent)(Stream stream, Event event, unsigned flags) {
  FAIL_IF_ASKED_ON(stream);
  if (!stream || !event || flags != 0)
    return kInvalidValue;
  of(stream).wait(of(event));
  return 0;
}
FAKE(cuStreamBeginCapture_v2)(Stream, int mode) {
  FAIL_IF_ASKED;
  if (capture || mode != kCaptureModeThreadLocal)
    return kIllegalState;
  capture.emplace();
  return 0;
}
FAKE(cuStreamEndCapture)(Stream, Graph *graph) {
  FAIL_IF_ASKED;
  if (!capture)
    return kIllegalState;
  *graph = reinterpret_cast<Graph>(new Nodes(std::move(*capture)));
  capture.reset();
  ++live;
  return 0;
}
FAKE(cuGraphInstantiateWithFlags)(GraphExec *exec, Graph graph,
                                  unsigned long long flags) {
  FAIL_IF_ASKED;
  *exec =
      reinterpret_cast<GraphExec>(new Nodes(*reinterpret_cast<Nodes *>(graph)));
  ++live;
  return flags == 0 ? 0 : kInvalidValue;
}
FAKE(cuGraphLaunch)(GraphExec exec, Stream stream) {
  FAIL_IF_ASKED_ON(stream);
  for (const Node &node : *reinterpret_cast<Nodes *>(exec))
    submit(stream, node);
  return 0;
}
FAKE(cuGraphExecDestroy)(GraphExec exec) {
  delete reinterpret_cast<Nodes *>(exec);
  --live;
  return 0;
}
FAKE(cuGraphDestroy)(Graph graph) {
  delete reinterpret_cast<Nodes *>(graph);
  --live;
  return 0;
}
