// boost-test-opt - boost-opt with the passes of the tests.
#include "compiler/pipeline/Phases.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "test/passes/BatchMoments.h"
#include "test/passes/LineSearch.h"
#include "test/passes/MeanActivations.h"
#include "test/passes/SelectByCounter.h"
#include "tools/boost-opt/Registration.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  boostc::registerCompilerDialects(registry);
  boostc::registerPasses();
  boostc::registerBatchMoments();
  boostc::registerLineSearch();
  boostc::registerMeanActivations();
  boostc::registerSelectByCounter();
  return mlir::asMainReturnCode(
      mlir::MlirOptMain(argc, argv, "boost-test-opt", registry));
}
