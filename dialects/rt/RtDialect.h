// RtDialect.h - the dialect of what the device executes; see RtBase.td.
#pragma once

#include "dialects/interfaces/Interfaces.h"
#include "dialects/rt/Convolution.h"
#include "dialects/rt/Gram.h"
#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "dialects/rt/RtDialect.h.inc"
#include "dialects/rt/RtEnums.h.inc"
#define GET_ATTRDEF_CLASSES
#include "dialects/rt/RtAttrs.h.inc"
#define GET_OP_CLASSES
#include "dialects/rt/RtOps.h.inc"

namespace boostc::rt {

/// Name of the argument and result attribute that holds a BindingAttr.
constexpr llvm::StringLiteral kBindingAttrName = "rt.binding";
/// What argument `index` or result `index` of `function` is bound to; null:
/// nothing.
BindingAttr getArgumentBinding(mlir::FunctionOpInterface function,
                               unsigned index);
BindingAttr getResultBinding(mlir::FunctionOpInterface function,
                             unsigned index);
/// Fails, with a diagnostic, where an argument or result of `function` is bound
/// to nothing.
llvm::LogicalResult verifyBindings(mlir::FunctionOpInterface function);
/// The binding of an argument of the function around; null of any other value.
BindingAttr getArgumentBinding(mlir::Value value);
/// Gives `function` one more argument, the last, of `type` and bound to
/// `binding`.
mlir::BlockArgument addArgument(mlir::FunctionOpInterface function,
                                mlir::Type type, BindingAttr binding);
/// Lets `function` return `value` too, as its last result, bound to `binding`.
void addResult(mlir::FunctionOpInterface function, mlir::Value value,
               BindingAttr binding);

/// Whether a binding of `kind` is a sum over the samples of a step: what @micro
/// returns, @combine adds and @update receives.
bool isAccumulator(BindingKind kind);

/// Marks a function as a generated kernel.
constexpr llvm::StringLiteral kKernelAttrName = "rt.kernel";

/// Name of the attribute of a program that holds a ReproducibleAttr.
constexpr llvm::StringLiteral kReproducibleAttrName = "rt.reproducible";
/// What `program` says; `on` where it says nothing.
Reproducibility getReproducibility(mlir::Operation *program);

/// Name of the attribute of a program that holds a MatmulPrecisionAttr.
constexpr llvm::StringLiteral kMatmulPrecisionAttrName = "rt.matmul_precision";
/// What `program` says; float32 where it says nothing.
Precision getMatmulPrecision(mlir::Operation *program);

/// Name of the attribute of a program that holds a WinogradAttr.
constexpr llvm::StringLiteral kWinogradAttrName = "rt.winograd";
/// What `program` says; off where it says nothing.
WinogradUse getWinogradUse(mlir::Operation *program);

/// Writes the precision of `op` to `call`, and the types of its factors and of
/// its result.
void describeContractionTypes(ContractionOpInterface op,
                              BoostLibraryCall &call);

/// Whether the elements of `type`, of static shape, fill one piece of memory,
/// in whatever order of the dimensions.
bool isDense(mlir::MemRefType type);

/// Checks that the operands of `op` are all tensors, with a result of the type
/// of each destination, or all memrefs, without results.
llvm::LogicalResult
verifyDestinationStyle(mlir::DestinationStyleOpInterface op);

/// What `op` does to memory: on memrefs it writes its destination and its
/// `workspace`, null where it has none, and reads the other operands. On
/// tensors, which are values, nothing.
void addEffects(
    mlir::DestinationStyleOpInterface op, llvm::ArrayRef<mlir::Value> workspace,
    llvm::SmallVectorImpl<mlir::MemoryEffects::EffectInstance> &effects);

/// Lets one-shot bufferization see the library calls' operands.
void registerBufferizableOpInterfaceExternalModels(
    mlir::DialectRegistry &registry);

} // namespace boostc::rt
