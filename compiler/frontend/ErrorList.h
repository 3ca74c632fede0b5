// ErrorList.h - the diagnostics of one import. They are collected, so that a
// user sees several at a time, and emitted as MLIR diagnostics in the order of
// the file.
#pragma once

#include "compiler/frontend/Document.h"
#include "mlir/IR/Diagnostics.h"
#include "runtime/support/ForeignNames.h"
#include "llvm/ADT/ArrayRef.h"
#include <optional>
#include <set>

namespace boostc::frontend {

class ErrorList {
public:
  explicit ErrorList(mlir::MLIRContext *context) : context(context) {}

  struct Note {
    Extent extent;
    std::string message;
  };

  /// Notes for the uses of blocks that `extent` came through follow `note`. The
  /// same error at the same location is one, however often a block is used.
  void error(Extent extent, std::string message, std::optional<Note> note = {});
  void warning(Extent extent, std::string message);

  /// Counts an error that an op emits itself, at `extent`.
  void count(Extent extent);

  /// Every error from now on has this note, or none in addition to its own.
  void setCommonNote(std::optional<Note> note) { common = std::move(note); }
  /// Attaches it, for an op that emits an error itself.
  void attachCommonNote(mlir::Diagnostic &diagnostic) const;

  /// Whether more errors were found than are shown: no need to look for others.
  bool isFull() const { return isTruncated; }
  bool hasErrors() const { return errors > 0; }
  /// Whether one of the errors is in a file rather than on the command line.
  bool hasFileErrors() const { return fileErrors > 0; }

  /// Emits what was collected since the last call.
  void emit();

  /// Notes for the uses of blocks that `extent` came through.
  static void attachUses(mlir::Diagnostic &diagnostic, const Extent &extent);

private:
  static constexpr unsigned kMaxErrors = 20;
  struct Entry {
    mlir::DiagnosticSeverity severity;
    Extent extent;
    std::string message;
    std::optional<Note> note, common;
    size_t number; ///< keeps the order of errors at one location
  };
  void emit(const Entry &entry);

  mlir::MLIRContext *context;
  std::optional<Note> common;
  std::vector<Entry> entries;
  /// Errors by location and message.
  std::set<std::tuple<const Source *, size_t, std::string>> seen;
  unsigned errors = 0, fileErrors = 0;
  bool isTruncated = false;
};

/// "; did you mean 'x'?", or nothing when no legal word is near.
std::string didYouMean(llvm::StringRef word,
                       llvm::ArrayRef<llvm::StringRef> legal);

/// The same, followed by the list of legal words when that is short:
/// "; did you mean 'x'? The keys are a, b, x".
std::string suggest(llvm::StringRef word, llvm::ArrayRef<llvm::StringRef> legal,
                    llvm::StringRef plural);

/// What was probably meant, by a name of another system too.
std::string suggestName(boostrt::NameKind kind, llvm::StringRef word,
                        llvm::ArrayRef<llvm::StringRef> legal);

/// That with the list of legal words, or with what prints it when it is long.
std::string suggest(boostrt::NameKind kind, llvm::StringRef word,
                    llvm::ArrayRef<llvm::StringRef> legal,
                    llvm::StringRef plural);

} // namespace boostc::frontend
