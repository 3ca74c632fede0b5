#include "tools/boost-opt/Registration.h"
#include "compiler/autodiff/Passes.h"
#include "compiler/transforms/Passes.h"
#include "dialects/check/CheckDialect.h"
#include "dialects/nn/NnDialect.h"
#include "dialects/rt/RtDialect.h"
#include "dialects/train/TrainDialect.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Linalg/Passes.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

void boostc::registerDialects(DialectRegistry &registry) {
  registry.insert<nn::NnDialect, train::TrainDialect, rt::RtDialect,
                  check::CheckDialect>();
  registry.insert<affine::AffineDialect, arith::ArithDialect,
                  bufferization::BufferizationDialect, cf::ControlFlowDialect,
                  func::FuncDialect, linalg::LinalgDialect, LLVM::LLVMDialect,
                  math::MathDialect, memref::MemRefDialect, scf::SCFDialect,
                  tensor::TensorDialect, vector::VectorDialect>();
}

void boostc::registerPasses() {
  autodiff::registerBoostAutodiffPasses();
  transforms::registerBoostTransformsPasses();
  registerTransformsPasses();
  registerLinalgPasses();
}
