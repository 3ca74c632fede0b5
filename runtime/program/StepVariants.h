// StepVariants.h - which functions a step of a program is, and what its ranks
// exchange. Pure functions of the program's tables, so that all ranks agree.
#pragma once

#include "runtime/abi/boost_abi.h"

#include <algorithm>
#include <cassert>
#include <span>
#include <string>

namespace boostrt {

inline std::span<const BoostVariant> variantsOf(const BoostProgram &program) {
  return {program.variants, program.variant_count};
}

inline std::span<const BoostFunction> functionsOf(const BoostTarget &target) {
  return {target.functions, target.function_count};
}

/// Index of the one function of `role`: INIT or EVAL.
inline uint32_t functionOf(const BoostTarget &target, BoostFunctionRole role) {
  std::span functions = functionsOf(target);
  auto found = std::ranges::find(functions, static_cast<uint32_t>(role),
                                 &BoostFunction::role);
  assert(found != functions.end() && "validateProgram() has seen to it");
  return static_cast<uint32_t>(found - functions.begin());
}

inline bool contains(const BoostStepRange &range, int64_t step) {
  return step >= range.first && (range.last == 0 || step <= range.last) &&
         (step - range.first) % range.every == 0;
}

/// The variant of the steps that no other variant lists.
inline const BoostVariant &usualVariant(const BoostProgram &program) {
  return variantsOf(program).back();
}

/// The variant of a step of the run, counted from 1.
inline const BoostVariant &variantAt(const BoostProgram &program,
                                     int64_t step) {
  for (const BoostVariant &variant : variantsOf(program))
    if (std::ranges::any_of(
            std::span(variant.ranges, variant.range_count),
            [&](const BoostStepRange &range) { return contains(range, step); }))
      return variant;
  return usualVariant(program);
}

/// What ranks exchange in the update `function`.
inline std::span<const BoostCollective>
collectivesOf(const BoostProgram &program, const BoostFunction &function) {
  return std::span(program.collectives, program.collective_count)
      .subspan(function.first_collective, function.collective_count);
}

/// What ranks exchange in a step of `variant`; the same on all targets.
inline std::span<const BoostCollective>
collectivesOf(const BoostProgram &program, const BoostVariant &variant) {
  return collectivesOf(program, program.targets[0].functions[variant.update]);
}

/// "every 3 steps from 3 on, steps 1 to 10"; "all other steps" of none.
std::string describeSteps(std::span<const BoostStepRange> ranges);

} // namespace boostrt
