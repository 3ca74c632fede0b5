// Resolve.h - resolveJob() in one line, and what is expected of it.
#pragma once

#include "runtime/launch/ResolveJob.h"

#include <gmock/gmock.h>

namespace boostrt {

/// The job of `environment`; the test fails when it cannot be resolved.
inline JobPlan resolved(const Environment &environment,
                        const LaunchOptions &options = {}) {
  JobInputs inputs;
  inputs.options = options;
  inputs.environment = environment;
  Result<JobPlan> plan = resolveJob(inputs);
  if (plan.ok())
    return *plan;
  ADD_FAILURE() << plan.status().message();
  return {};
}

/// Expects a failure of usage whose message is exactly `message`.
inline void expectRefused(const Environment &environment,
                          const std::string &message,
                          const LaunchOptions &options = {}) {
  JobInputs inputs;
  inputs.options = options;
  inputs.environment = environment;
  Result<JobPlan> plan = resolveJob(inputs);
  ASSERT_FALSE(plan.ok()) << plan->toText();
  EXPECT_EQ(plan.status().code(), ExitCode::Usage);
  EXPECT_EQ(plan.status().message(), message);
}

/// `base` with changes; an empty value removes.
inline Environment with(Environment base, const Environment &changes) {
  for (const auto &[name, value] : changes) {
    if (value.empty())
      base.erase(name);
    else
      base[name] = value;
  }
  return base;
}

} // namespace boostrt
