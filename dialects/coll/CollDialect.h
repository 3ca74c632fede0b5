// CollDialect.h - the dialect of what ranks exchange; see CollBase.td.
#pragma once

#include "dialects/interfaces/Interfaces.h"
#include "dialects/rt/CollectiveForm.h"
#include "dialects/rt/RtDialect.h"
#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "dialects/coll/CollDialect.h.inc"
#define GET_OP_CLASSES
#include "dialects/coll/CollOps.h.inc"

namespace boostc::coll {

/// Whether there is a parameter, or another symbol, of each name that `op`
/// serves.
llvm::LogicalResult verifyParameters(CollectiveOpInterface op,
                                     mlir::SymbolTableCollection &symbols);

/// The rt.collective of `form` that `op` becomes, before it.
llvm::SmallVector<mlir::Value>
buildRtCollective(mlir::OpBuilder &builder, CollectiveOpInterface op,
                  const rt::CollectiveForm &form);

} // namespace boostc::coll
