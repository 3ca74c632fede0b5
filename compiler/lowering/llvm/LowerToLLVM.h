// LowerToLLVM.h - the steps of boostc-lower-to-llvm, each in a file of
// its own.
#pragma once

#include "compiler/lowering/llvm/DescriptorMemory.h"
#include "dialects/train/TrainDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "runtime/abi/boost_abi.h"
#include <map>
#include <vector>

namespace boostc {

/// What tells a call of the runtime from others: uniqued attributes, types and
/// locations.
using CallKey = std::vector<const void *>;

/// A call that several functions make, or one of them several times.
struct SharedCall {
  unsigned uses = 0;
  mlir::LLVM::LLVMFuncOp function = {}; ///< makes it; null until it is emitted
};

/// What the descriptor says of a program's code for one kind of device.
struct TargetCode {
  train::ProgramOp program;
  BoostTargetKind kind;
  std::vector<BoostFunction> functions = {};
  /// Functions share those that differ in nothing but addresses.
  UniqueEntries<BoostLibraryCall> calls = {};
  UniqueEntries<BoostLaunch> launches = {};
  std::vector<BoostCollective> collectives = {}; ///< by index
  DescriptorMemory memory = {};                  ///< of what they point at
  std::map<CallKey, SharedCall> shared = {};
};

/// Symbol of the table of BoostModule, which code generation defines.
constexpr llvm::StringLiteral kModulesSymbol = "boost.modules";

/// What is appended to a kernel's name for its entry's.
constexpr llvm::StringLiteral kEntrySuffix = ".entry";

/// Turns `kernels` (functions on memrefs) into LLVM functions on bare pointers
/// for `cpu`, and gives each an entry `<name>.entry` of type BoostKernel.
llvm::LogicalResult convertKernels(llvm::ArrayRef<mlir::func::FuncOp> kernels,
                                   rt::CpuTargetAttr cpu);

/// Counts the calls that `function` makes, before any function is lowered.
void countCalls(mlir::func::FuncOp function, TargetCode &code);

/// Turns a host function of phase rt into an LLVM function `name` of type
/// BoostEntry, placed before the program, and returns it. Library calls and
/// launches get indices of `code`; collectives have theirs, which are
/// consecutive.
llvm::FailureOr<mlir::LLVM::LLVMFuncOp>
lowerHostFunction(mlir::func::FuncOp function, llvm::StringRef name,
                  TargetCode &code);

/// Emits the descriptor of a program compiled for `targets`, by kind, and
/// boost_program_query().
llvm::LogicalResult emitDescriptor(llvm::MutableArrayRef<TargetCode> targets);

} // namespace boostc
