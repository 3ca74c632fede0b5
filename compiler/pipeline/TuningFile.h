// TuningFile.h - choices that were measured, kept in a file: the fastest
// candidate of each contraction, by machine.
#pragma once

#include "compiler/frontend/JsonReader.h"
#include "compiler/lowering/cpu/ContractionChoice.h"
#include "llvm/Support/SourceMgr.h"

namespace boostc {

class TuningFile {
public:
  /// What a measurement holds for.
  struct Machine {
    std::string cpu;   ///< LLVM's name of it
    std::string level; ///< --cpu
    int64_t threads;
    std::string versions; ///< of what makes and runs the code

    bool operator==(const Machine &) const = default;
    auto operator<=>(const Machine &) const = default;
  };
  /// This one, for code for `target`.
  static Machine getMachine(rt::CpuTargetAttr target);

  /// Reads `text`, which `sources` own. Nothing, and errors, when it is not
  /// a tuning file.
  static std::optional<TuningFile>
  parse(mlir::MLIRContext *context, llvm::StringRef name, llvm::StringRef text);

  /// A remark about entries that `machine` cannot use.
  void reportForeign(const Machine &machine) const;

  /// The number of the candidate that was chosen for `operation`; no number
  /// when the file has none. Fails, with a diagnostic, when the file names a
  /// candidate that does not exist.
  llvm::FailureOr<std::optional<unsigned>>
  find(const Machine &machine, llvm::StringRef operation,
       llvm::ArrayRef<ContractionCandidate> candidates) const;

  void add(const Machine &machine, llvm::StringRef operation,
           llvm::ArrayRef<ContractionCandidate> candidates,
           llvm::ArrayRef<double> microseconds, unsigned choice);

  /// The text of the file: sorted, so that equal contents are equal bytes.
  void print(llvm::raw_ostream &os) const;

private:
  struct Key {
    Machine machine;
    std::string operation;
    auto operator<=>(const Key &) const = default;
  };
  struct Entry {
    std::string choice;
    std::vector<std::pair<std::string, double>> microseconds;
    std::optional<mlir::Location> place;
  };
  std::map<Key, Entry> entries;
};

} // namespace boostc
