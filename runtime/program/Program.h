// Program.h - a compiled training program, loaded and found sound.
#pragma once

#include "runtime/abi/boost_abi.h"
#include "runtime/support/Status.h"

#include <memory>
#include <span>
#include <string>
#include <vector>

namespace boostrt {

/// Checks every pointer, offset, count and enumeration of the descriptor, so
/// that its readers need not: tensors lie aligned inside their
/// arenas and do not overlap, shapes agree with bytes, names are unique and
/// harmless to print, sums do not overflow. `path` is for messages. Fails with
/// ExitCode::Input.
Status validateProgram(const BoostProgram &program, const std::string &path);

class Program {
public:
  /// Checks the file, links it, asks for its descriptor and validates that.
  /// Fails with ExitCode::Input.
  static Result<std::unique_ptr<Program>> load(const std::string &path);
  ~Program();
  Program(const Program &) = delete;
  Program &operator=(const Program &) = delete;

  const BoostProgram &descriptor() const { return *descriptor_; }
  const std::string &path() const { return path_; }
  /// The same file for a process with another current directory.
  const std::string &absolutePath() const { return absolutePath_; }
  /// The file's hash, in hex.
  const std::string &sha256() const { return sha256_; }

  std::span<const BoostParameter> parameters() const {
    return {descriptor_->parameters, descriptor_->parameter_count};
  }
  std::span<const BoostState> states() const {
    return {descriptor_->states, descriptor_->state_count};
  }
  /// Those that `file` has, in the same order.
  std::vector<const BoostState *> statesIn(BoostSaved file) const;
  std::span<const BoostMetric> metrics() const {
    return {descriptor_->metrics, descriptor_->metric_count};
  }
  std::span<const BoostStepNumber> stepNumbers() const {
    return {descriptor_->step_numbers, descriptor_->step_number_count};
  }
  std::span<const BoostSchedule> schedules() const {
    return {descriptor_->schedules, descriptor_->schedule_count};
  }
  std::span<const BoostTarget> targets() const {
    return {descriptor_->targets, descriptor_->target_count};
  }
  /// Null when the program was not compiled for it.
  const BoostTarget *target(BoostTargetKind kind) const;
  /// What the ranks of a job exchange in a step, in this order.
  std::span<const BoostCollective> collectives() const {
    return {descriptor_->collectives, descriptor_->collective_count};
  }
  bool usesAdasum() const;
  std::span<const BoostInput> inputs() const {
    return {descriptor_->inputs, descriptor_->input_count};
  }
  /// The input of this kind; null when the program has none.
  const BoostInput *input(BoostInputKind kind) const;
  /// The one that reads the samples, of features or of indices;
  /// validateProgram() has seen to it.
  const BoostInput &samples() const;
  /// What an evaluation reads in its place: itself, unless the shape is
  /// another one (EvalInput.h).
  const BoostInput &evalSamples() const;

private:
  Program() = default;
  std::string path_, absolutePath_, sha256_;
  void *handle_ = nullptr;
  const BoostProgram *descriptor_ = nullptr;
};

} // namespace boostrt
