#include "runtime/predict/StepModel.h"

#include "runtime/comm/adasum/Adasum.h"

#include <algorithm>
#include <fmt/format.h>
#include <span>

namespace boostrt {
namespace {

/// How much longer work takes when `wanted` cores are asked of `cores`, than
/// when `measured` were.
double stretchOf(double wanted, double measured, double cores) {
  return std::max(1.0, wanted / cores) / std::max(1.0, measured / cores);
}

/// Ranks that do a collective together.
struct Members {
  uint32_t count;
  Placement placement;
};

class Model {
public:
  Model(const BoostProgram &program, const JobShape &job,
        const ServerCosts &server, const NetworkCosts &network)
      : program_(program), job_(job), server_(server), network_(network) {}

  Result<StepPrediction> run() {
    double ranks = job_.ranksPerServer(), cores = server_.cores;
    step_.computeStretch =
        stretchOf(ranks * server_.threads,
                  double(server_.computeRanks) * server_.threads, cores);
    step_.exchangeStretch = stretchOf(ranks, server_.commRanks, cores);
    comm_ = server_.comm;
    for (double CommCosts::*cost :
         {&CommCosts::latency, &CommCosts::perMessage, &CommCosts::perByte,
          &CommCosts::perProduct, &CommCosts::perTouched})
      comm_.*cost *= step_.exchangeStretch;
    double micros = program_.micro_batches;
    step_.micro = micros * server_.compute.micro * step_.computeStretch;
    step_.combine =
        (micros - 1) * server_.compute.combine * step_.computeStretch;
    step_.update = server_.compute.update * step_.computeStretch;
    step_.samples = micros * program_.batch_size * job_.ranks;
    if (job_.ranks == 1)
      return step_;
    for (const BoostCollective &collective :
         std::span(program_.collectives, program_.collective_count)) {
      Result<PredictedCollective> predicted =
          collective.kind == BOOST_COLLECTIVE_ADASUM ? adasum(collective)
                                                     : allReduce(collective);
      if (!predicted.ok())
        return predicted.status();
      step_.collectives.push_back(std::move(predicted).value());
    }
    return step_;
  }

private:
  static std::span<const BoostCollectiveOperand>
  operandsOf(const BoostCollective &collective) {
    return {collective.operands, collective.operand_count};
  }

  /// As Ranks::innerGroup() and acrossGroup() have it.
  Members membersOf(uint32_t group) const {
    uint32_t inServer = job_.ranksPerServer();
    bool averagesInServers =
        program_.adasum_across == BOOST_ACROSS_SERVERS ||
        (program_.adasum_across == BOOST_ACROSS_AUTO && job_.servers > 1);
    Placement placement;
    placement.ranksPerServer = inServer;
    placement.latency = network_.latency;
    placement.perByte = inServer / network_.bytesPerSecond;
    if (group == BOOST_RANKS_INNER)
      return {averagesInServers ? inServer : 1, placement};
    if (group == BOOST_RANKS_ALL || !averagesInServers)
      return {job_.ranks, placement};
    placement.stride = inServer;
    return {job_.servers, placement};
  }

  Result<PredictedCollective>
  allReduce(const BoostCollective &collective) const {
    Members members = membersOf(collective.ranks);
    double floats = 0, integers = 0; // both in bytes
    for (const BoostCollectiveOperand &operand : operandsOf(collective))
      (operand.dtype == BOOST_I64 ? integers : floats) +=
          double(operand.elements) * (operand.dtype == BOOST_I64 ? 8 : 4);
    // The signal to stop travels with the integers.
    if (integers > 0 && collective.ranks == BOOST_RANKS_ALL)
      integers += 8;
    PredictedCollective predicted = describe(collective, members);
    predicted.how = members.count > 1 ? "sum" : "";
    for (double bytes : {floats, integers})
      if (bytes > 0 && members.count > 1) {
        predicted.seconds +=
            allReduceSeconds(comm_, AllReduceAlgorithm::Auto, bytes / 4,
                             members.count, members.placement);
        predicted.bytes += static_cast<uint64_t>(
            2 * bytes * (members.count - 1.0) / members.count);
      }
    return predicted;
  }

  Result<PredictedCollective> adasum(const BoostCollective &collective) const {
    Members members = membersOf(collective.ranks);
    PredictedCollective predicted = describe(collective, members);
    if (members.count == 1)
      return predicted;
    std::vector<AdasumTensor> tensors;
    std::vector<uint32_t> groups; // in the order in which they appear
    size_t offset = 0;
    for (const BoostCollectiveOperand &operand : operandsOf(collective)) {
      auto found = std::find(groups.begin(), groups.end(), operand.group);
      auto vector = static_cast<uint32_t>(found - groups.begin());
      if (found == groups.end())
        groups.push_back(operand.group);
      tensors.push_back({offset, operand.elements, vector});
      offset += operand.elements;
    }
    // The plan that ranks make: they do not measure before they choose.
    Result<Adasum> adasum = Adasum::plan(members.count, 0, tensors, {});
    if (!adasum.ok())
      return adasum.status();
    predicted.how = adasum->describe();
    predicted.seconds = adasum->seconds(comm_, members.placement);
    predicted.bytes = adasum->vectorBytes();
    return predicted;
  }

  static PredictedCollective describe(const BoostCollective &collective,
                                      const Members &members) {
    PredictedCollective predicted;
    predicted.number = collective.number;
    predicted.kind = static_cast<BoostCollectiveKind>(collective.kind);
    predicted.members = members.count;
    return predicted;
  }

  const BoostProgram &program_;
  const JobShape &job_;
  const ServerCosts &server_;
  const NetworkCosts &network_;
  CommCosts comm_;
  StepPrediction step_;
};

} // namespace

double StepPrediction::exchange() const {
  double seconds = 0;
  for (const PredictedCollective &collective : collectives)
    seconds += collective.seconds;
  return seconds;
}

uint64_t StepPrediction::bytes() const {
  uint64_t bytes = 0;
  for (const PredictedCollective &collective : collectives)
    bytes += collective.bytes;
  return bytes;
}

Result<StepPrediction> predictStep(const BoostProgram &program,
                                   const JobShape &job,
                                   const ServerCosts &server,
                                   const NetworkCosts &network) {
  if (job.ranks == 0 || job.servers == 0 || job.ranks % job.servers != 0)
    return Status(
        ExitCode::Usage,
        fmt::format("{} ranks cannot be on {} servers with as many each; give "
                    "--servers a number that divides --ranks",
                    job.ranks, job.servers));
  return Model(program, job, server, network).run();
}

} // namespace boostrt
