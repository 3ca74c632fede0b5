// `boost-run ranks` and `boost-run rank-table`.
#include "runtime/launch/RankTable.h"
#include "runtime/launch/ResolveJob.h"
#include "runtime/support/File.h"
#include "runtime/trainer/Commands.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace boostrt {

Status ranksCommand(const Options &options) {
  Result<JobPlan> plan = planJob(options.launch);
  if (!plan.ok())
    return plan.status();
  fmt::print("{}",
             options.json ? plan->toJson().dump() + "\n" : plan->toText());
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
    fmt::print("{}", text);
    return Status();
  }
  return writeFileAtomically(
      realFileSystem(), *options.output, ExitCode::Usage,
      [&](WritableFile &file) {
        return file.write(
            {reinterpret_cast<const uint8_t *>(text.data()), text.size()});
      });
}

} // namespace boostrt
