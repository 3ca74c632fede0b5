// `boost-run ranks` and `boost-run rank-table`.
#include "runtime/cli/Commands.h"
#include "runtime/launch/RankTable.h"
#include "runtime/launch/ResolveJob.h"
#include "runtime/support/File.h"
#include "runtime/support/Streams.h"

#include <nlohmann/json.hpp>

namespace boostrt {

Status ranksCommand(const Options &options) {
  Result<JobPlan> plan = planJob(options.launch);
  if (!plan.ok())
    return plan.status();
  writeResult(options.json ? plan->toJson().dump() + "\n" : plan->toText());
  return Status();
}

namespace {

Result<RankTable> makeTable(const Options &options) {
  if (options.tableAction == "create")
    return createRankTable(options.hosts, options.devices);
  std::vector<RankTable> parts;
  for (const std::string &path : options.tables) {
    Result<RankTable> part = readRankTable(path, TableKind::Part);
    if (!part.ok())
      return part.status();
    parts.push_back(std::move(part).value());
  }
  return mergeRankTables(parts);
}

} // namespace

Status rankTableCommand(const Options &options) {
  Result<RankTable> table = makeTable(options);
  if (!table.ok())
    return table.status();
  std::string text = table->toJson();
  if (!options.output || *options.output == "-") {
    writeResult(text);
    return Status();
  }
  std::vector<NamedFile> inputs;
  for (const std::string &path : options.tables)
    inputs.push_back({"a table to merge", path});
  BOOSTRT_RETURN_IF_ERROR(checkOutput(realFileSystem(), "-o", *options.output,
                                      ExitCode::Usage, inputs));
  return writeFileAtomically(realFileSystem(), *options.output, ExitCode::Usage,
                             text);
}

} // namespace boostrt
