/* boost_steps.h - which steps of a run a range of steps has.
 *
 * The runtime and the interpreter both call it, so that they take the same
 * variant for a step.
 */
#ifndef BOOSTC_STEPS_H
#define BOOSTC_STEPS_H

#include <stdint.h>

#include "runtime/abi/boost_abi.h"

/* Whether `range` has a step of the run, counted from 1. */
static inline int boost_steps_contain(const BoostStepRange *range,
                                      int64_t step) {
  return step >= range->first && (range->last == 0 || step <= range->last) &&
         (step - range->first) % range->every == 0;
}

#endif /* BOOSTC_STEPS_H */
