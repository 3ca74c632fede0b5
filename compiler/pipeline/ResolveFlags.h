// ResolveFlags.h - from the strings of boostc's command line to the options of
// a compilation, and what contradicts what.
#pragma once

#include "compiler/pipeline/Compiler.h"

namespace boostc {

/// The flags that become typed options; the others are stored in
/// CompileOptions as they are parsed.
struct Flags {
  std::string output, emit = "so", from = "input", target = "cpu,cuda";
  std::string tune, tuned, color = "auto";
  std::string reproducible;
  unsigned level = 0;
  bool isSummary = false, isExplain = false, isOps = false;
  int64_t samples = 0;
  std::optional<uint64_t> budget;
};

/// Completes `options`; a message where the flags make no sense. `isGiven`
/// tells whether a flag is on the command line, for those whose default is
/// also a value.
std::optional<std::string>
resolveFlags(const Flags &flags,
             llvm::function_ref<bool(llvm::StringRef flag)> isGiven,
             CompileOptions &options);

} // namespace boostc
