// CpuTarget.h - the attribute `rt.cpu_target` of a program.
#pragma once

#include "dialects/rt/RtDialect.h"
#include <optional>
#include <string>

namespace boostc {

constexpr llvm::StringLiteral kCpuTargetAttrName = "rt.cpu_target";

/// The target for `cpu` ("native", "x86-64-v3", "x86-64-v4") and `threads` (0 = all
/// cores). None, and a sentence in `error`, when there is no such CPU or this machine
/// has less.
std::optional<rt::CpuTargetAttr> resolveCpuTarget(mlir::MLIRContext *context,
                                                  llvm::StringRef cpu, unsigned threads,
                                                  std::string &error);

} // namespace boostc
