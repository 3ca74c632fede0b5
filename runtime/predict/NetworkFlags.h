// NetworkFlags.h - the flags of boost-run that say where predicted ranks are.
#pragma once

#include "runtime/predict/NetworkText.h"
#include "runtime/predict/Predict.h"
#include "runtime/program/ServersFlag.h"

namespace boostrt {

/// --servers and --network.
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
