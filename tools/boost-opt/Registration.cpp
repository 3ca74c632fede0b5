#include "tools/boost-opt/Registration.h"
#include "compiler/autodiff/Passes.h"
#include "compiler/lowering/Passes.h"
#include "compiler/pipeline/Passes.h"
#include "compiler/transforms/Passes.h"
#include "mlir/Transforms/Passes.h"

void boostc::registerPasses() {
  autodiff::registerBoostAutodiffPasses();
  transforms::registerBoostTransformsPasses();
  registerBoostLoweringPasses();
  registerBoostPipelinePasses();
  mlir::registerTransformsPasses();
}
