#include "tools/boost-opt/Registration.h"
#include "compiler/autodiff/Passes.h"
#include "compiler/boost/Passes.h"
#include "compiler/lowering/Passes.h"
#include "compiler/pipeline/Passes.h"
#include "compiler/transforms/Passes.h"
#include "mlir/Transforms/Passes.h"

void boostc::registerPasses() {
  autodiff::registerBoostAutodiffPasses();
  boost::registerBoostBoostPasses();
  transforms::registerBoostTransformsPasses();
  registerBoostLoweringPasses();
  registerBoostPipelinePasses();
  mlir::registerTransformsPasses();
}
