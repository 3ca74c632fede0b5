#include "runtime/cli/CommandFlags.h"
#include "runtime/support/FlagValues.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

namespace boostrt {

void addProfile(CLI::App &app, Options &o, const char *steps) {
  const std::string text = fmt::format(
      "where the time of steps goes: a table of kernels and other calls, of "
      "{}; --profile=FILE: and a trace for Perfetto",
      steps);
  // The braces allow for a value, after '=' alone: the next argument may be
  // PROGRAM.
  app.add_flag("--profile{table}", text);
  app.add_option("--profile-steps", o.profileSteps,
                 "profile N steps, also without --profile")
      ->check(integerBetween(1, 100'000))
      ->type_name("N");
}

Status findProfile(const std::vector<std::string> &arguments, Options &o) {
  constexpr std::string_view kWithFile = "--profile=";
  for (const std::string &argument : arguments) {
    bool hasFile = argument.starts_with(kWithFile);
    if (!hasFile && argument != "--profile")
      continue;
    o.profiles = true;
    o.profileTrace.reset();
    if (hasFile)
      o.profileTrace = argument.substr(kWithFile.size());
  }
  if (o.profileTrace && o.profileTrace->empty())
    return Status(
        ExitCode::Usage,
        "--profile= names no file for the trace; give --profile=FILE, "
        "or --profile for the table alone");
  return Status();
}

} // namespace boostrt
