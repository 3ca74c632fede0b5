// boost-opt - runs passes on textual IR, as mlir-opt does.
#include "compiler/pipeline/Phases.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "tools/boost-opt/Registration.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  boostc::registerCompilerDialects(registry);
  boostc::registerPasses();
  return mlir::asMainReturnCode(
      mlir::MlirOptMain(argc, argv, "boost-opt", registry));
}
