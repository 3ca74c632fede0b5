#include "compiler/pipeline/Compiler.h"
#include "compiler/codegen/Codegen.h"
#include "compiler/lowering/target/CpuTarget.h"
#include "compiler/lowering/target/CudaTarget.h"
#include "compiler/pipeline/MemoryBudget.h"
#include "compiler/pipeline/ReadInput.h"
#include "compiler/report/MemoryUse.h"
#include "compiler/report/Report.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"

using namespace mlir;
using namespace boostc;

/// Every phase ends with a verifier; debug builds verify after each pass, too.
#ifdef NDEBUG
static constexpr bool kVerifiesEachPass = false;
#else
static constexpr bool kVerifiesEachPass = true;
#endif

/// Runs the phases after `from` up to `to`.
static LogicalResult advance(ModuleOp module, Phase from, Phase to,
                             const CompileOptions &options) {
  PassManager manager(module.getContext());
  manager.enableVerifier(kVerifiesEachPass);
  if (options.configure && failed(options.configure(manager)))
    return failure();
  buildPipeline(manager, from, to, options.phase);
  return manager.run(module);
}

static train::ProgramOp getProgram(ModuleOp module) {
  return *module.getOps<train::ProgramOp>().begin();
}

/// Runs the phases after `from`, that of `input`, up to `buffers`, within the
/// memory budget if there is one, which `choice` then tells of.
static LogicalResult planMemory(MLIRContext &context, llvm::SourceMgr &sources,
                                CompilerInput &input, Phase from,
                                const CompileOptions &options,
                                std::optional<report::BudgetChoice> &choice) {
  if (!options.memoryBudget)
    return advance(*input.module, from, Phase::Buffers, options);
  uint64_t budget = *options.memoryBudget;
  if (from >= Phase::Buffers) {
    if (failed(advance(*input.module, from, Phase::Buffers, options)))
      return failure();
    return report::checkMemoryBudget(
        report::getLargestProgram(*input.module, options.job), budget,
        options.job,
        "and what is compiled from an earlier phase may need less");
  }
  BudgetRequest request;
  request.bytes = budget;
  request.job = options.job;
  request.microBatches = input.microBatches;
  int64_t given = getProgram(*input.module).getBatchSize();
  if (request.microBatches.sizes.empty()) {
    request.microBatches.batchSize = given;
    request.microBatches.sizes = {given};
  }
  request.lower = [&](int64_t size) -> FailureOr<OwningOpRef<ModuleOp>> {
    OwningOpRef<ModuleOp> module;
    Phase phase = from;
    bool isFirst = size == request.microBatches.sizes.front();
    if (size != given) {
      auto again = importAgain(context, sources, options, input, size);
      if (failed(again) && isFirst) // again, for the errors
        again = importAgain(context, sources, options, input, size,
                            /*isQuiet=*/false);
      if (failed(again))
        return failure();
      module = std::move(*again);
      phase = Phase::Input;
    } else {
      module = input.module->clone();
    }
    // What passes say of the first they would say of all.
    std::optional<ScopedDiagnosticHandler> quiet;
    if (!isFirst)
      beQuiet(context, quiet);
    if (failed(advance(*module, phase, Phase::Linalg, options)))
      return failure();
    return module;
  };
  request.plan = [&](ModuleOp planned, uint64_t maxRecomputed) {
    CompileOptions decided = options;
    decided.phase.maxRecomputed = maxRecomputed;
    return advance(planned, Phase::Linalg, Phase::Buffers, decided);
  };
  FailureOr<BudgetedPlan> plan = planWithinBudget(request);
  if (failed(plan))
    return failure();
  input.module = std::move(plan->module);
  choice = plan->choice;
  return success();
}

/// The features of the CPU that `module` is compiled for: of its program for
/// CPUs, if it has one already, else as the options say.
static std::string getCpuFeatures(ModuleOp module,
                                  const CompileOptions &options) {
  for (auto program : module.getOps<train::ProgramOp>())
    if (auto target =
            program->getAttrOfType<rt::CpuTargetAttr>(kCpuTargetAttrName))
      return target.getFeatures().str();
  std::string error;
  std::optional<rt::CpuTargetAttr> target = resolveCpuTarget(
      module.getContext(), options.phase.cpu, options.phase.threads, error);
  // The pass that sets the target reports a CPU that does not exist.
  return target ? target->getFeatures().str() : std::string();
}

/// Layers, from a module in phase `input`, and what they cost, which leads it
/// to phase `step`.
static LogicalResult explainLayers(ModuleOp module,
                                   const CompileOptions &options,
                                   report::Explanation &explanation) {
  explanation.layers = report::collectLayers(getProgram(module));
  if (failed(advance(module, Phase::Input, Phase::Step, options)))
    return failure();
  explanation.rest =
      report::addStepCosts(getProgram(module), explanation.layers);
  explanation.preconditioned =
      report::collectPreconditioned(getProgram(module));
  return success();
}

/// The same for the micro-batches that the memory budget has led to.
static LogicalResult explainChoice(MLIRContext &context,
                                   llvm::SourceMgr &sources,
                                   const CompileOptions &options,
                                   const CompilerInput &input,
                                   report::Explanation &explanation) {
  const report::BudgetChoice &choice = *explanation.choice;
  bool isLargest = choice.microBatch == choice.largestMicroBatch;
  for (report::Decision &decision : explanation.decisions)
    if (decision.name == "grad_accumulation" && !decision.isOn)
      decision = {decision.name, true,
                  isLargest ? "train.micro_batch.max divides batches"
                            : "the memory budget divides batches"};
  auto module =
      importAgain(context, sources, options, input, choice.microBatch);
  if (failed(module))
    return failure();
  std::optional<ScopedDiagnosticHandler> quiet;
  beQuiet(context, quiet);
  return explainLayers(**module, options, explanation);
}

/// The report on a module in phase `input`.
static CompileResult printReport(MLIRContext &context, llvm::SourceMgr &sources,
                                 CompilerInput &input,
                                 const CompileOptions &options,
                                 llvm::raw_ostream &os) {
  // Verifies the phase: IR may come from anywhere.
  if (failed(advance(*input.module, Phase::Input, Phase::Input, options)))
    return CompileResult::BadInput;
  train::ProgramOp program = getProgram(*input.module);
  if (options.report == Report::Summary) {
    report::printSummary(program, os);
    return CompileResult::Ok;
  }
  int64_t given = program.getBatchSize();
  report::Explanation explanation;
  explanation.samples = options.samples;
  explanation.job = options.job;
  for (const BoostDecision &decision : input.decisions)
    explanation.decisions.push_back(
        {decision.name, decision.isOn, decision.reason});
  if (failed(explainLayers(*input.module, options, explanation)) ||
      failed(planMemory(context, sources, input, Phase::Step, options,
                        explanation.choice)))
    return CompileResult::BadInput;
  if (explanation.choice && explanation.choice->microBatch != given &&
      failed(explainChoice(context, sources, options, input, explanation)))
    return CompileResult::BadInput;
  std::vector<report::TargetPlan> plans;
  for (auto planned : input.module->getOps<train::ProgramOp>())
    plans.push_back({getCudaTarget(planned) ? "cuda" : "cpu", planned});
  report::printExplanation(plans, explanation, os);
  return CompileResult::Ok;
}

/// One compilation, with all decisions made.
static CompileResult compileOnce(MLIRContext &context, llvm::SourceMgr &sources,
                                 const CompileOptions &options,
                                 SmallVectorImpl<char> &output) {
  llvm::raw_svector_ostream stream(output);
  if (options.report == Report::Ops) {
    report::printOps(context, stream);
    return CompileResult::Ok;
  }
  CompilerInput input;
  if (CompileResult result = readInput(context, sources, options, input);
      result != CompileResult::Ok)
    return result;
  OwningOpRef<ModuleOp> &module = input.module;
  if (options.limitLibrary)
    options.limitLibrary(getCpuFeatures(*module, options));
  if (options.report != Report::None)
    return printReport(context, sources, input, options, stream);

  bool wantsCode = options.emit != Emit::Phase || options.to > Phase::Llvm;
  Phase from = options.from, to = wantsCode ? Phase::Llvm : options.to;
  if (options.memoryBudget) {
    std::optional<report::BudgetChoice> choice;
    if (failed(planMemory(context, sources, input, from, options, choice)))
      return CompileResult::BadInput;
    from = Phase::Buffers;
  }
  PassManager manager(&context);
  manager.enableVerifier(kVerifiesEachPass);
  if (options.configure && failed(options.configure(manager)))
    return CompileResult::BadUsage;
  buildPipeline(manager, from, to, options.phase);
  if (failed(manager.run(*module)))
    return CompileResult::BadInput;
  if (!wantsCode) {
    llvm::raw_svector_ostream stream(output);
    printModule(*module, stream);
    return CompileResult::Ok;
  }

  if (options.emit == Emit::Ptx) {
    bool hasKernels = !module->getOps<gpu::GPUModuleOp>().empty();
    return succeeded(emitPtx(*module, options.codegenLevel, output))
               ? CompileResult::Ok
           : hasKernels ? CompileResult::Internal
                        : CompileResult::BadUsage;
  }
  bool lacksSpace = false;
  auto emit = [&] {
    if (options.emit == Emit::Asm)
      return emitMachineCode(*module, MachineCode::Assembly,
                             options.codegenLevel, output, options.ptxas);
    if (options.to == Phase::Obj)
      return emitMachineCode(*module, MachineCode::Object, options.codegenLevel,
                             output, options.ptxas);
    return emitProgram(*module, options.codegenLevel, output, options.ptxas,
                       &lacksSpace);
  };
  return succeeded(emit()) ? CompileResult::Ok
         : lacksSpace      ? CompileResult::BadUsage
                           : CompileResult::Internal;
}

/// compileOnce(), and a message where a pass has failed without one: the fault
/// is then not in the input.
static CompileResult compileWith(MLIRContext &context, llvm::SourceMgr &sources,
                                 const CompileOptions &options,
                                 SmallVectorImpl<char> &output) {
  bool isExplained = false;
  CompileResult result;
  {
    ScopedDiagnosticHandler watch(&context, [&](Diagnostic &diagnostic) {
      isExplained |= diagnostic.getSeverity() == DiagnosticSeverity::Error;
      return failure(); // the handlers before this one go on
    });
    result = compileOnce(context, sources, options, output);
  }
  if (result != CompileResult::BadInput || isExplained)
    return result;
  emitError(FileLineColLoc::get(&context, options.input, 1, 1))
      << "internal error: a pass failed and did not say why; please report it "
         "with the input file";
  return CompileResult::Internal;
}

CompileResult boostc::compile(MLIRContext &context, llvm::SourceMgr &sources,
                              const CompileOptions &options,
                              SmallVectorImpl<char> &output,
                              std::optional<std::string> *tuned) {
  if (options.tuning.file.empty())
    return compileWith(context, sources, options, output);
  std::string error;
  std::optional<rt::CpuTargetAttr> target = resolveCpuTarget(
      &context, options.phase.cpu, options.phase.threads, error);
  if (!target) {
    emitError(UnknownLoc::get(&context)) << error;
    return CompileResult::BadUsage;
  }
  std::unique_ptr<Tuning> tuning = Tuning::create(
      &context, sources, options.tuning, *target, options.codegenLevel);
  if (!tuning)
    return CompileResult::BadInput;
  CompileOptions decided = options;
  decided.phase.chooseContraction = tuning->getChooser();
  CompileResult result = compileWith(context, sources, decided, output);
  if (result == CompileResult::Ok && tuned)
    *tuned = tuning->getNewText();
  return result;
}
