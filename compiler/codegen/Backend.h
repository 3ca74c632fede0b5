// Backend.h - LLVM's code generation for one module, for CPUs and GPUs alike.
#pragma once

#include "compiler/codegen/Codegen.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/Target/TargetMachine.h"

namespace boostc {

class Backend {
public:
  /// For `code`, which gets the triple and the data layout, at optimisation
  /// `level` (0 to 3). LLVM's target is initialised. Null, with a diagnostic at
  /// `op`, when there is none.
  static std::unique_ptr<Backend>
  create(mlir::Operation *op, llvm::Module &code, llvm::StringRef triple,
         llvm::StringRef cpu, llvm::StringRef features, int level);

  void optimize();
  /// Appends the machine code to `output`. Fails with a diagnostic.
  llvm::LogicalResult write(MachineCode kind,
                            llvm::SmallVectorImpl<char> &output);

private:
  Backend(mlir::Operation *op, llvm::Module &code, int level)
      : op(op), code(code), level(level) {}

  bool isForGpu() const { return machine->getTargetTriple().isNVPTX(); }
  /// False where LLVM cannot write this type of file.
  bool addCodegenPasses(llvm::legacy::PassManager &passes,
                        llvm::raw_pwrite_stream &stream,
                        llvm::CodeGenFileType type);

  mlir::Operation *op;
  llvm::Module &code;
  int level;
  std::unique_ptr<llvm::TargetMachine> machine;
};

} // namespace boostc
