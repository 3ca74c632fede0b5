// `boost-run doctor`: what a user needs to know when something does not run.
#include "runtime/trainer/Commands.h"
#include "runtime/trainer/MachineReport.h"

#include <fmt/format.h>

namespace boostrt {

Status doctorCommand(const Options &options) {
  MachineReport report = examineMachine(cuda::SearchContext::current());
  fmt::print("{}",
             options.json ? report.toJson().dump(2) + "\n" : report.toText());
  return report.verdict();
}

} // namespace boostrt
