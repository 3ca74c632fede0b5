// ParseCommandLine.h - command lines as tests write them.
#pragma once

#include "runtime/cli/CommandLine.h"

#include <gmock/gmock.h>

#include <string>
#include <vector>

namespace boostrt {

inline Result<CommandLine> parse(std::vector<const char *> arguments) {
  arguments.insert(arguments.begin(), "boost-run");
  return parseCommandLine(static_cast<int>(arguments.size()), arguments.data());
}

inline void expectUsage(std::vector<const char *> arguments,
                        const std::string &text) {
  auto line = parse(std::move(arguments));
  ASSERT_FALSE(line.ok()) << text;
  EXPECT_EQ(line.status().code(), ExitCode::Usage);
  EXPECT_THAT(line.status().message(), testing::HasSubstr(text));
  EXPECT_THAT(line.status().message(), testing::EndsWith(" --help"));
}

} // namespace boostrt
