// Outputs.h - the files that boostc writes.
#pragma once

#include "compiler/pipeline/Compiler.h"
#include "runtime/support/Status.h"

namespace boostc {

/// Whether the outputs of a compilation can be written, asked before it begins.
/// `output` is the file of -o; "-" is standard output.
boostrt::Status checkOutputs(const CompileOptions &options,
                             const std::string &output);

/// Where the result goes without -o.
std::string defaultOutput(const CompileOptions &options);

/// Writes `bytes` as a whole or not at all.
boostrt::Status writeOutput(const std::string &path, llvm::StringRef bytes);

} // namespace boostc
