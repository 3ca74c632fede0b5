// StepVariants.h - which functions a step of a program is, and what its ranks
// exchange. Pure functions of the program's tables, so that all ranks agree.
#pragma once

#include "runtime/abi/boost_abi.h"
#include "runtime/abi/boost_steps.h"

#include <algorithm>
#include <cassert>
#include <span>
#include <vector>

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

/// The phases of a step of `variant` before its last.
inline std::span<const BoostPhase> phasesOf(const BoostVariant &variant) {
  return {variant.phases, variant.phase_count};
}

/// The functions that end the phases of a step: its probes, then its update.
inline std::vector<uint32_t> endingsOf(const BoostVariant &variant) {
  std::vector<uint32_t> endings;
  for (const BoostPhase &phase : phasesOf(variant))
    endings.push_back(phase.probe);
  endings.push_back(variant.update);
  return endings;
}

/// Whether a phase of the step may be done again.
inline bool hasRepeats(const BoostVariant &variant) {
  return std::ranges::any_of(phasesOf(variant), &BoostPhase::repeats);
}

/// What ranks exchange in a probe or an update; the same on all targets.
inline std::span<const BoostCollective>
collectivesOf(const BoostProgram &program, uint32_t function) {
  const BoostFunction &ending = program.targets[0].functions[function];
  return std::span(program.collectives, program.collective_count)
      .subspan(ending.first_collective, ending.collective_count);
}

} // namespace boostrt
