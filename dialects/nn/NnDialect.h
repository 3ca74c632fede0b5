// NnDialect.h - the dialect of what a model computes; see NnBase.td.
#pragma once

#include "dialects/interfaces/Interfaces.h"
#include "dialects/interfaces/ScalarRule.h"
#include "dialects/rt/Convolution.h"
#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace boostc::nn {
struct LineRule;         // Softmax.h
struct LineGradientRule; // Softmax.h
} // namespace boostc::nn

#include "dialects/nn/NnDialect.h.inc"
#include "dialects/nn/NnEnums.h.inc"
#define GET_ATTRDEF_CLASSES
#include "dialects/nn/NnAttrs.h.inc"
#define GET_OP_CLASSES
#include "dialects/nn/NnOps.h.inc"

namespace boostc::nn {

/// Checks that two tensors have elements of one type; emits an error at `loc`.
llvm::LogicalResult verifySameElements(std::optional<mlir::Location> loc,
                                       mlir::Type a, mlir::Type b);

/// Checks that elements of `bias` are of f32 or those of `factor`, likewise.
llvm::LogicalResult verifyBiasElements(std::optional<mlir::Location> loc,
                                       mlir::Type bias, mlir::Type factor);

/// Syntax of a FunctionAttr: the op's name, then its attributes if it has any.
mlir::ParseResult parseFunction(mlir::AsmParser &parser,
                                FunctionAttr &function);
void printFunction(mlir::AsmPrinter &printer, mlir::Operation *,
                   FunctionAttr function);

} // namespace boostc::nn
