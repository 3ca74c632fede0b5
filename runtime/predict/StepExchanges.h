// StepExchanges.h - exchanges a pattern where the last collective of a step
// would be, begun as training begins it, and times how long update waits.
#pragma once

#include "runtime/comm/Group.h"
#include "runtime/comm/Workspace.h"
#include "runtime/device/OverlappedCollectives.h"
#include "runtime/predict/ExchangeCosts.h"

#include <utility>

namespace boostrt {

class StepExchanges final : public CollectiveRunner {
public:
  /// For the ranks of `transport`, 2 or more. Both outlive the object.
  StepExchanges(const BoostProgram &program, Transport &transport);

  /// What the coming step exchanges; the sum is of the program's longest vector
  /// of floats.
  void setPattern(Pattern pattern) { pattern_.pattern = pattern; }
  const ExchangeShape &shape() const { return shape_; }
  Group &group() { return group_; }
  Workspace &workspace() { return workspace_; }

  /// Around a step's last micro-batch and its update, as Execution does it.
  void open() { early_.open(first_); }
  void close() { early_.close(); }
  void ready(uint32_t index, std::span<void *const> operands) override {
    early_.ready(index, operands);
  }
  /// The operands stay what they are, or become the mean of the ranks'.
  Status run(uint32_t index, void *const *operands) override;

  /// Since the last call: seconds for which update has waited, and those in
  /// which it did what is not part of a step.
  double waited() { return std::exchange(waited_, 0); }
  double takeOverlapped() { return std::exchange(overlapped_, 0); }

private:
  /// What is exchanged, on whichever thread.
  class Patterns final : public CollectiveRunner {
  public:
    explicit Patterns(StepExchanges &exchanges) : exchanges_(exchanges) {}
    Status run(uint32_t index, void *const *operands) override;
    Pattern pattern = Pattern::Sum;

  private:
    StepExchanges &exchanges_;
  };

  bool isLast(uint32_t index) const {
    return index - first_ + 1 == collectives_.size();
  }
  Status exchangeShort(uint32_t messages);
  Status exchangePattern();
  void divideSum();

  Group group_;
  Workspace workspace_;
  /// Those of the last function of the usual variant that has any.
  std::span<const BoostCollective> collectives_;
  uint32_t first_;       ///< of them
  uint32_t longest_ = 0; ///< collective
  ExchangeShape shape_;
  std::vector<std::span<float>> floats_; ///< operands of the longest
  std::vector<double> shorts_;
  Patterns pattern_;
  double waited_ = 0, overlapped_ = 0;
  OverlappedCollectives early_; ///< ends before what it uses
};

} // namespace boostrt
