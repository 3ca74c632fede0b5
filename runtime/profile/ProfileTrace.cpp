// The JSON Object Format of Chrome's trace events: complete events ("ph": "X"),
// times in microseconds, which nest by their times.
#include "runtime/profile/Profile.h"

#include <fmt/format.h>

using Json = nlohmann::ordered_json;

namespace boostrt {
namespace {

/// Every span is on one track.
constexpr int kProcess = 1, kThread = 1;

Json nameTrack(const char *what, const std::string &name) {
  return {{"name", what},
          {"ph", "M"},
          {"pid", kProcess},
          {"tid", kThread},
          {"args", {{"name", name}}}};
}

} // namespace

std::string toTrace(const ProfiledProgram &source,
                    std::span<const Span> spans) {
  auto microseconds = [](Clock::duration duration) {
    return std::chrono::duration<double, std::micro>(duration).count();
  };
  Clock::time_point first = spans.empty() ? Clock::now() : spans.front().begin;
  Json events = Json::array();
  events.push_back(nameTrack("process_name", source.program.name));
  events.push_back(nameTrack("thread_name", source.device));
  for (const Span &span : spans) {
    Json event{{"name", source.nameOf(span)},
               {"cat", getText(span.kind)},
               {"ph", "X"},
               {"ts", microseconds(span.begin - first)},
               {"dur", microseconds(span.end - span.begin)},
               {"pid", kProcess},
               {"tid", kThread}};
    if (span.kind != SpanKind::Step && span.kind != SpanKind::Function) {
      DescribedCall call = source.describe(span.kind, span.index);
      event["args"] = {{"layers", call.layers},
                       {"positions", call.positions},
                       {"flops", call.flops},
                       {"bytes_read", call.bytesRead},
                       {"bytes_written", call.bytesWritten}};
    }
    events.push_back(std::move(event));
  }
  Json trace{{"traceEvents", std::move(events)}, {"displayTimeUnit", "ms"}};
  return trace.dump() + "\n";
}

} // namespace boostrt
