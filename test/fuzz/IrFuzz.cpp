// Textual IR of the phases input to linalg: what parses and is IR of its phase
// goes on to phase linalg, and what a phase leaves is read again as the same.
// The first line may name the phase, "// backward"; without it it is input.

#include "mlir/Parser/Parser.h"
#include "test/fuzz/CompilerFuzz.h"
#include "test/fuzz/ParserGuard.h"

using namespace mlir;
using namespace boostc;
using namespace boostc::fuzz;

namespace {
Phase readPhase(StringRef text) {
  StringRef line = text.split('\n').first;
  if (line.consume_front("// "))
    for (const PhaseInfo &info : getPhases())
      if (info.name == line && info.phase <= Phase::Linalg)
        return info.phase;
  return Phase::Input;
}

/// As boostc reads IR; nothing where it is refused or MLIR's parser crashes.
OwningOpRef<ModuleOp> parse(MLIRContext &context, llvm::SourceMgr &sources,
                            StringRef text, Reports &reports) {
  sources.AddNewSourceBuffer(
      llvm::MemoryBuffer::getMemBufferCopy(text, "input.mlir"), llvm::SMLoc());
  OwningOpRef<ModuleOp> module = ModuleOp::create(UnknownLoc::get(&context));
  std::optional<LogicalResult> result =
      parseGuarded(sources, module->getBody(), ParserConfig(&context));
  if (!result) {
    (void)module.release();
    abandonContext();
    return {};
  }
  reports.judge(succeeded(*result), "parsing");
  if (failed(*result))
    return {};
  // A file with one module is that module.
  auto inner = module->getOps<ModuleOp>();
  if (!llvm::hasSingleElement(module->getBody()->getOperations()) ||
      inner.empty())
    return module;
  ModuleOp only = *inner.begin();
  only->remove();
  return only;
}

std::string print(ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  printModule(module, stream);
  return text;
}

/// Text that a phase leaves is read again.
void parseAgain(MLIRContext &context, StringRef text) {
  llvm::SourceMgr sources;
  Reports reports(sources, &context, Positions::Any);
  OwningOpRef<ModuleOp> module = parse(context, sources, text, reports);
  expect(module && print(*module) == text,
         "IR changes when it is printed and read again: " + text.str());
}
} // namespace

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  StringRef text(reinterpret_cast<const char *>(data), size);
  Phase from = readPhase(text);
  if (hasWrongIteratorType(text))
    return 0;
  MLIRContext &context = getContext();
  llvm::SourceMgr sources;
  Reports reports(sources, &context, Positions::Any);
  OwningOpRef<ModuleOp> module = parse(context, sources, text, reports);
  if (!module || !isSmall(*module))
    return 0;
  for (Phase to : {Phase::Step, Phase::Linalg}) {
    if (to < from)
      continue;
    if (!advance(*module, from, to, reports))
      return 0;
    parseAgain(context, print(*module));
    from = to;
  }
  return 0;
}
