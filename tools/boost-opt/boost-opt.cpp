// boost-opt - runs passes on textual IR, as mlir-opt does.
#include "mlir/IR/DialectRegistry.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "tools/boost-opt/Registration.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  boostc::registerDialects(registry);
  boostc::registerPasses();
  return mlir::asMainReturnCode(
      mlir::MlirOptMain(argc, argv, "boost-opt", registry));
}
