#include "compiler/pipeline/Compiler.h"
#include "compiler/codegen/Codegen.h"
#include "compiler/frontend/Frontend.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace mlir;
using namespace boostc;

/// The whole of a file the command line names.
static std::unique_ptr<llvm::MemoryBuffer> readFile(MLIRContext &context,
                                                    StringRef path) {
  llvm::ErrorOr<std::unique_ptr<llvm::MemoryBuffer>> file =
      llvm::MemoryBuffer::getFileOrSTDIN(path);
  if (file)
    return std::move(*file);
  emitError(UnknownLoc::get(&context))
      << "cannot read '" << path << "': " << file.getError().message();
  return nullptr;
}

static CompileResult importJson(MLIRContext &context, llvm::SourceMgr &sources,
                                const CompileOptions &options,
                                OwningOpRef<ModuleOp> &module) {
  std::unique_ptr<llvm::MemoryBuffer> file = readFile(context, options.input);
  if (!file)
    return CompileResult::BadInput;
  FrontendOptions frontend;
  frontend.sets = options.sets;
  frontend.boosts = options.boosts;
  frontend.boostLevel = options.boostLevel;
  if (!options.boostConfig.empty()) {
    std::unique_ptr<llvm::MemoryBuffer> config =
        readFile(context, options.boostConfig);
    if (!config)
      return CompileResult::BadInput;
    frontend.boostConfig = {options.boostConfig, config->getBuffer().str()};
  }
  // The buffer lives as long as `sources`, which carets are printed from.
  StringRef text = file->getBuffer();
  sources.AddNewSourceBuffer(std::move(file), llvm::SMLoc());
  switch (
      importModel(context, sources, options.input, text, frontend, module)) {
  case FrontendStatus::Ok:
    return CompileResult::Ok;
  case FrontendStatus::BadModel:
    return CompileResult::BadInput;
  case FrontendStatus::BadUsage:
    return CompileResult::BadUsage;
  }
  llvm_unreachable("unknown frontend status");
}

static CompileResult parseIr(MLIRContext &context, llvm::SourceMgr &sources,
                             const CompileOptions &options,
                             OwningOpRef<ModuleOp> &module) {
  if (!options.sets.empty() || !options.boosts.empty() ||
      !options.boostConfig.empty() || options.boostLevel != 0) {
    emitError(UnknownLoc::get(&context))
        << "--set, --boost, --boost-config and -O work on a model file; '"
        << options.input << "' is IR";
    return CompileResult::BadUsage;
  }
  std::unique_ptr<llvm::MemoryBuffer> file = readFile(context, options.input);
  if (!file)
    return CompileResult::BadInput;
  sources.AddNewSourceBuffer(std::move(file), llvm::SMLoc());
  module = parseSourceFile<ModuleOp>(sources, ParserConfig(&context));
  return module ? CompileResult::Ok : CompileResult::BadInput;
}

/// A file that ends in .mlir is IR; so is everything read in a later phase.
static CompileResult readInput(MLIRContext &context, llvm::SourceMgr &sources,
                               const CompileOptions &options,
                               OwningOpRef<ModuleOp> &module) {
  if (options.from != Phase::Input ||
      StringRef(options.input).ends_with(".mlir"))
    return parseIr(context, sources, options, module);
  return importJson(context, sources, options, module);
}

/// Prints IR so that reading it back gives the same module.
static void printModule(ModuleOp module, SmallVectorImpl<char> &output) {
  llvm::raw_svector_ostream stream(output);
  OpPrintingFlags flags;
  flags.enableDebugInfo(/*enable=*/true, /*prettyForm=*/false);
  module->print(stream, flags);
  stream << "\n";
}

CompileResult boostc::compile(MLIRContext &context, llvm::SourceMgr &sources,
                              const CompileOptions &options,
                              SmallVectorImpl<char> &output) {
  OwningOpRef<ModuleOp> module;
  if (CompileResult result = readInput(context, sources, options, module);
      result != CompileResult::Ok)
    return result;

  PassManager manager(&context);
  manager.enableVerifier(true);
  if (options.configure && failed(options.configure(manager)))
    return CompileResult::BadUsage;
  bool wantsCode = options.emit == Emit::Asm || options.to > Phase::Llvm;
  buildPipeline(manager, options.from, wantsCode ? Phase::Llvm : options.to,
                options.phase);
  if (failed(manager.run(*module)))
    return CompileResult::BadInput;
  if (!wantsCode) {
    printModule(*module, output);
    return CompileResult::Ok;
  }

  SmallVector<char, 0> object;
  if (options.emit == Emit::Asm || options.to == Phase::Obj)
    return succeeded(emitMachineCode(*module,
                                     options.emit == Emit::Asm
                                         ? MachineCode::Assembly
                                         : MachineCode::Object,
                                     options.codegenLevel, output))
               ? CompileResult::Ok
               : CompileResult::Internal;
  if (failed(emitMachineCode(*module, MachineCode::Object, options.codegenLevel,
                             object)))
    return CompileResult::Internal;
  std::string error;
  if (!linkProgram(object, output, error)) {
    module->emitError(error);
    return CompileResult::Internal;
  }
  return CompileResult::Ok;
}
