#include "runtime/program/MemoryPlan.h"

#include "runtime/program/AccumulatesInPlace.h"
#include "runtime/program/ProgramAccumulators.h"
#include "runtime/program/ProgramCollectives.h"

#include <algorithm>
#include <iterator>

namespace boostrt {
namespace {

/// What is said of a row here and nowhere else.
struct Row {
  const char *name, *holds, *formula;
};

/// By BoostArenaKind.
constexpr Row kArenaRows[] = {
    {"parameter", "weights", "any N"},
    {"state", "optimizer state", "any N"},
    {"gradient", "gradient sums, loss", "any N; a set for each bit of K"},
    {"gradient_other", "a second gradient set", "any N"},
    {"batch", "inputs of a micro-batch", "any N"},
    {"control", "values of schedules, seed", "any N"},
    {"result", "metrics, flags", "any N"},
    {"transient", "activations and scratch", "any N"},
};
static_assert(std::size(kArenaRows) == BOOSTC_ARENA_COUNT);

constexpr Row kExchangeRow = {
    "exchange", "what ranks receive and add",
    "N > 1: (N-1)/N of the largest bucket, or of 16 MiB of it, and short "
    "tensors; Adasum: as it is planned for N"};
constexpr Row kOtherStateRow = {
    "other_state", "state of another rank",
    "N > 1, each rank with a state of its own, on rank 0: as state, where "
    "checkpoints are kept"};

constexpr Row kDecodingRow = {
    "decoding", "files and what decodes them",
    "any N, images in files: data.decode_memory for each of data.workers"};
constexpr Row kCacheRow = {
    "cache", "samples as transforms made them",
    "any N, data.cache: training data that are small, and a rank's part of the "
    "held-out images in files"};

/// What the collectives of a step take of the scratch memory, of which each has
/// it in turn.
uint64_t planExchange(const BoostProgram &program, const MemoryJob &job) {
  if (job.ranks < 2)
    return 0;
  uint32_t inner = averagesInServers(program.adasum_scope, job.servers > 1)
                       ? job.ranks / std::max(job.servers, 1u)
                       : 1;
  uint64_t most = 0;
  for (uint32_t i = 0; i < program.collective_count; ++i) {
    const BoostCollective &collective = program.collectives[i];
    uint32_t members =
        collective.ranks == BOOSTC_RANKS_INTRA_GROUP ? inner : job.ranks;
    if (collective.kind != BOOSTC_COLLECTIVE_ADASUM) {
      most = std::max<uint64_t>(
          most, job.isOnHost
                    ? writtenScratchBytes(collective, members, job.cuts)
                    : allReduceScratchBytes(members,
                                            scratchFloats(collective, members),
                                            job.cuts));
      continue;
    }
    if (job.ranks == inner)
      continue; // one group: its mean is what there is
    Result<Adasum> adasum = Adasum::plan(
        job.ranks, job.rank, tensorsOf(collective, spreadOffsets(collective)),
        adasumOptions(inner));
    if (adasum.ok())
      most = std::max<uint64_t>(most, adasum->scratchBytes());
  }
  return most;
}

} // namespace

std::vector<MemoryTerm> MemoryPlan::terms() const {
  std::vector<MemoryTerm> terms;
  auto add = [&](const Row &row, uint64_t rowBytes, uint32_t rowCopies) {
    if (rowCopies > 0)
      terms.push_back({row.name, row.holds, rowBytes, rowCopies, row.formula});
  };
  for (int kind = 0; kind < BOOSTC_ARENA_COUNT; ++kind)
    add(kArenaRows[kind], bytes[kind], copies[kind]);
  add(kExchangeRow, exchange, exchange > 0);
  add(kOtherStateRow, otherState, otherState > 0);
  add(kDecodingRow, decoding, workers);
  add(kCacheRow, cache, cache > 0);
  return terms;
}

uint64_t MemoryPlan::total() const {
  uint64_t sum = 0;
  for (const MemoryTerm &term : terms())
    sum += term.total();
  return sum;
}

MemoryPlan planEvaluation(const BoostProgram &program,
                          const BoostTarget &target, const MemoryJob &job) {
  MemoryPlan plan;
  for (int kind = 0; kind < BOOSTC_ARENA_COUNT; ++kind)
    plan.bytes[kind] = program.arena_bytes[kind];
  plan.bytes[BOOSTC_ARENA_TRANSIENT] = target.transient_bytes;
  for (BoostArenaKind kind : {BOOSTC_ARENA_PARAMETER, BOOSTC_ARENA_CONTROL,
                              BOOSTC_ARENA_RESULT, BOOSTC_ARENA_TRANSIENT})
    plan.copies[kind] = 1;
  plan.copies[BOOSTC_ARENA_BATCH] = kBatchCopies;
  for (BoostArenaKind kind : {BOOSTC_ARENA_BATCH, BOOSTC_ARENA_RESULT})
    plan.exchanged[kind] = {0, plan.bytes[kind]};
  if (job.decoding > 0 && job.isOnHost) {
    plan.decoding = job.decoding;
    plan.workers = job.workers;
  }
  return plan;
}

MemoryPlan planTraining(const BoostProgram &program, const BoostTarget &target,
                        const MemoryJob &job) {
  MemoryPlan plan = planEvaluation(program, target, job);
  plan.copies[BOOSTC_ARENA_STATE] = 1;
  // GRADIENT_OTHER is a second name for one of these, not memory of its own.
  plan.copies[BOOSTC_ARENA_GRADIENT] =
      gradientSets(program.micro_batches, accumulatesInPlace(program));
  // The gradients themselves stay on the device.
  auto &[begin, end] = plan.exchanged[BOOSTC_ARENA_GRADIENT];
  for (const BoostAccumulator &accumulator : accumulatorsOf(program)) {
    const BoostTensor &sum = accumulator.tensor;
    if (!isOfLoss(accumulator))
      continue;
    begin = end == 0 ? sum.offset : std::min(begin, sum.offset);
    end = std::max(end, sum.offset + sum.bytes);
  }
  if (job.isOnHost)
    plan.cache = job.cache;
  plan.exchange = planExchange(program, job);
  if (program.state_is_private && job.ranks > 1 && job.rank == 0 &&
      job.keepsCheckpoints && job.isOnHost)
    plan.otherState = program.arena_bytes[BOOSTC_ARENA_STATE];
  return plan;
}

} // namespace boostrt
