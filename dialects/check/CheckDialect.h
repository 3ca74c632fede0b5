// CheckDialect.h - the dialect of expectations in tests; see CheckBase.td.
#pragma once

#include "dialects/interfaces/Interfaces.h"
#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"

#include "dialects/check/CheckDialect.h.inc"
#define GET_OP_CLASSES
#include "dialects/check/CheckOps.h.inc"
