// DiagnosticPrinter.h - MLIR's diagnostics as lines of text: the position, the
// message, the line of the file and a caret under the character that is meant.
#pragma once

#include "mlir/IR/Diagnostics.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"

namespace boostc {

/// The position in a file that `location` begins with; null where it has none.
mlir::FileLineColLoc findPlace(mlir::Location location);

/// Prints all diagnostics of a context while it exists. MLIR's own handler
/// shows no caret in lines beyond ASCII, repeats lines of any length, and
/// writes what a file holds to the terminal as it is.
class DiagnosticPrinter : public mlir::ScopedDiagnosticHandler {
public:
  /// `sources` holds the text of the files; `program` says who reports what has
  /// no position.
  DiagnosticPrinter(llvm::SourceMgr &sources, mlir::MLIRContext *context,
                    llvm::raw_ostream &os, std::string program, bool isColored);

  /// One diagnostic without a position.
  static void print(llvm::raw_ostream &os, llvm::StringRef program,
                    mlir::DiagnosticSeverity severity, llvm::StringRef message,
                    bool isColored);

private:
  void printAll(mlir::Diagnostic &diagnostic);
  void print(mlir::Location location, mlir::DiagnosticSeverity severity,
             llvm::StringRef message);
  void printLine(mlir::FileLineColLoc place);
  /// The line of a file, nothing when it is not known.
  std::optional<llvm::StringRef> findLine(mlir::FileLineColLoc place);

  llvm::SourceMgr &sources;
  llvm::raw_ostream &os;
  std::string program;
  bool isColored;
};

/// `line` as a terminal shows it, in `shown`, and the columns that its first
/// `bytes` bytes take there. Nothing for what is not text or too long to read.
std::optional<size_t> layOutLine(llvm::StringRef line, size_t bytes,
                                 std::string &shown);

} // namespace boostc
