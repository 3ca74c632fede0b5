#include "test/fuzz/CompilerFuzz.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace boostc;
using namespace boostc::fuzz;

/// Debian's LLVM and MLIR are built without sanitizers: docs/sanitizers.md. The
/// rest is for speed and less memory.
extern "C" const char *__asan_default_options() {
  return "detect_leaks=0:allow_user_poisoning=0:detect_container_overflow=0:"
         "detect_stack_use_after_return=0:malloc_context_size=8:"
         "quarantine_size_mb=32";
}

static std::unique_ptr<MLIRContext> context;

MLIRContext &fuzz::getContext() {
  constexpr unsigned kMaxInputs = 500;
  static unsigned inputs = 0;
  if (!context || ++inputs > kMaxInputs) {
    static const DialectRegistry registry = [] {
      DialectRegistry made;
      registerCompilerDialects(made);
      return made;
    }();
    context.reset(); // before the next one, for the memory
    context = std::make_unique<MLIRContext>(registry,
                                            MLIRContext::Threading::DISABLED);
    inputs = 0;
  }
  return *context;
}

void fuzz::abandonContext() { (void)context.release(); }

Reports::Reports(llvm::SourceMgr &sources, MLIRContext *context,
                 Positions positions)
    : sources(sources), positions(positions), stream(printed),
      printer(sources, context, stream, "fuzz", /*isColored=*/false),
      // Called first; what it does not keep goes on to the printer.
      counter(context, [this](Diagnostic &diagnostic) {
        count(diagnostic);
        return failure();
      }) {}

Reports::~Reports() {
  // A file may hold anything; a terminal is to see text.
  for (char c : printed)
    expect(!llvm::isPrint(c) ? c == '\n' || (c & 0x80) : true,
           "a diagnostic has a control character: " + printed);
}

void Reports::count(Diagnostic &diagnostic) {
  if (diagnostic.getSeverity() != DiagnosticSeverity::Error)
    return;
  ++numErrors;
  std::string text = diagnostic.str();
  expect(!text.empty(), "an error has no text");
  if (positions == Positions::Any)
    return;
  FileLineColLoc place = findPlace(diagnostic.getLocation());
  expect(bool(place), "an error has no position: " + text);
  for (unsigned id = 1; id <= sources.getNumBuffers(); ++id) {
    const llvm::MemoryBuffer *file = sources.getMemoryBuffer(id);
    if (file->getBufferIdentifier() != place.getFilename().getValue())
      continue;
    expect(place.getLine() >= 1 && place.getColumn() >= 1 &&
               place.getLine() <= file->getBuffer().count('\n') + 1,
           "an error is outside of its file: " + text);
    return;
  }
  fail("an error is in a file that was not read: " + text);
}

void Reports::judge(bool succeeded, StringRef what) {
  if (succeeded)
    expect(numErrors == 0, what.str() + " succeeds with errors: " + printed);
  else
    expect(numErrors > 0, what.str() + " fails without an error: " + printed);
}

static bool isSmallType(Type type) {
  constexpr int64_t kMaxElements = 1 << 16;
  auto shaped = dyn_cast<ShapedType>(type);
  return !shaped || !shaped.hasStaticShape() ||
         shaped.getNumElements() <= kMaxElements;
}

bool fuzz::isSmall(ModuleOp module) {
  constexpr int64_t kMaxOps = 500;
  int64_t ops = 0;
  WalkResult result = module.walk([&](Operation *op) {
    return ++ops <= kMaxOps && llvm::all_of(op->getResultTypes(), isSmallType)
               ? WalkResult::advance()
               : WalkResult::interrupt();
  });
  return !result.wasInterrupted();
}

bool fuzz::advance(ModuleOp module, Phase from, Phase to, Reports &reports) {
  PassManager manager(module.getContext());
  manager.enableVerifier(true);
  buildPipeline(manager, from, to, PhaseOptions());
  bool isDone = succeeded(manager.run(module));
  reports.judge(isDone, ("phase " + getPhaseName(to)).str());
  return isDone;
}
