// boost-opt - runs single passes on textual IR, as mlir-opt does.
#include "dialects/check/CheckDialect.h"
#include "dialects/nn/NnDialect.h"
#include "dialects/rt/RtDialect.h"
#include "dialects/train/TrainDialect.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  registry.insert<boostc::nn::NnDialect, boostc::train::TrainDialect,
                  boostc::rt::RtDialect, boostc::check::CheckDialect>();
  return mlir::asMainReturnCode(mlir::MlirOptMain(argc, argv, "boost-opt", registry));
}
