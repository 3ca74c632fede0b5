// LowerToLLVM.h - the steps of boost-lowering-lower-to-llvm, each in a file of
// its own.
#pragma once

#include "dialects/train/TrainDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "runtime/abi/boost_abi.h"

namespace boostc {

/// A library call with its place in the descriptor's table.
struct LibraryCallEntry {
  BoostLibraryCall call; ///< pointers unset
  std::string location;
};

/// Turns `kernels` (functions on memrefs) into LLVM functions on bare pointers
/// and gives each an entry `<name>.entry` of type BoostKernel.
llvm::LogicalResult convertKernels(llvm::ArrayRef<mlir::func::FuncOp> kernels);

/// Turns a host function of phase rt into an LLVM function of type BoostEntry,
/// placed before the program, and returns it. Library calls get the next
/// indices of `calls`.
llvm::FailureOr<mlir::LLVM::LLVMFuncOp>
lowerHostFunction(mlir::func::FuncOp function,
                  llvm::SmallVectorImpl<LibraryCallEntry> &calls);

/// Emits the descriptor of `program` and boost_program_query(). `functions` are
/// by BoostFunctionKind.
llvm::LogicalResult
emitDescriptor(train::ProgramOp program,
               llvm::ArrayRef<mlir::LLVM::LLVMFuncOp> functions,
               llvm::ArrayRef<int64_t> transientBytes,
               llvm::ArrayRef<LibraryCallEntry> calls);

/// "model.json:14:5", or "unknown".
std::string formatLocation(mlir::Location loc);

} // namespace boostc
