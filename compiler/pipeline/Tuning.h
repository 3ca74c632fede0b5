// Tuning.h - decides by measurements, old or new, how contractions are
// computed.
#pragma once

#include "compiler/pipeline/TuningFile.h"

namespace boostc {

struct TuningOptions {
  std::string file;      ///< none: the cost model decides
  bool measures = false; ///< what the file lacks; then the file is written
};

class Tuning {
public:
  /// Reads the file. Null, and errors, when it exists and is damaged, or when
  /// it must be there and is not.
  static std::unique_ptr<Tuning> create(mlir::MLIRContext *context,
                                        llvm::SourceMgr &sources,
                                        const TuningOptions &options,
                                        rt::CpuTargetAttr target,
                                        int codegenLevel);

  /// Must outlive what it is given to.
  ContractionChooser getChooser();

  /// The file with what was measured; none when it need not be written.
  std::optional<std::string> getNewText() const;

private:
  llvm::FailureOr<unsigned>
  choose(mlir::Operation *op, llvm::StringRef operation,
         llvm::ArrayRef<ContractionCandidate> candidates);

  TuningOptions options;
  TuningFile::Machine machine;
  TuningFile file;
  int codegenLevel = 3;
  bool isChanged = false;
};

} // namespace boostc
