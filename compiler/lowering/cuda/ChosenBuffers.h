// ChosenBuffers.h - a choice among buffers as one among pointers.
//
// Shared code of a kernel chooses its buffers (EqualUnits.h). As descriptors,
// which is how a memref is converted, LLVM would know neither where chosen
// pointers come from nor how they are aligned, and would load their elements
// one by one through generic addresses.
#pragma once

#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/DialectConversion.h"

namespace boostc {

/// Has the ops scf.if of `module` that return buffers without gaps return their
/// pointers instead.
void choosePointers(mlir::Operation *module);

/// Patterns for the casts that choosePointers() makes, which are illegal.
void populateChosenBufferPatterns(const mlir::LLVMTypeConverter &converter,
                                  mlir::RewritePatternSet &patterns,
                                  mlir::ConversionTarget &target);

} // namespace boostc
