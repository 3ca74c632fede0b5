// BestWeights.h - the file of --save-best: the weights whose evaluation on
// held-out data had the highest top_1 so far or, in programs that do not
// measure that, the lowest loss.
#pragma once

#include "runtime/checkpoint/Checkpoint.h"
#include "runtime/trainer/Execution.h"
#include "runtime/trainer/Options.h"
#include "runtime/trainer/Report.h"

#include <optional>
#include <string>

namespace boostrt {

class BestWeights {
public:
  explicit BestWeights(const Options &options) : options_(options) {}

  /// Fails with ExitCode::Usage when the program measures neither top_1 nor
  /// loss, and with ExitCode::Checkpoint when the file could not be written. A
  /// run that is resumed goes on with the value its earlier part left in the
  /// file; call before memory is reserved.
  Status prepare(const Program &program, bool resumed, Console &console);

  /// Writes the weights when they are better than all before and the position's
  /// epoch counts. Equal is not better. Fails with ExitCode::Checkpoint; the
  /// file is then as it was, and the next call tries again.
  Status offer(const CheckpointPosition &position, const Evaluation &evaluation,
               const Execution &execution);

  /// "best top_1 0.9712, of epoch 7, is in FILE"; empty when nothing is.
  std::string summary() const;

private:
  bool isBetter(double value) const;

  const Options &options_;
  std::string metric_; ///< that is compared
  std::optional<double> best_;
  int64_t epoch_ = 0;
};

} // namespace boostrt
