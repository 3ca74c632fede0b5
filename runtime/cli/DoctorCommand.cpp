// `boost-run doctor`: what a user needs to know when something does not run.
#include "runtime/support/Streams.h"
#include "runtime/cli/Commands.h"
#include "runtime/cli/MachineReport.h"

namespace boostrt {

Status doctorCommand(const Options &options) {
  MachineReport report = examineMachine(cuda::SearchContext::current());
  writeResult(options.json ? report.toJson().dump(2) + "\n" : report.toText());
  return report.verdict();
}

} // namespace boostrt
