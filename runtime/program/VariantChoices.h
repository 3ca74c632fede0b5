// VariantChoices.h - which variant the next steps of a run are of. Of the steps
// that no variant lists, a selector chooses the variant some steps ahead.
#pragma once

#include "runtime/program/StepVariants.h"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace boostrt {

class VariantChoices {
public:
  /// The program outlives them. Until set(), steps that no variant lists are
  /// usual.
  explicit VariantChoices(const BoostProgram &program)
      : program_(program), selector_(selectorOf(program)),
        choices_(lag(), selector_ ? selector_->choice_count : 0) {}

  /// How many steps after the states that it is made from a choice is for; 0:
  /// there is no selector.
  int64_t lag() const { return selector_ ? selector_->lag : 0; }

  /// The selector's result for a step, from 1. A number outside the list means
  /// the usual variant and is kept as the number of choices.
  void set(int64_t step, int32_t result) {
    uint32_t count = selector_->choice_count;
    choices_[step % lag()] = std::min(static_cast<uint32_t>(result), count);
  }

  /// The variant of a step, from 1, whose choice is one of the last lag() set.
  const BoostVariant &variantAt(int64_t step) const {
    if (const BoostVariant *listed = listedVariant(program_, step))
      return *listed;
    uint32_t choice = selector_ ? choices_[step % lag()] : 0;
    return selector_ && choice < selector_->choice_count
               ? program_.variants[choicesOf(*selector_)[choice].variant]
               : usualVariant(program_);
  }

  /// The choices for the lag() steps after `step`, as a checkpoint has them.
  std::vector<uint32_t> after(int64_t step) const {
    std::vector<uint32_t> choices;
    for (int64_t next = step + 1; next <= step + lag(); ++next)
      choices.push_back(choices_[next % lag()]);
    return choices;
  }

private:
  const BoostProgram &program_;
  const BoostSelector *selector_;
  std::vector<uint32_t> choices_; ///< that for step s at s % lag()
};

} // namespace boostrt
