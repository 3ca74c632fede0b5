// ThorDialect.h - the dialect of second-order preconditioning; see ThorBase.td.
#pragma once

#include "dialects/interfaces/Interfaces.h"
#include "dialects/rt/RtDialect.h"
#include "dialects/train/TrainDialect.h"
#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "dialects/thor/ThorDialect.h.inc"
#define GET_OP_CLASSES
#include "dialects/thor/ThorOps.h.inc"

namespace boostc::thor {

/// Checks that each of the numbers, attributes of `op`, is 1 or more.
llvm::LogicalResult verifyPositive(
    mlir::Operation *op,
    std::initializer_list<std::pair<llvm::StringRef, int64_t>> numbers);

/// Checks that the blocks of `factors` are square.
llvm::LogicalResult verifySquare(mlir::Operation *op, mlir::ValueRange factors);

/// What accumulators and states of a weight's factors are called.
inline constexpr llvm::StringLiteral kFactorA = ".factor_a",
                                     kFactorG = ".factor_g",
                                     kInverseA = ".inverse_a",
                                     kInverseG = ".inverse_g",
                                     kReady = ".inverses_ready",
                                     kAverageA = ".average_a",
                                     kAverageG = ".average_g",
                                     kAveraged = ".averaged_factors",
                                     kTrace = ".factor_trace",
                                     kSettled = ".factors_settled";
/// The weight that `name` is one of; empty where it is none.
llvm::StringRef getParameterOf(llvm::StringRef name);

} // namespace boostc::thor
