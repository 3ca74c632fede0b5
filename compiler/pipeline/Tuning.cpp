#include "compiler/pipeline/Tuning.h"
#include "compiler/pipeline/MeasureContraction.h"
#include "compiler/pipeline/ReadInput.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace boostc;

std::unique_ptr<Tuning> Tuning::create(MLIRContext *context,
                                       llvm::SourceMgr &sources,
                                       const TuningOptions &options,
                                       rt::CpuTargetAttr target,
                                       int codegenLevel) {
  auto tuning = std::make_unique<Tuning>();
  tuning->options = options;
  tuning->codegenLevel = codegenLevel;
  tuning->machine = TuningFile::getMachine(target);
  if (options.measures && !llvm::sys::fs::exists(options.file)) {
    tuning->isChanged = true; // written even when there is nothing to measure
    return tuning;
  }
  std::unique_ptr<llvm::MemoryBuffer> buffer = readFile(*context, options.file);
  if (!buffer)
    return nullptr;
  StringRef text = buffer->getBuffer();
  sources.AddNewSourceBuffer(std::move(buffer), llvm::SMLoc());
  std::optional<TuningFile> file =
      TuningFile::parse(context, options.file, text);
  if (!file)
    return nullptr;
  tuning->file = std::move(*file);
  tuning->file.reportForeign(tuning->machine);
  return tuning;
}

ContractionChooser Tuning::getChooser() {
  return [this](Operation *op, StringRef operation,
                ArrayRef<ContractionCandidate> candidates) {
    return choose(op, operation, candidates);
  };
}

FailureOr<unsigned> Tuning::choose(Operation *op, StringRef operation,
                                   ArrayRef<ContractionCandidate> candidates) {
  FailureOr<std::optional<unsigned>> known =
      file.find(machine, operation, candidates);
  if (failed(known))
    return failure();
  if (*known)
    return **known;
  if (!options.measures || candidates.size() < 2)
    return 0u;
  FailureOr<std::vector<double>> times =
      measureContraction(op, candidates.size(), codegenLevel);
  if (failed(times))
    return failure();
  // A tie with the cost model's choice keeps that choice.
  constexpr double kWorthwhile = 0.97;
  auto best = std::min_element(times->begin(), times->end());
  unsigned choice = *best < kWorthwhile * times->front()
                        ? static_cast<unsigned>(best - times->begin())
                        : 0;
  file.add(machine, operation, candidates, *times, choice);
  isChanged = true;
  InFlightDiagnostic remark = op->emitRemark("measured ");
  llvm::interleave(
      llvm::zip_equal(candidates, *times),
      [&](auto pair) {
        auto [candidate, time] = pair;
        remark << llvm::formatv("'{0}' {1:F1} us", candidate.name, time).str();
      },
      [&] { remark << ", "; });
  remark << "; taken: '" << candidates[choice].name << "'";
  return choice;
}

std::optional<std::string> Tuning::getNewText() const {
  if (!isChanged)
    return std::nullopt;
  std::string text;
  llvm::raw_string_ostream os(text);
  file.print(os);
  return text;
}
