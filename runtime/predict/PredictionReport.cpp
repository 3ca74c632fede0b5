#include "runtime/predict/PredictionReport.h"

#include "runtime/predict/NetworkText.h"
#include "runtime/program/ProgramCollectives.h"
#include "runtime/support/Plural.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace boostrt {
namespace {

std::string milliseconds(double seconds) {
  return fmt::format("{:10.4f} ms", seconds * 1e3);
}

const char *linkName(RankLink link) {
  return link == RankLink::Tcp ? "over TCP" : "as threads of one process";
}

/// "  label        text\n".
void line(std::string &text, std::string_view label, std::string_view rest) {
  text += fmt::format("  {:<16}{}\n", label, rest);
}

void addParts(std::string &text, const Prediction &p) {
  const StepPrediction &step = p.step;
  auto calls = [](uint64_t number, double all) {
    return number < 2 ? std::string()
                      : fmt::format("  {} x {}", number,
                                    describeSeconds(all / double(number)));
  };
  line(text, "micro",
       milliseconds(step.micro) + calls(p.microBatches, step.micro));
  if (step.combine > 0)
    line(text, "combine",
         milliseconds(step.combine) + calls(p.microBatches - 1, step.combine));
  if (p.job.ranks > 1) {
    line(text, "exchange", milliseconds(step.exchange()));
    line(text, "  wait",
         fmt::format("{}  until all ranks have come", milliseconds(step.wait)));
    for (const PredictedCollective &collective : step.collectives)
      line(text,
           fmt::format("  {} {}", collective.index, kindName(collective.kind)),
           fmt::format("{}  {}", milliseconds(collective.seconds),
                       collective.members == 1
                           ? std::string("nothing: one rank")
                           : fmt::format("{} ranks, {}; each sends {} bytes",
                                         collective.members, collective.how,
                                         collective.bytes)));
  }
  line(text, "update", milliseconds(step.update));
  line(text, "step",
       fmt::format("{}, {:.0f} samples/s", milliseconds(step.total()),
                   step.samplesPerSecond()));
}

void addSharing(std::string &text, const Prediction &p) {
  const StepPrediction &step = p.step;
  uint32_t inServer = p.job.ranksPerServer();
  if (uint64_t(inServer) * p.server.threads <= p.server.cores)
    return;
  if (inServer == p.server.computeRanks && inServer == p.server.commRanks)
    line(text, "shared",
         fmt::format("{} by {}, as when they were measured",
                     countOf(p.server.cores, "core"),
                     countOf(inServer, "rank")));
  else
    line(text, "shared",
         fmt::format("{} by {}: computing takes {:.3g} times as long, "
                     "exchanging {:.3g} times as long as between {}",
                     countOf(p.server.cores, "core"), countOf(inServer, "rank"),
                     step.computeStretch, step.exchangeStretch,
                     countOf(p.server.commRanks, "rank")));
}

void addSources(std::string &text, const Prediction &p) {
  const ServerCosts &server = p.server;
  std::string combine =
      p.step.combine > 0
          ? fmt::format("combine {}, ", describeSeconds(server.compute.combine))
          : std::string();
  line(text, "not counted",
       "loading and transforming samples, which overlaps the steps");
  if (p.step.repeats)
    line(text, "",
         "phases that are done again: each phase of a step is counted once");
  if (p.step.collectives.size() > 1)
    line(text, "",
         "the part of the exchange that overlaps the backward: a step may be "
         "shorter by that");
  line(text, "measured here",
       fmt::format("a rank with {}, {} at once: micro-batch {}, {}update {}",
                   countOf(server.threads, "thread"), server.computeRanks,
                   describeSeconds(server.compute.micro), combine,
                   describeSeconds(server.compute.update)));
  if (p.job.ranks == 1)
    return;
  line(text, p.notMeasured > 0 ? "assumed" : "",
       fmt::format("between {}: latency {}, {} a message, {:.3g} ns a byte",
                   p.notMeasured > 0
                       ? "ranks"
                       : fmt::format("{} {}", countOf(server.commRanks, "rank"),
                                     linkName(p.link)),
                   describeSeconds(server.comm.latency),
                   describeSeconds(server.comm.perMessage),
                   server.comm.perByte * 1e9));
  if (p.notMeasured > 0)
    line(text, "",
         fmt::format("because measuring {} together would take {:.3g} s, more "
                     "than {:.3g}; a program with a smaller batch_size can be "
                     "measured",
                     countOf(measuredRanks(p.job), "rank"), p.notMeasured,
                     kMaxTogether));
  if (p.job.servers == 1)
    return;
  line(text, p.networkIsAssumed ? "assumed" : "given",
       fmt::format("between servers: latency {}, {} each{}",
                   describeSeconds(p.network.latency),
                   describeBandwidth(p.network.bytesPerSecond),
                   p.networkIsAssumed ? "; --network says what it is" : ""));
  line(text, "assumed",
       fmt::format("every server is as this one, with {}",
                   countOf(server.cores, "core")));
}

} // namespace

std::string toText(const Prediction &p) {
  std::string text =
      fmt::format("a step on {}, predicted\n", countOf(p.job.ranks, "rank"));
  line(text, "ranks",
       fmt::format("{} on {}, {} each", p.job.ranks,
                   countOf(p.job.servers, "server"),
                   countOf(p.server.threads, "thread")));
  addParts(text, p);
  if (p.job.ranks > 1) {
    line(text, "one rank",
         fmt::format("{}, {:.0f} samples/s, with {} and the machine to itself",
                     milliseconds(p.alone.total()), p.alone.samplesPerSecond(),
                     countOf(p.aloneThreads, "thread")));
    line(text, "efficiency",
         fmt::format("{:.1f} % of {} such ranks", 100 * p.efficiency(),
                     p.job.ranks));
    line(text, "sent", fmt::format("{} bytes by each rank", p.step.bytes()));
  }
  addSharing(text, p);
  addSources(text, p);
  return text;
}

nlohmann::ordered_json toJson(const Prediction &p) {
  using Json = nlohmann::ordered_json;
  Json collectives = Json::array();
  for (const PredictedCollective &collective : p.step.collectives)
    collectives.push_back({{"index", collective.index},
                           {"kind", kindName(collective.kind)},
                           {"ranks", collective.members},
                           {"how", collective.how},
                           {"seconds", collective.seconds},
                           {"bytes_sent", collective.bytes}});
  Json measured{{"cores", p.server.cores},
                {"threads", p.server.threads},
                {"micro", p.server.compute.micro},
                {"combine", p.server.compute.combine},
                {"update", p.server.compute.update},
                {"compute_ranks", p.server.computeRanks}};
  if (p.job.ranks > 1)
    measured.update({{"exchange_assumed", p.notMeasured > 0},
                     {"exchange_ranks", p.server.commRanks},
                     {"wait", p.server.wait},
                     {"latency", p.server.comm.latency},
                     {"per_message", p.server.comm.perMessage},
                     {"per_byte", p.server.comm.perByte},
                     {"per_product", p.server.comm.perProduct},
                     {"per_byte_touched", p.server.comm.perTouched}});
  Json json{{"ranks", p.job.ranks},
            {"servers", p.job.servers},
            {"micro", p.step.micro},
            {"combine", p.step.combine},
            {"exchange", p.step.exchange()},
            {"wait", p.step.wait},
            {"collectives", collectives},
            {"update", p.step.update},
            {"step", p.step.total()},
            {"samples_per_s", p.step.samplesPerSecond()},
            {"one_rank", p.alone.total()},
            {"efficiency", p.efficiency()},
            {"bytes_sent", p.step.bytes()},
            {"measured", measured}};
  if (p.job.servers > 1)
    json["network"] = {{"assumed", p.networkIsAssumed},
                       {"latency", p.network.latency},
                       {"bytes_per_s", p.network.bytesPerSecond}};
  return json;
}

} // namespace boostrt
