#include "runtime/cli/ProfileReport.h"

#include "runtime/cli/OutputChecks.h"
#include "runtime/trainer/MachineMemory.h"

#include <algorithm>

namespace boostrt {

/// What this rank may take for a moment: a quarter of what is left for all on
/// its machine.
static uint64_t bytesToMeasureIn(const Ranks &ranks) {
  MachineMemory left = MachineMemory::read();
  const std::vector<uint32_t> &servers = ranks.servers();
  auto neighbours = std::ranges::count(servers, servers[ranks.rank()]);
  return std::min({left.process, left.group, left.machine}) / 4 /
         static_cast<uint64_t>(neighbours);
}

Status checkProfileOutput(const Options &options, std::vector<NamedFile> taken,
                          const DataSpec *data) {
  return options.profileTrace
             ? checkResult("--profile", *options.profileTrace, ExitCode::Usage,
                           std::move(taken), data)
             : Status();
}

Result<ProfileReport> ProfileReport::create(const Options &options,
                                            const Session &session,
                                            Ranks &ranks) {
  ProfiledProgram source{session.program().descriptor(),
                         session.target(),
                         session.device().describe(),
                         session.device().hasTimes(),
                         {}};
  BOOSTRT_RETURN_IF_ERROR(ranks.barrier());
  if (uint32_t threads = session.device().threads())
    source.peaks = measurePeaks(threads, bytesToMeasureIn(ranks));
  BOOSTRT_RETURN_IF_ERROR(ranks.barrier());
  return ProfileReport(options, std::move(source));
}

Status ProfileReport::writeTrace(std::span<const Span> spans) const {
  return options_.profileTrace
             ? writeFileAtomically(realFileSystem(), *options_.profileTrace,
                                   ExitCode::Usage, toTrace(source_, spans))
             : Status();
}

std::string ProfileReport::text(std::span<const Span> spans) const {
  return toText(source_, makeProfile(source_, spans));
}

nlohmann::ordered_json ProfileReport::json(std::span<const Span> spans) const {
  return toJson(source_, makeProfile(source_, spans));
}

} // namespace boostrt
