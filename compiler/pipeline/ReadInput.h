// ReadInput.h - what boostc reads: a model file or IR.
#pragma once

#include "compiler/frontend/Frontend.h"
#include "compiler/pipeline/Compiler.h"
#include "mlir/IR/Diagnostics.h"

namespace boostc {

/// What is compiled, and what is known of it besides the IR.
struct CompilerInput {
  mlir::OwningOpRef<mlir::ModuleOp> module = {};
  std::vector<BoostDecision> decisions = {};
  MicroBatchSizes microBatches = {};

  // A model file may be imported again with other micro-batches.
  FrontendOptions frontend = {};
  std::string text = {};
};

/// The whole of a file that the command line names, standard input for "-";
/// null, with a diagnostic, where it cannot be read. A pipe or a device, which
/// may have no end, is refused after 256 MiB.
std::unique_ptr<llvm::MemoryBuffer> readFile(mlir::MLIRContext &context,
                                             llvm::StringRef path);

/// Reads `options.input`, IR where it ends in .mlir or is of a later phase than
/// `input`, else a model file.
CompileResult readInput(mlir::MLIRContext &context, llvm::SourceMgr &sources,
                        const CompileOptions &options, CompilerInput &input);

/// Imports the model file of `input` again, with micro-batches of so many
/// samples.
llvm::FailureOr<mlir::OwningOpRef<mlir::ModuleOp>>
importAgain(mlir::MLIRContext &context, llvm::SourceMgr &sources,
            const CompileOptions &options, const CompilerInput &input,
            int64_t microBatch, bool isQuiet = true);

/// Drops all diagnostics as long as `quiet` lives: for work whose messages the
/// user has seen already.
void beQuiet(mlir::MLIRContext &context,
             std::optional<mlir::ScopedDiagnosticHandler> &quiet);

} // namespace boostc
