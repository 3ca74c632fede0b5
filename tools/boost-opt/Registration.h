// Registration.h - the dialects and passes that tools on textual IR know.
#pragma once

namespace mlir {
class DialectRegistry;
}

namespace boostc {

/// Our dialects and the upstream ones a program passes through.
void registerDialects(mlir::DialectRegistry &registry);
/// Our passes and the upstream ones that tests combine them with.
void registerPasses();

} // namespace boostc
