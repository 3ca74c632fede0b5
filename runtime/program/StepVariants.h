// StepVariants.h - which functions a step of a program is, and what its ranks
// exchange. Pure functions of the program's tables, so that all ranks agree.
#pragma once

#include "runtime/abi/boost_abi.h"
#include "runtime/abi/boost_steps.h"

#include <algorithm>
#include <cassert>
#include <span>

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

/// The variant of the steps that no other variant lists and that no selector
/// has another one for.
inline const BoostVariant &usualVariant(const BoostProgram &program) {
  return variantsOf(program).back();
}

/// The first variant that lists a step of the run, counted from 1; null: none.
inline const BoostVariant *listedVariant(const BoostProgram &program,
                                         int64_t step) {
  for (const BoostVariant &variant : variantsOf(program))
    for (const BoostStepRange &range :
         std::span(variant.ranges, variant.range_count))
      if (boost_steps_contain(&range, step))
        return &variant;
  return nullptr;
}

/// What chooses the variant of the other steps; null: nothing does.
inline const BoostSelector *selectorOf(const BoostProgram &program) {
  return program.selector_count == 0 ? nullptr : program.selectors;
}

/// The variants that a selector chooses from, by their indices.
inline std::span<const BoostChoice> choicesOf(const BoostSelector &selector) {
  return {selector.choices, selector.choice_count};
}

/// Whether the selector may choose `variant`, one of the program.
inline bool isChosen(const BoostProgram &program, const BoostVariant &variant) {
  const BoostSelector *selector = selectorOf(program);
  return selector &&
         std::ranges::any_of(choicesOf(*selector), [&](BoostChoice choice) {
           return &program.variants[choice.variant] == &variant;
         });
}

/// What ranks exchange in a step of `variant`; the same on all targets.
inline std::span<const BoostCollective>
collectivesOf(const BoostProgram &program, const BoostVariant &variant) {
  const BoostFunction &update = program.targets[0].functions[variant.update];
  return std::span(program.collectives, program.collective_count)
      .subspan(update.first_collective, update.collective_count);
}

} // namespace boostrt
