// Ptxas.h - machine code of GPUs by NVIDIA's assembler, where it is installed.
#pragma once

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Program.h"
#include <string>
#include <vector>

namespace boostc {

/// The assembler for `choice`: "auto" (the first that
/// `boost-run doctor` finds; empty when there is none), "off" (empty), or a
/// path.
std::string findPtxas(llvm::StringRef choice);

/// Runs of the assembler, concurrent with the compiler's own work, one for each
/// architecture.
class PtxasJobs {
public:
  ~PtxasJobs();

  /// Starts to assemble `ptx` for `architectures` (80 for sm_80) with the
  /// program `ptxas`. What cannot be started is reported by collect().
  void start(llvm::StringRef ptxas, llvm::StringRef ptx,
             llvm::ArrayRef<unsigned> architectures);

  struct Cubin {
    unsigned architecture;
    std::string bytes;
  };
  /// Waits. An architecture that the assembler does not know, or a failure, is
  /// a warning at `module`: programs run from PTX, too.
  std::vector<Cubin> collect(mlir::ModuleOp module);

private:
  struct Job {
    unsigned architecture;
    llvm::sys::ProcessInfo process;
    std::string output, messages, error;
  };
  std::vector<Job> jobs;
  std::string source;
};

} // namespace boostc
