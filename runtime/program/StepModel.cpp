#include "runtime/program/StepModel.h"

#include "runtime/program/ProgramCollectives.h"
#include "runtime/program/StepVariants.h"
#include "runtime/support/ElementBytes.h"

#include <algorithm>
#include <bit>
#include <fmt/format.h>
#include <limits>
#include <numeric>
#include <span>

namespace boostrt {
namespace {

/// How much longer work takes when `wanted` cores are asked of `cores`, than
/// when `measured` were.
double stretchOf(double wanted, double measured, double cores) {
  return std::max(1.0, wanted / cores) / std::max(1.0, measured / cores);
}

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
    for (double CommCosts::*cost : kCommCosts)
      comm_.*cost *= step_.exchangeStretch;
    double micros = program_.micro_batches;
    step_.micro = micros * server_.compute.micro * step_.computeStretch;
    step_.combine =
        (micros - 1) * server_.compute.combine * step_.computeStretch;
    step_.update = server_.compute.update * step_.computeStretch;
    step_.samples = micros * program_.batch_size * job_.ranks;
    step_.repeats = hasRepeats(usualVariant(program_));
    if (job_.ranks == 1)
      return step_;
    step_.wait = server_.wait * step_.exchangeStretch;
    stopCarrier_ = stopCarrierOf(program_, usualVariant(program_));
    for (uint32_t ending : endingsOf(usualVariant(program_)))
      for (const BoostCollective &collective :
           collectivesOf(program_, ending)) {
        Result<PredictedCollective> predicted = predict(collective);
        if (!predicted.ok())
          return predicted.status();
        step_.collectives.push_back(std::move(predicted).value());
      }
    return step_;
  }

private:
  /// As Ranks::innerGroup() has it.
  uint32_t innerSize() const {
    return averagesInServers(program_.adasum_scope, job_.servers > 1)
               ? job_.ranksPerServer()
               : 1;
  }

  Placement placement() const {
    Placement placement;
    placement.ranksPerServer = job_.ranksPerServer();
    placement.latency = network_.latency;
    placement.perByte = job_.ranksPerServer() / network_.bytesPerSecond;
    return placement;
  }

  Result<PredictedCollective> predict(const BoostCollective &collective) const {
    switch (static_cast<BoostCollectiveKind>(collective.kind)) {
    case BOOSTC_COLLECTIVE_ALL_REDUCE:
      return allReduce(collective);
    case BOOSTC_COLLECTIVE_ADASUM:
      return adasum(collective);
    default:
      return exchange(collective);
    }
  }

  uint32_t membersOf(const BoostCollective &collective) const {
    return collective.ranks == BOOSTC_RANKS_INTRA_GROUP ? innerSize()
                                                        : job_.ranks;
  }

  /// Bytes of each operand of that type; floats and integers are exchanged as
  /// one vector each.
  static std::vector<size_t> bytesOf(const BoostCollective &collective,
                                     BoostDType dtype) {
    std::vector<size_t> bytes;
    for (const BoostCollectiveOperand &operand : operandsOf(collective))
      if (operand.dtype == dtype)
        bytes.push_back(operand.elements * elementBytes(dtype));
    return bytes;
  }

  /// As RankCollectives::allReduce() does it: floats, then integers.
  PredictedCollective allReduce(const BoostCollective &collective) const {
    uint32_t members = membersOf(collective);
    PredictedCollective predicted = describe(collective, members);
    if (members == 1)
      return predicted;
    predicted.how = "sum";
    for (BoostDType dtype : {BOOSTC_F32, BOOSTC_I64}) {
      std::vector<size_t> parts = bytesOf(collective, dtype);
      // The signal to stop travels with the integers.
      if (dtype == BOOSTC_I64 && &collective == stopCarrier_)
        parts.push_back(sizeof(int64_t));
      double bytes = std::accumulate(parts.begin(), parts.end(), 0.0);
      if (bytes == 0)
        continue;
      predicted.seconds += allReduceSeconds(
          comm_, AllReduceAlgorithm::Auto, bytes / sizeof(float), members,
          placement(), messagesPerSlice(parts, members));
      predicted.bytes +=
          static_cast<uint64_t>(2 * bytes * (members - 1.0) / members);
    }
    return predicted;
  }

  /// As CollectiveExecutor does it: floats, then integers.
  PredictedCollective exchange(const BoostCollective &collective) const {
    uint32_t members = membersOf(collective);
    PredictedCollective predicted = describe(collective, members);
    if (members == 1)
      return predicted;
    if (collective.kind == BOOSTC_COLLECTIVE_OWN_SLICE) {
      predicted.how = "nothing is sent";
      return predicted;
    }
    for (BoostDType dtype : {BOOSTC_F32, BOOSTC_I64}) {
      std::vector<size_t> parts = bytesOf(collective, dtype);
      if (parts.empty())
        continue;
      if (hasSlices(collective.kind)) {
        size_t all = std::accumulate(parts.begin(), parts.end(), size_t(0));
        predicted.bytes += all - all / members;
        parts = partsOfLongestSlice(collective, dtype, members);
        for (size_t &part : parts)
          part *= elementBytes(dtype);
      }
      addExchange(collective, parts, predicted);
    }
    return predicted;
  }

  /// `parts` are the operands, in bytes, or the slices that a rank has of them,
  /// of which the bytes are counted.
  void addExchange(const BoostCollective &collective,
                   std::span<const size_t> parts,
                   PredictedCollective &predicted) const {
    uint32_t members = predicted.members;
    double messages = messagesPerSlice(parts, 1);
    size_t bytes = std::accumulate(parts.begin(), parts.end(), size_t(0));
    double elements = double(bytes) / sizeof(float);
    switch (static_cast<BoostCollectiveKind>(collective.kind)) {
    case BOOSTC_COLLECTIVE_REDUCE_SCATTER:
      predicted.how = "sum of a slice each";
      predicted.seconds += reduceScatterSeconds(comm_, elements, members,
                                                placement(), 1, messages);
      break;
    case BOOSTC_COLLECTIVE_ALL_GATHER:
      predicted.how = "slices to all";
      predicted.seconds +=
          partsSeconds(comm_, elements, members, placement(), 1, messages);
      break;
    case BOOSTC_COLLECTIVE_BROADCAST: // the root's bytes
      predicted.how =
          fmt::format("from rank {} on", rootOf(collective, members));
      predicted.seconds +=
          broadcastSeconds(comm_, elements, members, placement(), messages);
      predicted.bytes +=
          bytes * static_cast<size_t>(std::bit_width(members - 1));
      break;
    default:
      break;
    }
  }

  /// As RankCollectives::combine() does it.
  Result<PredictedCollective> adasum(const BoostCollective &collective) const {
    AdasumOptions options = adasumOptions(innerSize());
    uint32_t leaves = job_.ranks / options.ranksPerMean;
    PredictedCollective predicted =
        describe(collective, leaves > 1 ? job_.ranks : 1);
    if (leaves == 1)
      return predicted;
    constexpr size_t step = BOOSTC_ALIGNMENT / sizeof(float);
    std::vector<size_t> offsets;
    size_t offset = 0;
    for (const BoostCollectiveOperand &operand : operandsOf(collective)) {
      offsets.push_back(offset);
      offset += (operand.elements + step - 1) / step * step;
    }
    // The plan that ranks make, which do not measure before they choose.
    Result<Adasum> adasum =
        Adasum::plan(job_.ranks, 0, tensorsOf(collective, offsets), options);
    if (!adasum.ok())
      return adasum.status();
    predicted.how = adasum->describe();
    predicted.seconds = adasum->seconds(comm_, placement());
    predicted.bytes = adasum->vectorBytes();
    return predicted;
  }

  static PredictedCollective describe(const BoostCollective &collective,
                                      uint32_t members) {
    PredictedCollective predicted;
    predicted.index = collective.index;
    predicted.kind = static_cast<BoostCollectiveKind>(collective.kind);
    predicted.members = members;
    return predicted;
  }

  const BoostProgram &program_;
  const JobShape &job_;
  const ServerCosts &server_;
  const NetworkCosts &network_;
  CommCosts comm_;
  const BoostCollective *stopCarrier_ = nullptr;
  StepPrediction step_;
};

} // namespace

double StepPrediction::exchange() const {
  double seconds = wait;
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

Status checkShape(const JobShape &job) {
  if (job.ranks == 0 || job.servers == 0 || job.ranks % job.servers != 0)
    return Status(
        ExitCode::Usage,
        fmt::format("{} ranks cannot be on {} servers with as many each; give "
                    "--servers a number that divides --ranks",
                    job.ranks, job.servers));
  return Status();
}

Result<StepPrediction> predictStep(const BoostProgram &program,
                                   const JobShape &job,
                                   const ServerCosts &server,
                                   const NetworkCosts &network) {
  BOOSTRT_RETURN_IF_ERROR(checkShape(job));
  return Model(program, job, server, network).run();
}

Result<std::vector<PredictedCollective>>
countMessages(const BoostProgram &program, const JobShape &job) {
  ServerCosts server;
  for (double CommCosts::*cost : kCommCosts)
    server.comm.*cost = 0;
  server.comm.perMessage = 1;
  // Ranks that share a core send no more messages.
  server.cores = server.computeRanks = server.commRanks = job.ranks;
  NetworkCosts network;
  network.latency = 0;
  network.bytesPerSecond = std::numeric_limits<double>::infinity();
  Result<StepPrediction> step = predictStep(program, job, server, network);
  if (!step.ok())
    return step.status();
  return std::move(step->collectives);
}

} // namespace boostrt
