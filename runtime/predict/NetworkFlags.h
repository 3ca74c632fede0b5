// NetworkFlags.h - the flags that say where predicted ranks are, of boostc and
// boost-run.
#pragma once

#include "runtime/predict/NetworkText.h"
#include "runtime/predict/Predict.h"
#include "runtime/support/FlagValues.h"

namespace boostrt {

/// --servers, which wants the flag `ranks`. `job` outlives `app`.
inline void addServersFlag(CLI::App &app, CLI::Option *ranks, JobShape &job) {
  app.add_option("--servers", job.servers,
                 "servers like this one that these ranks are on (default: 1)")
      ->needs(ranks)
      ->check(integerBetween(1, kMaxPredictedRanks))
      ->type_name("N");
}

/// The same and --network.
inline void addNetworkFlags(CLI::App &app, CLI::Option *ranks,
                            PredictOptions &options) {
  addServersFlag(app, ranks, options.job);
  app.add_option_function<std::string>(
         "--network",
         [&options](const std::string &text) {
           Result<NetworkCosts> network = parseNetwork(text);
           if (!network.ok())
             throw CLI::ValidationError("--network",
                                        network.status().message());
           options.network = *network;
         },
         "latency and bandwidth between servers, as 10us,100Gbit/s")
      ->needs(ranks)
      ->type_name("LATENCY,BANDWIDTH");
}

} // namespace boostrt
