#include "tools/boost-opt/Registration.h"
#include "compiler/autodiff/Passes.h"
#include "compiler/boost/Passes.h"
#include "compiler/lowering/buffers/Passes.h"
#include "compiler/lowering/cpu/Passes.h"
#include "compiler/lowering/cuda/Passes.h"
#include "compiler/lowering/kernels/Passes.h"
#include "compiler/lowering/linalg/Passes.h"
#include "compiler/lowering/llvm/Passes.h"
#include "compiler/pipeline/Passes.h"
#include "compiler/transforms/Passes.h"
#include "mlir/Transforms/Passes.h"

void boostc::registerPasses() {
  autodiff::registerBoostAutodiffPasses();
  boost::registerBoostBoostPasses();
  transforms::registerBoostTransformsPasses();
  registerBoostLinalgPasses();
  registerBoostBuffersPasses();
  registerBoostCpuPasses();
  registerBoostCudaPasses();
  registerBoostKernelsPasses();
  registerBoostLlvmPasses();
  registerBoostPipelinePasses();
  mlir::registerTransformsPasses();
}
