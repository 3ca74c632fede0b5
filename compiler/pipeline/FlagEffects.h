// FlagEffects.h - flags that change nothing of what is asked for.
#pragma once

#include "compiler/pipeline/Compiler.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace boostc {

/// A sentence for each flag that is given and has no effect on a compilation
/// with `options`: the phase that reads it is not run, or no target does. What
/// makes no sense at all is an error elsewhere.
std::vector<std::string>
findIdleFlags(const CompileOptions &options,
              llvm::function_ref<bool(llvm::StringRef flag)> isGiven);

} // namespace boostc
