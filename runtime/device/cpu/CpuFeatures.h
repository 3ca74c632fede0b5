// CpuFeatures.h - instruction sets by the names a program lists them under.
#pragma once

#include "runtime/support/Status.h"

#include <string_view>

namespace boostrt {

/// Checks that this CPU, and the operating system on it, offers every feature
/// of the comma-separated list (BoostProgram::cpu_features; LLVM's names).
/// Fails with ExitCode::Input, naming every missing feature: executing one
/// would end in an illegal instruction.
Status checkCpuFeatures(std::string_view features);

} // namespace boostrt
