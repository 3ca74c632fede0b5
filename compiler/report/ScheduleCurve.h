// ScheduleCurve.h - a schedule as a small curve in text.
#pragma once

#include "dialects/train/TrainDialect.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace boostc::report {

/// The value of `schedule` at optimizer step `step` from 0 of a run of `steps`.
double evaluateSchedule(train::ScheduleAttr schedule, int64_t step,
                        int64_t stepsPerEpoch, int64_t steps);

/// Draws `value(step)` over `steps` steps; the x axis counts `epochs`. One line
/// when the value never changes.
void drawCurve(llvm::function_ref<double(int64_t)> value, int64_t steps,
               int64_t epochs, llvm::raw_ostream &os);

} // namespace boostc::report
