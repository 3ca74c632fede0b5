#include "compiler/pipeline/PredictRanks.h"
#include "compiler/codegen/Codegen.h"
#include "compiler/pipeline/LoadedLibrary.h"
#include "runtime/predict/PredictionReport.h"

using namespace mlir;
using namespace boostc;

LogicalResult boostc::predictRanks(ModuleOp module, int codegenLevel,
                                   const boostrt::PredictOptions &job,
                                   llvm::raw_ostream &os) {
  SmallVector<char, 0> library;
  if (failed(emitProgram(module, codegenLevel, library)))
    return failure();
  std::string error;
  std::unique_ptr<LoadedLibrary> loaded = LoadedLibrary::load(library, error);
  if (!loaded)
    return module->emitError("cannot run the program to measure it: ") << error;
  boostrt::Result<boostrt::Prediction> prediction =
      boostrt::predict(loaded->program(), loaded->path(), job);
  if (!prediction.ok())
    return emitError(UnknownLoc::get(module.getContext()))
           << "--ranks: " << prediction.status().message();
  os << "\n" << boostrt::toText(*prediction);
  return success();
}
