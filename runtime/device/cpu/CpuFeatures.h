// CpuFeatures.h - instruction sets by the names a program lists them under.
#pragma once

#include "runtime/support/Status.h"

#include <string>
#include <string_view>
#include <vector>

namespace boostrt {

/// Checks that this CPU, and the operating system on it, offers every feature
/// of the comma-separated list (BoostProgram::cpu_features; LLVM's names).
/// Fails with ExitCode::Input, naming every missing feature: executing one
/// would end in an illegal instruction. Where tiles (`amx-...`) are on the
/// list, this asks the system for the right to use them, for the whole process.
Status checkCpuFeatures(std::string_view features);

/// Those of the list that this CPU lacks or this runtime does not know.
std::vector<std::string> missingCpuFeatures(std::string_view features);

} // namespace boostrt
