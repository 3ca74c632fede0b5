// InitialValues.h - the random values of rt.fill, for interpreters of it and of
// what becomes one.
#pragma once

#include "dialects/rt/RtDialect.h"

namespace boostc::rt {

/// The first values of parameter `name`, rounded as the runtime rounds: first
/// weights are f32 numbers.
ReferenceValue drawInitialValues(mlir::Type type, InitializerAttr initializer,
                                 llvm::StringRef name, uint64_t seed);

} // namespace boostc::rt
