// PrepareProcess.h - how the process of boostc meets what LLVM would end it
// for.
#pragma once

namespace boostc {

/// To be called first in main(). Crashes, errors that LLVM calls fatal and want
/// of memory end with a sentence and CompileResult::Internal; streams that
/// cannot be written end nothing by themselves (runtime/support/Streams.h).
void prepareProcess(int argc, char **argv);

} // namespace boostc
