// boost-interpret - runs a function of textual IR in double precision.
//
//   boost-interpret FILE [--function=main] [--print] [--ranks=N]
//   boost-interpret FILE --compare-after=PIPELINE [--tolerance=1e-6]
//
// Arguments are drawn (RandomArguments.h), for each of several ranks others;
// the ranks meet in the function's collectives. It fails when an op fails, a
// check op among them. With --compare-after the function is run, the module
// goes through the passes, the function is run again, and the results must
// agree: IR before = IR after, executed. The tolerance of a result is relative
// to its largest element.

#include "compiler/pipeline/Phases.h"
#include "compiler/reference/Compare.h"
#include "compiler/reference/Interpreter.h"
#include "compiler/reference/RandomArguments.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Support/FileUtilities.h"
#include "tools/boost-opt/Registration.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/ToolOutputFile.h"

using namespace mlir;
using namespace boostc;
namespace cl = llvm::cl;

namespace {
struct Options {
  cl::opt<std::string> file{cl::Positional, cl::desc("<file>"), cl::init("-")};
  cl::opt<std::string> function{"function", cl::init("main"),
                                cl::desc("Function to run, at any depth")};
  cl::opt<bool> print{"print", cl::desc("Print the results")};
  cl::opt<unsigned> ranks{"ranks", cl::init(1),
                          cl::desc("Ranks that run the function together")};
  cl::opt<std::string> pipeline{
      "compare-after",
      cl::desc(
          "Pipeline, builtin.module(...), that must not change the results")};
  cl::opt<double> tolerance{"tolerance", cl::init(1e-6),
                            cl::desc("Relative difference that passes")};
};
using Results = SmallVector<ReferenceValue>;
} // namespace

/// The function to run; passes may have replaced it since the last time.
static FailureOr<func::FuncOp> find(ModuleOp module, StringRef name) {
  func::FuncOp found;
  module.walk([&](func::FuncOp function) {
    if (!found && function.getName() == name)
      found = function;
  });
  if (!found)
    return emitError(module.getLoc())
           << "no function '" << name << "' in the file";
  return found;
}

/// The results for all argument lists, one after the other, each of all ranks.
static FailureOr<Results> run(ModuleOp module, const Options &options) {
  FailureOr<func::FuncOp> function = find(module, options.function);
  if (failed(function))
    return failure();
  std::vector<std::vector<RankValues>> lists; // each by rank
  for (unsigned rank = 0; rank < options.ranks; ++rank) {
    auto drawn = randomArguments(*function, rank);
    if (failed(drawn))
      return failure();
    lists.resize(drawn->size());
    for (auto [list, arguments] : llvm::zip_equal(lists, *drawn))
      list.push_back(arguments);
  }
  Results results;
  for (ArrayRef<RankValues> arguments : lists) {
    std::vector<RankValues> ofRanks;
    if (failed(Interpreter::interpretOnRanks(*function, arguments, ofRanks)))
      return failure();
    for (const RankValues &values : ofRanks)
      llvm::append_range(results, values);
  }
  return results;
}

static void print(const Results &results) {
  for (const ReferenceValue &result : results) {
    llvm::outs() << "[";
    llvm::interleave(result.shape, llvm::outs(), "x");
    llvm::outs() << "]";
    for (double element : result.data)
      llvm::outs() << llvm::format(" %.17g", element);
    llvm::outs() << "\n";
  }
}

static LogicalResult runFile(const Options &options) {
  DialectRegistry registry;
  registerCompilerDialects(registry);
  registerReferenceExternalModels(registry);
  registerPasses();
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);

  std::string message;
  std::unique_ptr<llvm::MemoryBuffer> buffer =
      openInputFile(options.file, &message);
  if (!buffer) {
    llvm::errs() << message << "\n";
    return failure();
  }
  llvm::SourceMgr sources;
  sources.AddNewSourceBuffer(std::move(buffer), llvm::SMLoc());
  context.printOpOnDiagnostic(false);
  SourceMgrDiagnosticHandler handler(sources, &context);
  OwningOpRef<ModuleOp> module = parseSourceFile<ModuleOp>(sources, &context);
  if (!module)
    return failure();

  FailureOr<Results> before = run(*module, options);
  if (failed(before))
    return failure();
  if (options.print)
    print(*before);
  if (options.pipeline.empty())
    return success();
  FailureOr<OpPassManager> pipeline = parsePassPipeline(options.pipeline);
  if (failed(pipeline))
    return failure();
  PassManager passes(&context, ModuleOp::getOperationName());
  if (pipeline->getOpAnchorName() != passes.getOpAnchorName())
    return emitError(module->getLoc())
           << "expected a pipeline builtin.module(...)";
  static_cast<OpPassManager &>(passes) = std::move(*pipeline);
  OperationFingerPrint unchanged(*module);
  if (failed(passes.run(*module)))
    return failure();
  if (OperationFingerPrint(*module) == unchanged)
    return emitError(module->getLoc())
           << "the passes change nothing, so there is nothing to compare; "
              "expected what the pipeline is for, such as a train.program";
  FailureOr<Results> after = run(*module, options);
  if (failed(after))
    return failure();
  std::string difference = findDifference(*before, *after, options.tolerance);
  if (difference.empty())
    return success();
  return find(*module, options.function)
             ->emitError("the passes change the results; ")
         << difference;
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  Options options;
  cl::ParseCommandLineOptions(argc, argv, "interpreter of boostc's IR\n");
  if (options.ranks == 0)
    return options.ranks.error("expected 1 or more, found 0; without the "
                               "option it is 1");
  return failed(runFile(options));
}
