#include "runtime/cli/LaunchFlags.h"

#include "runtime/launch/RankTable.h"
#include "runtime/support/FlagValues.h"
#include "runtime/support/Suggest.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

namespace boostrt {

void addLaunch(CLI::App &app, LaunchOptions &o) {
  app.add_option("--ranks", o.ranks, "start N ranks on this server")
      ->check(integerBetween(1, kMaxRanks))
      ->type_name("N");
  app.add_option("--nnodes", o.nodes, "servers that start --ranks ranks each")
      ->check(integerBetween(1, kMaxRanks))
      ->type_name("N");
  app.add_option("--node-rank", o.nodeRank, "which server this is, from 0")
      ->check(integerBetween(0, kMaxRanks - 1))
      ->type_name("I");
  app.add_option("--master", o.master, "where rank 0 listens for the others")
      ->type_name("HOST[:PORT]");
  app.add_option("--rank-table", o.rankTable,
                 "servers and devices of the job (default: RANK_TABLE_FILE)")
      ->type_name("FILE");
  app.add_option(
         "--token-file", o.tokenFile,
         "file with the secret that ranks share (default: BOOSTC_TOKEN)")
      ->type_name("FILE");
  app.add_option("--log-dir", o.logDir,
                 "ranks write DIR/1/rank.N/stdout and stderr")
      ->type_name("DIR");
  app.add_option_function<std::string>(
         "--comm",
         [&o](const std::string &v) {
           o.comm = v == "local"  ? CommKind::Local
                    : v == "gloo" ? CommKind::Gloo
                    : v == "nccl" ? CommKind::Nccl
                                  : CommKind::Auto;
         },
         "how ranks communicate: gloo between processes, nccl between their "
         "GPUs, "
         "local as threads of one (default: auto, gloo with nccl where every "
         "rank has a GPU of its own and NCCL)")
      ->check(oneOf({"auto", "gloo", "local", "nccl"}))
      ->type_name("KIND");
  app.add_option("--join-deadline", o.joinDeadline,
                 "seconds that ranks wait for each other at the beginning")
      ->check(numberBetween(0.1, 86400))
      ->capture_default_str()
      ->type_name("S");
  app.add_option("--rank-deadline", o.rankDeadline,
                 "seconds of silence after which a rank counts as lost")
      ->check(numberBetween(0.1, 86400))
      ->capture_default_str()
      ->type_name("S");
  app.add_option("--grace", o.grace,
                 "seconds ranks get to end when another is lost")
      ->check(numberBetween(0.0, 86400))
      ->capture_default_str()
      ->type_name("S");
  app.add_flag_function(
      "--pin,!--no-pin", [&o](int64_t count) { o.pin = count > 0; },
      "give each rank that is started CPUs of its own (default: where there "
      "are as many as ranks)");
}

void addRankTable(CLI::App &app, Options &o) {
  app.add_option("ACTION", o.tableAction, "create or merge")->type_name("VERB");
  app.add_option("FILES", o.tables, "tables to merge")
      ->take_all()
      ->type_name("FILE");
  app.add_option_function<std::string>(
         "--hosts",
         [&o](const std::string &list) {
           for (size_t begin = 0; begin != std::string::npos;) {
             size_t comma = list.find(',', begin);
             o.hosts.push_back(list.substr(begin, comma - begin));
             begin = comma == std::string::npos ? comma : comma + 1;
           }
         },
         "servers, in the order of their ranks")
      ->type_name("A,B,...");
  app.add_option("--devices", o.devices, "ranks of each server")
      ->check(integerBetween(1, kMaxRanks))
      ->type_name("N");
  app.add_option("-o,--output", o.output,
                 "file to write (default: standard output)")
      ->type_name("FILE");
}

Status checkRankTable(const Options &o) {
  auto fail = [](std::string message) {
    return Status(ExitCode::Usage, std::move(message));
  };
  if (o.tableAction.empty())
    return fail("which action? create or merge");
  if (o.tableAction == "create") {
    if (!o.tables.empty())
      return fail(fmt::format("create takes no files, but --hosts; unexpected "
                              "'{}'",
                              printable(o.tables[0])));
    if (o.hosts.empty())
      return fail("create needs --hosts A,B,...");
    if (o.devices == 0)
      return fail("create needs --devices N, the ranks of each host");
    return Status();
  }
  if (o.tableAction != "merge") {
    std::string_view legal[] = {"create", "merge"};
    return fail(fmt::format("'{}' is not an action{}; create or merge",
                            printable(o.tableAction),
                            didYouMean(o.tableAction, legal)));
  }
  if (!o.hosts.empty() || o.devices != 0)
    return fail("merge takes tables; --hosts and --devices are for create");
  if (o.tables.size() < 2)
    return fail("merge needs at least two tables");
  return Status();
}

} // namespace boostrt
