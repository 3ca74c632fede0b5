#include "compiler/pipeline/PrepareProcess.h"
#include "compiler/pipeline/Compiler.h"
#include "runtime/support/CaughtException.h"
#include "runtime/support/StackLimit.h"
#include "runtime/support/Streams.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/Signals.h"
#include "llvm/Support/raw_ostream.h"
#include <csignal>
#include <cstdlib>
#include <unistd.h>

using namespace boostc;

namespace {

[[noreturn]] void endInternal() {
  _exit(static_cast<int>(CompileResult::Internal));
}

/// LLVM's streams have no other way to say that a write has failed.
constexpr llvm::StringLiteral kStreamError = "IO failure on output stream: ";

void reportFatal(void *, const char *reason, bool) {
  llvm::StringRef text(reason);
  if (text.consume_front(kStreamError)) {
    boostrt::printNote("boostc: error: cannot link the program: cannot write "
                       "to a file in memory: {}\n",
                       text.str());
    _exit(static_cast<int>(CompileResult::BadUsage));
  }
  boostrt::printNote("boostc: internal error: {}; please report it with the "
                     "input file\n",
                     reason);
  endInternal();
}

/// Nothing here may allocate.
void reportNoMemory(void *, const char *, bool) {
  boostrt::writeNote("boostc: error: out of memory; free some, or raise the "
                     "limit (ulimit -v)\n");
  endInternal();
}

/// LLVM's streams end the process from their destructors when a write has
/// failed. What is lost of standard error is lost; on standard output nothing
/// of ours is written, but MLIR's --mlir-... help is.
void settleStreams() {
  llvm::errs().clear_error();
  llvm::outs().flush();
  if (!llvm::outs().has_error())
    return;
  llvm::outs().clear_error();
  boostrt::writeNote("boostc: error: cannot write to standard output\n");
  _exit(static_cast<int>(CompileResult::BadUsage));
}

} // namespace

void boostc::prepareProcess(int argc, char **argv) {
  // Before anything allocates.
  llvm::install_bad_alloc_error_handler(reportNoMemory);
  llvm::install_out_of_memory_new_handler();
  boostrt::reportUncaughtExceptions("boostc");
  boostrt::raiseStackLimit(); // --tune runs kernels
  // The handlers that print the stack allocate, and may wait for what the
  // interrupted thread holds.
  llvm::sys::AddSignalHandler(
      [](void *) {
        constexpr unsigned kSecondsToPrint = 20;
        std::signal(SIGALRM, [](int) { endInternal(); });
        alarm(kSecondsToPrint);
      },
      nullptr);
  // Lives as long as the process: its destructor calls llvm_shutdown().
  static llvm::InitLLVM init(argc, argv,
                             /*InstallPipeSignalExitHandler=*/false);
  llvm::setBugReportMsg(
      "boostc: internal error: please report it with the input file and "
      "the lines below\n");
  // After the handler that prints the stack.
  llvm::sys::AddSignalHandler([](void *) { endInternal(); }, nullptr);
  llvm::install_fatal_error_handler(reportFatal);
  boostrt::prepareStreams(); // its handlers of signals replace LLVM's
  llvm::outs();
  llvm::errs();
  std::atexit(settleStreams); // runs before their destructors
}
