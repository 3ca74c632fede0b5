// CompilerFuzz.h - what the targets of the compiler share: a context, judged
// diagnostics, the passes, and changes to an input that leave it readable.
#pragma once

#include "compiler/frontend/DiagnosticPrinter.h"
#include "compiler/pipeline/Phases.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "test/fuzz/Fuzz.h"
#include "llvm/Support/SourceMgr.h"

namespace boostc::fuzz {

using boostrt::fuzz::expect;
using boostrt::fuzz::fail;

/// A context with all dialects. Making one takes longer than most inputs, so
/// that many share it; what they have made in it is freed with it.
mlir::MLIRContext &getContext();

/// Leaves the context as it is, for one that can no longer be used.
void abandonContext();

/// Whether all positions of errors are in a text that was read.
enum class Positions { Known, Any };

/// The diagnostics of a context while it exists, printed as boostc prints them
/// and judged.
class Reports {
public:
  Reports(llvm::SourceMgr &sources, mlir::MLIRContext *context,
          Positions positions);
  ~Reports();

  /// After a refusal there is an error, after a success there is none. `what`
  /// says what was done.
  void judge(bool succeeded, llvm::StringRef what);

  unsigned errors() const { return numErrors; }

private:
  void count(mlir::Diagnostic &diagnostic);

  llvm::SourceMgr &sources;
  Positions positions;
  std::string printed;
  llvm::raw_string_ostream stream;
  DiagnosticPrinter printer;
  mlir::ScopedDiagnosticHandler counter;
  unsigned numErrors = 0;
};

/// Whether passes take no time worth speaking of on `module`.
bool isSmall(mlir::ModuleOp module);

/// Runs the phases after `from` up to `to`; `module` is verified in each.
bool advance(mlir::ModuleOp module, Phase from, Phase to, Reports &reports);

} // namespace boostc::fuzz
