#include "runtime/profile/Profile.h"

#include "runtime/abi/DescriptorSchema.h"
#include "runtime/support/ByteText.h"
#include "runtime/support/ElementBytes.h"
#include "runtime/support/Plural.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>
#include <tuple>

using Json = nlohmann::ordered_json;

namespace boostrt {
namespace {

DescribedCall describeWork(std::string name, const char *layers,
                           const BoostWork &work) {
  return {std::move(name), layers,          work.positions,
          work.flops,      work.bytes_read, work.bytes_written};
}

/// "matmul 32x512x784", "convolution 32x1x28x28 with 6x1x5x5",
/// "damped_inverse 2x1024x1024".
std::string nameOfCall(const BoostLibraryCall &call) {
  const char *kind = boostabi::nameOf<BoostLibraryCallKind>(call.kind);
  if (call.kind == BOOSTC_LIBRARY_MATMUL)
    return fmt::format("{} {}x{}x{}", kind, call.matmul.m, call.matmul.n,
                       call.matmul.k);
  if (call.kind == BOOSTC_LIBRARY_DAMPED_INVERSE)
    return fmt::format("{} {}x{}x{}", kind, call.damped_inverse.matrices,
                       call.damped_inverse.extent, call.damped_inverse.extent);
  return fmt::format("{} {} with {}", kind,
                     fmt::join(call.convolution.input, "x"),
                     fmt::join(call.convolution.weight, "x"));
}

DescribedCall describeCollective(const BoostProgram &program,
                                 const BoostCollective &collective) {
  DescribedCall call;
  call.name = fmt::format(
      "{} {}", boostabi::nameOf<BoostCollectiveKind>(collective.kind),
      collective.index);
  call.positions = collective.location;
  uint32_t named = 0, more = 0;
  for (const BoostCollectiveOperand &operand :
       std::span(collective.operands, collective.operand_count)) {
    uint64_t bytes = operand.elements * elementBytes(operand.dtype);
    call.bytesRead += bytes;
    call.bytesWritten += bytes;
    if (operand.parameter == UINT32_MAX)
      continue;
    if (++named > 4) {
      ++more;
      continue;
    }
    call.layers +=
        fmt::format("{}{}", named > 1 ? ", " : "",
                    program.parameters[operand.parameter].tensor.name);
  }
  if (more > 0)
    call.layers += fmt::format(" and {} more", more);
  return call;
}

bool isCall(SpanKind kind) {
  return kind != SpanKind::Step && kind != SpanKind::Function;
}

/// What the columns of numbers show of one row, or of several.
struct Numbers {
  double seconds = 0, calls = 0, flops = 0, bytes = 0;
  std::optional<double> share = {};

  void add(const ProfileRow &row) {
    auto n = static_cast<double>(row.calls);
    seconds += row.seconds;
    calls += n;
    flops += n * static_cast<double>(row.call.flops);
    bytes += n * static_cast<double>(row.call.bytes());
  }
};

std::string describeFlops(const MachinePeaks &peaks) {
  return peaks.flops > 0 ? fmt::format("{:.1f} GFLOP/s ({} multiply-adds)",
                                       peaks.flops * 1e-9, peaks.vectors)
                         : "GFLOP/s not measured, which needs AVX2";
}

std::string describeBandwidth(const MachinePeaks &peaks) {
  return peaks.bytes > 0
             ? fmt::format("{:.2f} GB/s (triad over {}, the largest cache has "
                           "{})",
                           peaks.bytes * 1e-9, describeBytes(peaks.triadBytes),
                           describeBytes(peaks.cacheBytes))
             : "GB/s not measured, for which too little memory is free";
}

class Table {
public:
  Table(const ProfiledProgram &source, const Profile &profile)
      : source_(source), profile_(profile) {}

  std::string text(size_t maxRows) {
    addHeader();
    Numbers total, others;
    for (size_t i = 0; i < profile_.rows.size(); ++i) {
      const ProfileRow &row = profile_.rows[i];
      total.add(row);
      if (i >= maxRows) {
        others.add(row);
        continue;
      }
      Numbers numbers;
      numbers.add(row);
      numbers.share = row.share;
      addRow(numbers,
             fmt::format("{:<20}  {}{}{}", row.call.name, row.call.layers,
                         row.call.layers.empty() ? "" : "  ",
                         row.call.positions));
    }
    if (profile_.rows.size() > maxRows)
      addRow(others,
             fmt::format("{} of less {}",
                         countOf(profile_.rows.size() - maxRows, "call"),
                         source_.hasTimes ? "time" : "work"));
    if (source_.hasTimes) {
      Numbers outside;
      outside.seconds = profile_.seconds - profile_.secondsInCalls();
      addRow(outside, "outside of calls: launching, waiting");
      total.seconds = profile_.seconds;
    }
    addRow(total, "total");
    return std::move(text_);
  }

private:
  void addHeader() {
    auto steps = static_cast<double>(profile_.steps);
    text_ += fmt::format("profile of {} on {}", countOf(profile_.steps, "step"),
                         source_.device);
    if (!source_.hasTimes) {
      text_ += ": calls, operations and bytes of a step; times of a simulated "
               "device say nothing\n";
      text_ += fmt::format("{:>7} {:>10} {:>10}  {}\n", "calls", "MFLOP", "MB",
                           "call  layers  positions");
      return;
    }
    text_ +=
        fmt::format(": {:.4f} ms a step\n", profile_.seconds / steps * 1e3);
    const MachinePeaks &peaks = source_.peaks;
    if (peaks.threads > 0)
      text_ +=
          fmt::format("peaks of {}: {}, {}\n", countOf(peaks.threads, "thread"),
                      describeFlops(peaks), describeBandwidth(peaks));
    text_ +=
        fmt::format("{:>10} {:>6} {:>7} {:>10} {:>10} {:>9} {:>8} {:>6}  {}\n",
                    "ms", "%", "calls", "MFLOP", "MB", "GFLOP/s", "GB/s",
                    "roof%", "call  layers  positions");
  }

  void addRow(const Numbers &row, const std::string &what) {
    auto steps = static_cast<double>(profile_.steps);
    std::string counts =
        row.calls == 0
            ? fmt::format("{:>7} {:>10} {:>10}", "", "", "")
            : fmt::format("{:>7.4g} {:>10.3f} {:>10.3f}", row.calls / steps,
                          row.flops / steps * 1e-6, row.bytes / steps * 1e-6);
    if (!source_.hasTimes) {
      text_ += fmt::format("{}  {}\n", counts, what);
      return;
    }
    auto rate = [&](double amount) {
      return row.calls > 0 && row.seconds > 0 ? amount / row.seconds * 1e-9 : 0;
    };
    std::string rates = row.calls == 0
                            ? fmt::format("{:>9} {:>8}", "", "")
                            : fmt::format("{:>9.2f} {:>8.2f}", rate(row.flops),
                                          rate(row.bytes));
    text_ += fmt::format(
        "{:>10.4f} {:>6.2f} {} {} {:>6}  {}\n", row.seconds / steps * 1e3,
        profile_.seconds > 0 ? row.seconds / profile_.seconds * 100 : 0, counts,
        rates, row.share ? fmt::format("{:.1f}", *row.share * 100) : "", what);
  }

  const ProfiledProgram &source_;
  const Profile &profile_;
  std::string text_;
};

} // namespace

DescribedCall ProfiledProgram::describe(SpanKind kind, int64_t index) const {
  auto at = static_cast<uint64_t>(index);
  if (kind == SpanKind::Kernel && at < target.launch_count) {
    const BoostLaunch &launch = target.launches[at];
    return describeWork(launch.kernel, launch.layers, launch.work);
  }
  if (kind == SpanKind::Library && at < target.library_call_count) {
    const BoostLibraryCall &call = target.library_calls[at];
    return describeWork(nameOfCall(call), call.layers, call.work);
  }
  if (kind == SpanKind::Collective && at < program.collective_count)
    return describeCollective(program, program.collectives[at]);
  // A program that boostc did not make may number its calls as it likes.
  DescribedCall unknown;
  unknown.name = fmt::format("{} {}", getText(kind), index);
  return unknown;
}

std::string ProfiledProgram::nameOf(const Span &span) const {
  if (span.kind == SpanKind::Step)
    return fmt::format("step {}", span.index);
  if (span.kind == SpanKind::Function)
    return target.functions[span.index].name;
  return describe(span.kind, span.index).name;
}

const char *getText(SpanKind kind) {
  switch (kind) {
  case SpanKind::Step:
    return "step";
  case SpanKind::Function:
    return "function";
  case SpanKind::Kernel:
    return "kernel";
  case SpanKind::Library:
    return "library_call";
  case SpanKind::Collective:
    return "collective";
  }
  return "";
}

double Profile::secondsInCalls() const {
  double sum = 0;
  for (const ProfileRow &row : rows)
    sum += row.seconds;
  return sum;
}

Profile makeProfile(const ProfiledProgram &source,
                    std::span<const Span> spans) {
  Profile profile;
  // Functions share calls that differ in nothing but addresses.
  std::map<std::tuple<std::string_view, SpanKind, int64_t>, size_t> known;
  const char *function = "";
  for (const Span &span : spans) {
    if (span.kind == SpanKind::Step) {
      ++profile.steps;
      profile.seconds += span.seconds();
    } else if (span.kind == SpanKind::Function) {
      function = source.target.functions[span.index].name;
    }
    if (!isCall(span.kind))
      continue;
    auto [entry, isNew] = known.try_emplace({function, span.kind, span.index},
                                            profile.rows.size());
    if (isNew)
      profile.rows.push_back({span.kind, span.index, function,
                              source.describe(span.kind, span.index)});
    ProfileRow &row = profile.rows[entry->second];
    ++row.calls;
    row.seconds += span.seconds();
  }
  for (ProfileRow &row : profile.rows) {
    double least = source.peaks.leastSeconds(row.call.flops, row.call.bytes());
    if (row.kind != SpanKind::Collective && least > 0 && row.seconds > 0)
      row.share = least * static_cast<double>(row.calls) / row.seconds;
  }
  auto rank = [&](const ProfileRow &row) {
    auto n = static_cast<double>(row.calls);
    return std::tuple(source.hasTimes ? -row.seconds : 0,
                      -n * static_cast<double>(row.call.flops),
                      -n * static_cast<double>(row.call.bytes()), row.kind,
                      row.index, std::string_view(row.function));
  };
  std::ranges::sort(profile.rows, {}, rank);
  return profile;
}

std::string toText(const ProfiledProgram &source, const Profile &profile,
                   size_t maxRows) {
  return Table(source, profile).text(maxRows);
}

Json toJson(const ProfiledProgram &source, const Profile &profile) {
  auto steps = static_cast<double>(profile.steps);
  auto milliseconds = [&](double seconds) { return seconds / steps * 1e3; };
  Json json{{"steps", profile.steps}};
  if (source.hasTimes)
    json["ms_per_step"] = milliseconds(profile.seconds);
  const MachinePeaks &peaks = source.peaks;
  if (peaks.threads > 0)
    json["peaks"] = {
        {"threads", peaks.threads},        {"flops_per_s", peaks.flops},
        {"vectors", peaks.vectors},        {"bytes_per_s", peaks.bytes},
        {"triad_bytes", peaks.triadBytes}, {"cache_bytes", peaks.cacheBytes}};
  Json calls = Json::array();
  for (const ProfileRow &row : profile.rows) {
    Json call{{"kind", getText(row.kind)},
              {"index", row.index},
              {"name", row.call.name},
              {"function", row.function},
              {"layers", row.call.layers},
              {"positions", row.call.positions},
              {"calls_per_step", static_cast<double>(row.calls) / steps}};
    if (source.hasTimes)
      call["ms_per_step"] = milliseconds(row.seconds);
    call["flops"] = row.call.flops;
    call["bytes_read"] = row.call.bytesRead;
    call["bytes_written"] = row.call.bytesWritten;
    if (row.share)
      call["roofline_share"] = *row.share;
    calls.push_back(std::move(call));
  }
  json["calls"] = std::move(calls);
  if (source.hasTimes)
    json["outside_ms_per_step"] =
        milliseconds(profile.seconds - profile.secondsInCalls());
  return json;
}

} // namespace boostrt
