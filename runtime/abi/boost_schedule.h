/* boost_schedule.h - the value of a schedule at a step, as a pure function.
 *
 * The runtime, the interpreter's tests and `boostc --explain` all call it, so
 * that a curve that is printed is the curve that is trained with.
 *
 * i is the number of optimizer steps done before (0 at the first), T the steps
 * of the whole run, W the steps of warm-up. A length in epochs counts as
 * length * steps per epoch, rounded to the nearest step.
 *
 * A run that goes on with windows of another size has two such counts
 * (BoostProgress). What is stated in steps counts the steps that were done.
 * What is stated in epochs, and what lasts to the end of the run, counts the
 * part of the epochs that is done, in steps of the present size: the same part
 * of the data has the same value, whatever the windows.
 *
 * The recipe_* kinds are the tables of the ResNet-50 recipes this system
 * follows; the last two, with e = (i + 1) / steps per epoch,
 *   recipe_thor     value * (1 - e / L)^factor for e < L, then 0; L in epochs
 *                   (those of the run when 0); half of it from e = every on,
 *                   a quarter from e = every + 1 on
 *   recipe_damping  value * factor^(e / 10)
 * The others are the usual ones:
 *   before W   initial + (value - initial) * min(1, (i + 1) / W)
 *   from W on, t = i - W, L = length (or T - W when 0), both in steps:
 *   constant     value
 *   step         value * factor^floor(t / every)
 *   exponential  value * factor^(t / unit), unit = one step or one epoch
 *   polynomial   end + (value - end) * (1 - min(t, L) / L)^factor
 *   cosine       end + (value - end) * (1 + cos(pi * min(t, L) / L)) / 2
 */
#ifndef BOOSTC_SCHEDULE_H
#define BOOSTC_SCHEDULE_H

#include <math.h>
#include <stdint.h>

#include "runtime/abi/boost_abi.h"

/* What a run knows and a program does not. */
typedef struct BoostRunLength {
  int64_t steps_per_epoch; /* optimizer steps */
  int64_t steps;           /* T */
} BoostRunLength;

/* How far a run is. Both are the same where all windows had one size. */
typedef struct BoostProgress {
  int64_t steps; /* optimizer steps done */
  int64_t
      even_steps; /* what they would be had all windows had the present size */
} BoostProgress;

/* `length` of a schedule in steps. */
static inline double boost_schedule_steps(uint32_t unit, double length,
                                          BoostRunLength run) {
  return unit == BOOSTC_UNIT_EPOCHS
             ? floor(length * (double)run.steps_per_epoch + 0.5)
             : length;
}

/* Whether what it is at a step depends on how long the run is. */
static inline int boost_schedule_ends_with_run(const BoostSchedule *s) {
  return (s->kind >= BOOSTC_SCHEDULE_RECIPE_LINEAR &&
          s->kind <= BOOSTC_SCHEDULE_RECIPE_STEP) ||
         ((s->kind == BOOSTC_SCHEDULE_POLYNOMIAL ||
           s->kind == BOOSTC_SCHEDULE_COSINE ||
           s->kind == BOOSTC_SCHEDULE_RECIPE_THOR) &&
          !(s->length > 0.0));
}

/* After `i` of the `w` steps of a warm-up, which may end within a step. */
static inline double boost_warmup_value(const BoostSchedule *s, double i,
                                        double w) {
  return s->initial + (s->value - s->initial) * fmin(i, w) / w;
}

/* i counts the warm-up, `even` the rest. */
static inline double boost_recipe_value(const BoostSchedule *s, double i,
                                        double even, double w, double t) {
  static const double stages[2][4] = {{0.3, 0.6, 0.8, 2.0},
                                      {0.2, 0.5, 0.7, 0.9}};
  double rest = t > w ? t - w : 1.0;
  double past = even > w ? even - w : 0.0; /* the warm-up */
  int table = s->kind == BOOSTC_SCHEDULE_RECIPE_STEP;
  if (s->kind == BOOSTC_SCHEDULE_RECIPE_COSINE) {
    if (i < w)
      return boost_warmup_value(s, i + 1.0, w);
    return s->value *
           ((t - even) / rest * 0.5 *
                (1.0 + cos(0.94 * 3.14159265358979323846 * even / rest)) +
            0.00001);
  }
  if (!table && i < w)
    return s->initial + (s->value - s->initial) * i / w;
  if (s->kind == BOOSTC_SCHEDULE_RECIPE_LINEAR)
    return s->value - (s->value - s->end) * past / rest;
  if (s->kind == BOOSTC_SCHEDULE_RECIPE_POLY) {
    double left = 1.0 - past / rest;
    return s->value * left * left;
  }
  double value = s->value;
  for (int stage = 0; stage < 4; ++stage, value *= 0.1)
    if (even < stages[table][stage] * t)
      return value;
  return 0.00005; /* recipe_step only: the last of the other's stages has no end
                   */
}

/* `epochs`: e. */
static inline double boost_thor_value(const BoostSchedule *s, double epochs,
                                      double run) {
  double length, value;
  if (s->kind == BOOSTC_SCHEDULE_RECIPE_DAMPING)
    return s->value * pow(s->factor, epochs / 10.0);
  length = s->length > 0.0 ? s->length : run;
  value = s->value * pow(fmax(1.0 - epochs / length, 0.0), s->factor);
  if (epochs >= s->every)
    value *= 0.5;
  if (epochs >= s->every + 1.0)
    value *= 0.5;
  return value;
}

/* The value for the step after those of `done`. */
static inline double boost_schedule_value_at(const BoostSchedule *s,
                                             BoostProgress done,
                                             BoostRunLength run) {
  double even = (double)done.even_steps, total = (double)run.steps;
  double i = s->unit == BOOSTC_UNIT_STEPS ? (double)done.steps : even;
  double w = boost_schedule_steps(s->unit, s->warmup, run);
  double t, length;
  if (s->kind >= BOOSTC_SCHEDULE_RECIPE_LINEAR &&
      s->kind <= BOOSTC_SCHEDULE_RECIPE_STEP)
    return boost_recipe_value(s, i, even, w, total);
  if (s->kind >= BOOSTC_SCHEDULE_RECIPE_THOR &&
      s->kind <= BOOSTC_SCHEDULE_RECIPE_DAMPING) {
    double epoch = (double)(run.steps_per_epoch > 1 ? run.steps_per_epoch : 1);
    return boost_thor_value(s, (even + 1.0) / epoch, total / epoch);
  }
  if (i < w)
    return boost_warmup_value(s, i + 1.0, w);
  if (s->length > 0.0) {
    t = i - w;
    length = boost_schedule_steps(s->unit, s->length, run);
  } else {
    t = even > w ? even - w : 0.0;
    length = total - w;
  }
  if (length < 1.0)
    length = 1.0;
  if (t > length)
    t = length;
  switch (s->kind) {
  case BOOSTC_SCHEDULE_STEP: {
    double every = boost_schedule_steps(s->unit, s->every, run);
    return s->value *
           pow(s->factor, floor((i - w) / (every < 1.0 ? 1.0 : every)));
  }
  case BOOSTC_SCHEDULE_EXPONENTIAL: {
    double unit = boost_schedule_steps(s->unit, 1.0, run);
    return s->value * pow(s->factor, (i - w) / (unit < 1.0 ? 1.0 : unit));
  }
  case BOOSTC_SCHEDULE_POLYNOMIAL:
    return s->end + (s->value - s->end) * pow(1.0 - t / length, s->factor);
  case BOOSTC_SCHEDULE_COSINE:
    return s->end + (s->value - s->end) * 0.5 *
                        (1.0 + cos(3.14159265358979323846 * t / length));
  default:
    return s->value;
  }
}

/* The same of a run whose windows all had one size. */
static inline double boost_schedule_value(const BoostSchedule *s, int64_t done,
                                          BoostRunLength run) {
  BoostProgress progress;
  progress.steps = progress.even_steps = done;
  return boost_schedule_value_at(s, progress, run);
}

#endif /* BOOSTC_SCHEDULE_H */
