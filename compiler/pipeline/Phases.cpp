#include "compiler/pipeline/Phases.h"
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
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Linalg/Passes.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace boostc;

ArrayRef<PhaseInfo> boostc::getPhases() {
  static constexpr PhaseInfo kPhases[] = {
      {Phase::Input, "input", "the model file as the frontend imports it"},
      {Phase::Backward, "backward", "gradients are explicit"},
      {Phase::Step, "step", "every function of a step, boosts applied"},
      {Phase::Linalg, "linalg", "linalg and library calls on tensors"},
      {Phase::Buffers, "buffers", "the same on planned memory"},
      {Phase::Rt, "rt", "kernels and launches"},
      {Phase::Llvm, "llvm", "LLVM's dialect, with the descriptor"},
      {Phase::Obj, "obj", "an object file"},
      {Phase::So, "so", "the program"}};
  return kPhases;
}

StringRef boostc::getPhaseName(Phase phase) {
  return getPhases()[static_cast<size_t>(phase)].name;
}

std::optional<Phase> boostc::parsePhase(StringRef name) {
  for (const PhaseInfo &info : getPhases())
    if (info.name == name)
      return info.phase;
  return std::nullopt;
}

/// Folds, removes dead and merges equal ops: after each step that leaves some.
static void addCleanup(OpPassManager &manager) {
  manager.addPass(createCanonicalizerPass());
  manager.addPass(createCSEPass());
}

static void addVerifier(OpPassManager &manager, Phase phase) {
  VerifyPhasePassOptions options;
  options.phase = getPhaseName(phase).str();
  manager.addPass(createVerifyPhasePass(options));
}

/// The end of phase buffers.
static void addMemoryPlan(OpPassManager &manager, const PhaseOptions &options) {
  OpPassManager &planning = manager.nest<train::ProgramOp>();
  // Scratch before the plan, which is to cover it.
  ReserveScratchPassOptions scratch;
  scratch.useLibrary = options.useLibrary;
  planning.addPass(createReserveScratchPass(scratch));
  planning.addPass(createPlanMemoryPass());
  // Equal addresses become one value: kernels promise that their arguments
  // differ.
  addCleanup(manager);
  manager.nest<train::ProgramOp>().addPass(createMarkGradientsReadyPass());
}

/// The passes that turn the phase before `phase` into it.
static void addPhase(OpPassManager &manager, Phase phase,
                     const PhaseOptions &options) {
  OpPassManager &program =
      phase == Phase::Llvm ? manager : manager.nest<train::ProgramOp>();
  switch (phase) {
  case Phase::Input:
  case Phase::Obj:
  case Phase::So:
    break;

  case Phase::Backward:
    // Canonical forms of the forward save work there and in what is derived
    // from it.
    addCleanup(manager);
    // Before autodiff: what is not there has no backward, and casts.
    manager.nest<train::ProgramOp>().addPass(
        boost::createRemoveBatchNormsPass());
    // While the forward says what is a weight.
    manager.nest<train::ProgramOp>().addPass(
        boost::createCentralizeGradientsPass());
    // Before autodiff: gradients have the types of their values, and those of
    // parameters are not rounded.
    manager.nest<train::ProgramOp>().addPass(
        transforms::createApplyPrecisionPass());
    // On the edges that the casts have made, and before autodiff, for which it
    // marks where a gradient changes its scale.
    manager.nest<train::ProgramOp>().addPass(boost::createScaleGroupsPass());
    manager.nest<train::ProgramOp>().addPass(
        autodiff::createBuildBackwardPass());
    // The backward repeats values of the forward; phases to come are read by
    // people.
    addCleanup(manager);
    break;

  case Phase::Step:
    // First: what follows changes the functions of all variants alike.
    program.addPass(boost::createFreezeLayersPass());
    // A refresh needs a step that trains everything.
    program.addPass(boost::createPreconditionGradientsPass());
    program.addPass(boost::createSearchSubspacePass());
    // What a micro-batch contributes is known before what ranks sum of it.
    program.addPass(boost::createAverageMicroBatchesPass());
    program.addPass(boost::createAccumulateInPlacePass());
    {
      boost::ReduceGradientsPassOptions reduce;
      if (options.bucketBytes)
        reduce.bucketBytes = *options.bucketBytes;
      program.addPass(boost::createReduceGradientsPass(reduce));
    }
    // It rewrites the sums of the pass before.
    program.addPass(boost::createCombineByAdasumPass());
    // After all that says which sums are those of all ranks.
    program.addPass(boost::createDivideInversionsPass());
    {
      boost::ShareBasisPassOptions share;
      if (options.bucketBytes)
        share.bucketBytes = *options.bucketBytes;
      program.addPass(boost::createShareBasisPass(share));
    }
    // Weights as they are after all that changes updates.
    program.addPass(transforms::createAverageWeightsPass());
    // @combine adds up whatever @micro returns, so it is built last.
    program.addPass(transforms::createCompleteStepPass());
    break;

  case Phase::Linalg: {
    SetCpuTargetPassOptions target;
    target.cpu = options.cpu;
    target.threads = options.threads;
    target.winograd = options.winograd;
    // First: which library calls exist may depend on the CPU.
    if (options.forCpu)
      program.addPass(createSetCpuTargetPass(target));
    if (options.forCuda)
      program.addPass(createSetCudaTargetPass());
    LowerToLinalgPassOptions lowering;
    lowering.useLibrary = options.useLibrary;
    program.addPass(createLowerToLinalgPass(lowering));
    // A selector computes with arith on tensors.
    program.addPass(createConvertElementwiseToLinalgPass());
    // CSE before fusion: loss and gradient share their row sums, and fusion
    // would copy them into each user first.
    addCleanup(manager);
    manager.nest<train::ProgramOp>().addPass(createFuseElementwisePass());
    addCleanup(manager);
    // Collectives are values no longer than this, and are removed where nothing
    // uses them.
    manager.nest<train::ProgramOp>().addPass(
        createAssignCollectiveIndicesPass());
    break;
  }

  case Phase::Buffers:
    if (options.maxRecomputed > 0) {
      RecomputePassOptions recompute;
      recompute.most = options.maxRecomputed;
      // On tensors, where a second copy is just another value, and after the
      // last CSE, which would make one of the two.
      program.addPass(createRecomputePass(recompute));
    }
    // Everything before is shared by all kinds of devices, memory is not.
    manager.addPass(createSplitTargetsPass());
    {
      ExtendFactorsPassOptions factors;
      factors.keepsBFloat16 = options.keepsBFloat16;
      manager.nest<train::ProgramOp>().addPass(
          createExtendFactorsPass(factors));
    }
    {
      // What the pass before has added. Recomputation has made new producers,
      // too: fused with their users, results would depend on the memory budget.
      FuseElementwisePassOptions fusion;
      fusion.conversions = true;
      manager.nest<train::ProgramOp>().addPass(
          createFuseElementwisePass(fusion));
    }
    manager.nest<train::ProgramOp>().addPass(createNarrowFactorsPass());
    manager.nest<train::ProgramOp>().addPass(createBufferizePass());
    // Bufferization leaves casts and copies onto themselves.
    addCleanup(manager);
    {
      OpPassManager &layouts = manager.nest<train::ProgramOp>();
      ChooseDeviceLibraryPassOptions library;
      library.library = options.cudaLibrary;
      // Inputs lie as the libraries that are called read them. A matrix that a
      // layout turns over, a flattened input, is as readable as before.
      layouts.addPass(createChooseDeviceLibraryPass(library));
      // Leaves functions with images in another order than the model's alone.
      layouts.addPass(createAssignChannelsLastPass());
      // What is fast depends on the strides of operands.
      layouts.addPass(createAssignLayoutsPass());
      layouts.addPass(createTransposeFactorsPass());
      ShareReductionsPassOptions shares;
      shares.tilingPolicy = options.tilingPolicy;
      layouts.addPass(createShareReductionsPass(shares));
      // Tiles and partial sums follow the strides of operands. A library's
      // calls have scratch memory by now, and cut sums themselves.
      SplitReductionsPassOptions sums;
      sums.tilingPolicy = options.tilingPolicy;
      layouts.addPass(createSplitReductionsPass(sums));
      if (options.chooseContraction)
        layouts.addPass(
            createChooseContractionsPass(options.chooseContraction));
    }
    // Ops are what they will be, and buffers do not share memory yet.
    manager.nest<train::ProgramOp>().addPass(createSpecializeMicrosPass());
    addMemoryPlan(manager, options);
    break;

  case Phase::Rt:
    // Each leaves the programs of the other alone.
    program.addPass(createOutlineKernelsPass());
    {
      OutlineDeviceKernelsPassOptions device;
      device.tilingPolicy = options.tilingPolicy;
      program.addPass(createOutlineDeviceKernelsPass(device));
    }
    // No canonicalisation: kernels are final, and it would move their
    // constants.
    manager.addPass(createCSEPass());
    manager.nest<train::ProgramOp>().addPass(createMergeKernelsPass());
    break;

  case Phase::Llvm:
    manager.nest<train::ProgramOp>().nest<gpu::GPUModuleOp>().addPass(
        createLowerDeviceKernelsPass());
    // Arguments are pointers now: kernels on buffers of other shapes may be
    // equal.
    manager.nest<train::ProgramOp>().addPass(createMergeKernelsPass());
    manager.addPass(createLowerToLLVMPass());
    break;
  }
}

void boostc::buildPipeline(OpPassManager &manager, Phase from, Phase to,
                           const PhaseOptions &options) {
  addVerifier(manager, from);
  for (const PhaseInfo &info : getPhases()) {
    if (info.phase <= from || info.phase > to || info.phase > Phase::Llvm)
      continue;
    addPhase(manager, info.phase, options);
    addVerifier(manager, info.phase);
  }
}

void boostc::buildMeasuringPipeline(OpPassManager &manager) {
  addMemoryPlan(manager, {});
  for (Phase phase : {Phase::Rt, Phase::Llvm})
    addPhase(manager, phase, {});
}

void boostc::printModule(ModuleOp module, llvm::raw_ostream &os) {
  OpPrintingFlags flags;
  flags.enableDebugInfo(/*enable=*/true, /*prettyForm=*/false);
  module->print(os, flags);
  os << "\n";
}
