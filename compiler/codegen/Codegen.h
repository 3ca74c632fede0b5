// Codegen.h - from LLVM's dialect to machine code and the program file.
#pragma once

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/SmallVector.h"

namespace boostc {

/// What emitMachineCode() writes.
enum class MachineCode { Object, Assembly };

/// Translates `module` (phase llvm) and appends its code to `code`, optimised
/// at `level` (0 to 3), for the CPUs that its functions name, and with it the
/// code of its kernels for GPUs. `ptxas` is as findPtxas() takes it. The result
/// depends on nothing else. Fails with a diagnostic at the module.
llvm::LogicalResult emitMachineCode(mlir::ModuleOp module, MachineCode kind,
                                    int level,
                                    llvm::SmallVectorImpl<char> &code,
                                    llvm::StringRef ptxas);

/// Appends the PTX of the kernels of `module` (phase llvm) to `text`. Fails
/// with a diagnostic, also when there are none or one calls what it has not.
llvm::LogicalResult emitPtx(mlir::ModuleOp module, int level,
                            llvm::SmallVectorImpl<char> &text);

/// The object file of emitMachineCode(), linked into a shared library that
/// exports boost_program_query() alone; appends it, followed by the
/// BoostTrailer, to `library`. LLD runs inside this process. Code for CPUs and
/// for GPUs is generated side by side. `lacksSpace` says of a failure that the
/// system has no room for the files that LLD reads and writes.
llvm::LogicalResult emitProgram(mlir::ModuleOp module, int level,
                                llvm::SmallVectorImpl<char> &library,
                                llvm::StringRef ptxas = "off",
                                bool *lacksSpace = nullptr);

} // namespace boostc
