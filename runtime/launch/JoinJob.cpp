#include "runtime/launch/JoinJob.h"

#include <fmt/format.h>

namespace boostrt {

Result<std::unique_ptr<Transport>> joinJob(const JobPlan &plan) {
  if (plan.size == 1)
    return std::unique_ptr<Transport>();
  return Status(
      ExitCode::Usage,
      fmt::format("this process is {} (from {}), but this version trains with "
                  "one rank only; start it alone",
                  plan.describe(), plan.source));
}

} // namespace boostrt
