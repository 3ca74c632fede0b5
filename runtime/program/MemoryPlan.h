// MemoryPlan.h - how many bytes a rank needs, known before it takes any.
//
// One table: training reserves by it and checks the machine against it,
// `boost-run info` prints it, and boostc's --explain and --memory-budget ask it
// too. What is to be counted is a row of it and of nothing else.
#pragma once

#include "runtime/abi/boost_abi.h"
#include "runtime/comm/VectorMemory.h"

#include <cstdint>
#include <vector>

namespace boostrt {

/// Batch arenas of a run: one in use, two being filled ahead of it.
inline constexpr uint32_t kBatchCopies = 3;

/// The ranks that train, and the one whose memory is planned.
struct MemoryJob {
  uint32_t ranks = 1;
  uint32_t servers = 1; ///< as many ranks on each
  uint32_t rank = 0;    ///< rank 0 needs most
  /// Training with --checkpoint-dir.
  bool keepsCheckpoints = true;
  /// For the memory in which ranks add. Scratch memory of the host counts as
  /// far as it is written, that of a device as it is reserved.
  VectorCuts cuts = kHostCuts;
  bool isOnHost = true;
  /// What a worker decodes images in; 0 where samples are no files.
  uint64_t decoding = 0;
  uint32_t workers = 1;
  uint64_t cache = 0; ///< for samples that are kept
};

/// A row of the table.
struct MemoryTerm {
  const char *name;  ///< "parameter"
  const char *holds; ///< "weights"
  uint64_t bytes;    ///< one copy
  uint32_t copies;
  /// How the bytes in all follow from the number of ranks, N.
  const char *formula;

  uint64_t total() const { return bytes * copies; }
};

/// Bytes by category; copies included.
struct MemoryPlan {
  struct Range {
    uint64_t begin = 0, end = 0;
  };

  // Arenas, by BoostArenaKind.
  uint64_t bytes[BOOSTC_ARENA_COUNT] = {}; ///< one copy
  uint32_t copies[BOOSTC_ARENA_COUNT] = {};
  /// The bytes of each copy that go to a device or come from it in every step.
  Range exchanged[BOOSTC_ARENA_COUNT] = {};

  // What ranks need on top.
  uint64_t exchange = 0;   ///< scratch memory of the step's collectives
  uint64_t otherState = 0; ///< on its way to a checkpoint

  // What data need, on the host.
  uint64_t decoding = 0; ///< of one worker
  uint32_t workers = 0;
  uint64_t cache = 0; ///< of samples

  /// The table; rows of no copies are left out.
  std::vector<MemoryTerm> terms() const;
  uint64_t total() const;
};

/// Training with as many gradient sets as a window needs. A job that cannot be,
/// because Adasum does not take it, is planned without what it exchanges.
MemoryPlan planTraining(const BoostProgram &program, const BoostTarget &target,
                        const MemoryJob &job = {});

/// Evaluation alone: no gradients, no optimizer state.
MemoryPlan planEvaluation(const BoostProgram &program,
                          const BoostTarget &target, const MemoryJob &job = {});

} // namespace boostrt
