// ProgramAccumulators.h - the accumulators of a program, by what they are.
#pragma once

#include "runtime/abi/boost_abi.h"

#include <algorithm>
#include <cassert>
#include <span>

namespace boostrt {

inline std::span<const BoostAccumulator>
accumulatorsOf(const BoostProgram &program) {
  return {program.accumulators, program.accumulator_count};
}

/// The one of this kind, of which a program has one: the loss or its count.
inline const BoostTensor &accumulatorOf(const BoostProgram &program,
                                        BoostAccumulatorKind kind) {
  std::span table = accumulatorsOf(program);
  auto found = std::ranges::find(table, static_cast<uint32_t>(kind),
                                 &BoostAccumulator::kind);
  assert(found != table.end() && "validateProgram() has seen to it");
  return found->tensor;
}

/// What a micro of a step with several phases writes; empty for any other
/// function.
inline std::span<const BoostSum> sumsOf(const BoostFunction &function) {
  return {function.sums, function.sum_count};
}

inline const BoostTensor &lossSumOf(const BoostProgram &program) {
  return accumulatorOf(program, BOOSTC_ACCUMULATOR_LOSS_SUM);
}
inline const BoostTensor &lossCountOf(const BoostProgram &program) {
  return accumulatorOf(program, BOOSTC_ACCUMULATOR_LOSS_COUNT);
}

/// The sum of sample weights; null where samples have none.
inline const BoostTensor *lossWeightOf(const BoostProgram &program) {
  std::span table = accumulatorsOf(program);
  auto found = std::ranges::find(
      table, static_cast<uint32_t>(BOOSTC_ACCUMULATOR_LOSS_WEIGHT),
      &BoostAccumulator::kind);
  return found == table.end() ? nullptr : &found->tensor;
}

/// Whether the host reads it: what the loss of a step is computed from.
inline bool isOfLoss(const BoostAccumulator &accumulator) {
  return accumulator.kind == BOOSTC_ACCUMULATOR_LOSS_SUM ||
         accumulator.kind == BOOSTC_ACCUMULATOR_LOSS_COUNT ||
         accumulator.kind == BOOSTC_ACCUMULATOR_LOSS_WEIGHT;
}

/// Whether steps change the parameter.
inline bool isTrained(const BoostProgram &program, uint32_t parameter) {
  return std::ranges::any_of(
      accumulatorsOf(program), [&](const BoostAccumulator &accumulator) {
        return accumulator.kind == BOOSTC_ACCUMULATOR_GRADIENT &&
               accumulator.parameter == parameter;
      });
}

} // namespace boostrt
