// The verifier that closes a phase; see Passes.td.

#include "compiler/lowering/target/CpuTarget.h"
#include "compiler/lowering/target/CudaTarget.h"
#include "compiler/pipeline/Passes.h"
#include "compiler/pipeline/Phases.h"
#include "dialects/nn/NnDialect.h"
#include "dialects/thor/ThorDialect.h"
#include "dialects/train/TrainDialect.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "runtime/abi/boost_abi.h"

namespace boostc {
#define GEN_PASS_DEF_VERIFYPHASEPASS
#include "compiler/pipeline/Passes.h.inc"
} // namespace boostc

using namespace mlir;
using namespace boostc;

namespace {

/// Which functions a program has in a phase.
enum class Functions {
  None,    ///< they are no longer below it
  Written, ///< those that the frontend writes
  All,     ///< those that CompleteStep makes too
};

/// What may appear below a program in a phase.
struct PhaseRules {
  ArrayRef<StringRef> dialects;
  Functions functions;
  bool allowsTensors = true;
};

PhaseRules getRules(Phase phase) {
  static constexpr StringRef kValueDialects[] = {"nn", "train", "thor", "func",
                                                 "arith"};
  static constexpr StringRef kStepDialects[] = {"nn",   "train", "thor",
                                                "coll", "func",  "arith"};
  static constexpr StringRef kLinalgDialects[] = {
      "linalg", "tensor", "arith", "math", "func", "rt", "train"};
  static constexpr StringRef kBufferDialects[] = {
      "linalg", "memref", "arith", "math", "func", "rt", "train"};
  static constexpr StringRef kRtDialects[] = {
      "scf", "memref", "arith",  "math",      "func", "gpu",
      "rt",  "train",  "vector", "x86vector", "amx"};
  static constexpr StringRef kLlvmDialects[] = {"llvm", "gpu", "nvvm"};
  switch (phase) {
  case Phase::Input:
  case Phase::Backward:
    return {kValueDialects, Functions::Written};
  case Phase::Step:
    return {kStepDialects, Functions::All};
  case Phase::Linalg:
    return {kLinalgDialects, Functions::All};
  case Phase::Buffers:
    return {kBufferDialects, Functions::All, /*allowsTensors=*/false};
  case Phase::Rt:
    return {kRtDialects, Functions::All, /*allowsTensors=*/false};
  default:
    return {kLlvmDialects, Functions::None, /*allowsTensors=*/false};
  }
}

/// Declarations stay in a program until its descriptor is written; of the ops
/// that compute, `train` has some until phase linalg.
bool isDeclaration(Operation *op) {
  return isa<train::ProgramOp>(op) ||
         isa_and_nonnull<train::ProgramOp>(op->getParentOp());
}

struct VerifyPhase : boostc::impl::VerifyPhasePassBase<VerifyPhase> {
  using VerifyPhasePassBase::VerifyPhasePassBase;

  void runOnOperation() override {
    std::optional<Phase> current = parsePhase(phase);
    if (!current || *current > Phase::Llvm) {
      getOperation().emitError("'") << phase << "' is not a phase with IR";
      return signalPassFailure();
    }
    // Passes are not verified one by one in a release.
    if (failed(verify(getOperation())))
      return signalPassFailure();
    PhaseRules rules = getRules(*current);
    numbers.clear();
    // What holds others first: "linalg.fill does not belong" says more than its
    // yield.
    WalkResult result =
        getOperation().walk<WalkOrder::PreOrder>([&](Operation *op) {
          if (isa<ModuleOp>(op))
            return WalkResult::advance();
          return failed(verifyOp(op, *current, rules)) ? WalkResult::interrupt()
                                                       : WalkResult::advance();
        });
    if (result.wasInterrupted() || failed(verifyPrograms(*current, rules)))
      signalPassFailure();
  }

  /// Units of a kernel for a GPU that share code choose their buffers, and may
  /// differ in size.
  static bool isChosenBuffer(Operation *op, Type type) {
    auto buffer = dyn_cast<MemRefType>(type);
    return buffer && buffer.getRank() > 0 && buffer.getLayout().isIdentity() &&
           llvm::none_of(buffer.getShape().drop_front(),
                         ShapedType::isDynamic) &&
           isa<scf::IfOp>(op) && op->getParentOfType<gpu::GPUFuncOp>();
  }

  LogicalResult verifyOp(Operation *op, Phase current,
                         const PhaseRules &rules) {
    StringRef dialect = op->getName().getDialectNamespace();
    if (!llvm::is_contained(rules.dialects, dialect) && !isDeclaration(op))
      return op->emitOpError("does not belong in phase '") << phase << "'";
    if (current >= Phase::Linalg && dialect == "train" && !isDeclaration(op))
      return op->emitOpError("should be gone by phase '") << phase << "'";
    if (current >= Phase::Backward &&
        isa<train::ValueAndGradOp, train::EvaluateOp>(op))
      return op->emitOpError("should be gone by phase '") << phase << "'";
    if (current >= Phase::Step &&
        isa<thor::NaturalGradientOp, train::RankSumOp>(op))
      return op->emitOpError("should be gone by phase '") << phase << "'";
    if (!rules.allowsTensors)
      for (Value result : op->getResults())
        if (isa<TensorType>(result.getType()))
          return op->emitOpError("has a tensor result in phase '")
                 << phase << "'";
    // A slice of a buffer may have gaps; kernels read it through its strides.
    if (isa<ViewLikeOpInterface>(op))
      return success();
    for (Type type : op->getResultTypes()) {
      if (isChosenBuffer(op, type))
        continue;
      if (!isStaticAndContiguous(type))
        return op->emitOpError(
                   "expected static shapes and memory without gaps, found ")
               << type;
      if (failed(verifySize(op, type)))
        return failure();
    }
    if (auto function = dyn_cast<func::FuncOp>(op))
      return verifyFunction(function, current);
    if (auto reducing = dyn_cast<BatchReducingOpInterface>(op))
      return verifyValid(reducing);
    if (auto collective = dyn_cast<CollectiveOpInterface>(op))
      return verifyOrder(collective, collective.getIndex());
    if (auto ready = dyn_cast<rt::GradientsReadyOp>(op))
      return verifyAnnounced(ready);
    auto contraction = dyn_cast<ContractionOpInterface>(op);
    if (contraction && current >= Phase::Buffers && contraction.getScratch())
      return verifyProgramPrecision(contraction);
    return success();
  }

  /// The descriptor says once what a GPU's libraries may round to.
  LogicalResult verifyProgramPrecision(ContractionOpInterface call) {
    auto program = call->getParentOfType<train::ProgramOp>();
    if (!program || !getCudaTarget(program))
      return success();
    rt::Precision expected = rt::getMatmulPrecision(program);
    rt::Precision found = call.getPrecision();
    if (found == expected)
      return success();
    return call->emitOpError("has precision ")
           << rt::stringifyPrecision(found) << " in a program of "
           << rt::stringifyPrecision(expected) << " ("
           << rt::kMatmulPrecisionAttrName << ")";
  }

  /// All ranks do the same in the same order, which numbers state: collectives
  /// in probes and updates alone, which all of them call, one function after
  /// the other.
  LogicalResult verifyOrder(Operation *op, uint32_t number) {
    auto program = op->getParentOfType<train::ProgramOp>();
    auto function = op->getParentOfType<func::FuncOp>();
    auto endings = program ? program.getEndings() : SmallVector<func::FuncOp>();
    if (!llvm::is_contained(endings, function))
      return op->emitOpError(
          "expected in a probe or the update of a variant alone");
    return verifyNext(op, program, function, number);
  }

  /// What announces the collectives of a step is in its micro, in their order.
  LogicalResult verifyAnnounced(rt::GradientsReadyOp op) {
    auto program = op->getParentOfType<train::ProgramOp>();
    auto function = op->getParentOfType<func::FuncOp>();
    if (program)
      for (const train::StepVariant &variant : program.getVariants())
        for (const train::StepPhase &phase : variant.getPhases())
          if (phase.micro && phase.micro == function)
            return verifyNext(op, program, phase.ending, op.getIndex());
    return op.emitOpError("expected in the micro of a variant alone");
  }

  /// Numbers go on from one op of a function to the next; the first is that of
  /// the first collective of `ending`.
  LogicalResult verifyNext(Operation *op, train::ProgramOp program,
                           func::FuncOp ending, uint32_t number) {
    auto [entry, isFirst] =
        numbers.try_emplace(op->getParentOfType<func::FuncOp>());
    if (isFirst)
      entry->second = getFirstCollective(program, ending);
    uint32_t next = entry->second++;
    if (number != next)
      return op->emitOpError("has number ")
             << number << " where the next one is " << next;
    return success();
  }

  /// Number of the first collective of `ending`, whose collectives follow those
  /// of the probes and updates before it.
  static uint32_t getFirstCollective(train::ProgramOp program,
                                     func::FuncOp ending) {
    uint32_t first = 0;
    for (func::FuncOp other : program.getEndings()) {
      if (other == ending)
        break;
      auto collectives = other.getOps<CollectiveOpInterface>();
      first += std::distance(collectives.begin(), collectives.end());
    }
    return first;
  }

  static bool isStaticAndContiguous(Type type) {
    if (auto memref = dyn_cast<MemRefType>(type))
      return memref.hasStaticShape() && rt::isDense(memref);
    auto shaped = dyn_cast<ShapedType>(type);
    return !shaped || shaped.hasStaticShape();
  }

  /// Passes count elements and bytes without a thought of overflow.
  static LogicalResult verifySize(Operation *op, Type type) {
    auto shaped = dyn_cast<ShapedType>(type);
    int64_t elements = 1;
    for (int64_t extent : shaped ? shaped.getShape() : ArrayRef<int64_t>())
      if (llvm::MulOverflow(elements, extent, elements) ||
          elements > kMaxElements)
        return op->emitOpError(
                   "expected values of at most 2^40 elements, found ")
               << type;
    return success();
  }

  /// What passes rely on: a straight line of code on tensors, later on memory
  /// that the function reaches through rt.buffer alone.
  LogicalResult verifyFunction(func::FuncOp function, Phase current) {
    if (!function.getBody().hasOneBlock())
      return function.emitOpError("expected one block of code");
    if (function->hasAttr(rt::kKernelAttrName))
      return success();
    for (Type type : llvm::concat<const Type>(function.getArgumentTypes(),
                                              function.getResultTypes())) {
      if (current >= Phase::Buffers)
        return function.emitOpError("takes or returns ")
               << type << " in phase '" << phase << "'";
      auto tensor = dyn_cast<RankedTensorType>(type);
      if (!tensor || !tensor.hasStaticShape())
        return function.emitOpError("expected tensors of static shape, found ")
               << type;
      if (failed(verifySize(function, type)))
        return failure();
    }
    return success();
  }

  /// Code is generated for, and scratch memory planned for, the machine named
  /// here: a text from another machine or by hand may name one that is not this
  /// one.
  LogicalResult verifyTarget(Operation *holder) {
    auto target = holder->getAttrOfType<rt::CpuTargetAttr>(kCpuTargetAttrName);
    if (!target)
      return holder->emitError("has no ")
             << kCpuTargetAttrName << " attribute, which phase '" << phase
             << "' needs";
    std::string error;
    std::optional<rt::CpuTargetAttr> known = resolveCpuTarget(
        &getContext(), target.getCpu(), target.getThreads(), error);
    if (!known)
      return holder->emitError(kCpuTargetAttrName) << ": " << error;
    // As programs of bf16 have it where this machine multiplies bf16.
    std::optional<rt::CpuTargetAttr> native =
        resolveCpuTarget(&getContext(), "native", target.getThreads(), error);
    bool isExtended =
        native && computesBFloat16("native") && target == withBFloat16(*native);
    if (*known != target && !isExtended)
      return holder->emitError(kCpuTargetAttrName)
             << ": expected " << *known << ", found " << target;
    return success();
  }

  /// A number of real samples from anywhere else would count padding.
  LogicalResult verifyValid(BatchReducingOpInterface op) {
    auto argument = dyn_cast<BlockArgument>(op.getValid());
    auto function = op->getParentOfType<func::FuncOp>();
    if (argument && function && argument.getOwner() == &function.front()) {
      rt::BindingAttr binding =
          rt::getArgumentBinding(function, argument.getArgNumber());
      if (binding && binding.getKind() == rt::BindingKind::Valid)
        return success();
    }
    return op->emitOpError(
        "reduces over the batch and must be given the function's own "
        "argument bound to #rt.binding<valid>");
  }

  LogicalResult verifyFunctions(train::ProgramOp program, Functions needed) {
    if (needed == Functions::None)
      return success();
    for (const train::ProgramFunction &entry : program.getFunctions()) {
      bool isMade = entry.role == BOOSTC_FUNCTION_INIT ||
                    entry.role == BOOSTC_FUNCTION_COMBINE;
      if (!entry.function && (needed == Functions::All || !isMade))
        return entry.user->emitOpError("has no function @")
               << entry.part << ", which phase '" << phase << "' needs";
      if (entry.function && failed(rt::verifyBindings(entry.function)))
        return failure();
    }
    return success();
  }

  LogicalResult verifyPrograms(Phase current, const PhaseRules &rules) {
    auto programs = llvm::to_vector(getOperation().getOps<train::ProgramOp>());
    // From phase buffers on there is one for each kind of device.
    size_t most = current >= Phase::Buffers ? BOOSTC_TARGET_COUNT : 1;
    if (current < Phase::Llvm && (programs.empty() || programs.size() > most))
      return getOperation().emitError("expected one train.program ")
             << (most > 1 ? "for each kind of device " : "") << "in phase '"
             << phase << "', found " << programs.size();
    if (programs.size() > 1 &&
        (getCudaTarget(programs[0]) || !getCudaTarget(programs[1])))
      return programs[1].emitError("expected the first train.program in phase "
                                   "'")
             << phase << "' to have " << kCpuTargetAttrName
             << " and the second " << kCudaTargetAttrName;
    for (train::ProgramOp program : programs) {
      if (failed(verifyFunctions(program, rules.functions)))
        return failure();
      // Later, functions have no arguments.
      train::SelectorOp selector = program.getSelector();
      if (selector && current < Phase::Buffers &&
          failed(selector.verifyBindings()))
        return failure();
      if (current < Phase::Buffers)
        for (auto variant : program.getOps<train::VariantOp>())
          if (failed(variant.verifyBindings()))
            return failure();
      bool isForGpus =
          getCudaTarget(program) && !program->hasAttr(kCpuTargetAttrName);
      if (current >= Phase::Buffers && getCudaTarget(program) && !isForGpus)
        return program.emitError("has both ")
               << kCpuTargetAttrName << " and " << kCudaTargetAttrName
               << "; from phase 'buffers' on a program is for one kind of "
                  "device";
      if (current >= Phase::Linalg && !isForGpus &&
          failed(verifyTarget(program)))
        return failure();
    }
    if (current != Phase::Llvm)
      return success();
    if (!getOperation().lookupSymbol<LLVM::LLVMFuncOp>(BOOSTC_QUERY_SYMBOL))
      return getOperation().emitError("has no function @")
             << BOOSTC_QUERY_SYMBOL << ", which phase '" << phase << "' needs";
    // A program for GPUs alone is compiled for any CPU.
    bool isForGpus = !getOperation().getOps<gpu::GPUModuleOp>().empty() &&
                     !getOperation()->hasAttr(kCpuTargetAttrName);
    return isForGpus ? success() : verifyTarget(getOperation());
  }

  /// By function, the number that its next collective has, or its next op that
  /// announces one.
  llvm::DenseMap<Operation *, uint32_t> numbers;
};

} // namespace
