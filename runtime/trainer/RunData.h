// RunData.h - which data a run reads, and that it fits the program.
#pragma once

#include "runtime/data/Prefetcher.h"
#include "runtime/program/Program.h"
#include "runtime/program/Recipe.h"

#include <optional>
#include <string>

namespace boostrt {

/// Data and how it becomes batches of a program.
struct RunData {
  DataSource source;
  DataSpec spec;
  std::string note; ///< where that came from, when it was not --data
  std::optional<TransformPipeline> transforms; ///< of an evaluation
  std::optional<TransformPipeline> trainingTransforms;
  BatchLayout layout;
  // Who makes the batches (LoaderChoice.h).
  Prefetcher::Mode mode = Prefetcher::Mode::Background;
  Loading loading;
  // What is kept of both splits, with memory from Session::reserve() on; null:
  // nothing.
  std::unique_ptr<SampleCache> trainingCache, evaluationCache;
  EpochPlan epoch; ///< of training
};

/// Opens the first of `data` (--data), DATA_PATH as a directory for the
/// recipe's own scheme, and the recipe's data.source, and checks element type,
/// shape, labels, targets and weights against the program's inputs. Fails with
/// ExitCode::Data, listing what was considered, and with ExitCode::Usage for a
/// --data that no file is needed to refuse.
Result<RunData> openRunData(const Program &program, const Recipe &recipe,
                            const std::optional<std::string> &data,
                            HeldOut heldOut = HeldOut::Required);

} // namespace boostrt
