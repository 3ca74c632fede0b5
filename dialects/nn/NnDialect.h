// NnDialect.h - the dialect of what a model computes; see NnBase.td.
#pragma once

#include "dialects/interfaces/Interfaces.h"
#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "dialects/nn/NnDialect.h.inc"
#include "dialects/nn/NnEnums.h.inc"
#define GET_OP_CLASSES
#include "dialects/nn/NnOps.h.inc"
