#include "compiler/pipeline/ReadInput.h"
#include "compiler/lowering/target/CpuTarget.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SmallVectorMemoryBuffer.h"
#include <system_error>

using namespace mlir;
using namespace boostc;

/// What is read of a pipe or a device, which may have no end.
static constexpr size_t kMaxStreamBytes = size_t{256} << 20;

static llvm::ErrorOr<std::unique_ptr<llvm::MemoryBuffer>>
readStream(llvm::sys::fs::file_t file, StringRef name) {
  SmallVector<char, 0> bytes;
  for (size_t size = 0; size <= kMaxStreamBytes;) {
    bytes.resize_for_overwrite(size + (1 << 16));
    llvm::Expected<size_t> count = llvm::sys::fs::readNativeFile(
        file, MutableArrayRef(bytes).drop_front(size));
    if (!count)
      return llvm::errorToErrorCode(count.takeError());
    size += *count;
    if (*count == 0) {
      bytes.truncate(size);
      return std::make_unique<llvm::SmallVectorMemoryBuffer>(std::move(bytes),
                                                             name);
    }
  }
  return std::make_error_code(std::errc::file_too_large);
}

static llvm::ErrorOr<std::unique_ptr<llvm::MemoryBuffer>>
openInput(StringRef path) {
  if (path == "-")
    return readStream(llvm::sys::fs::getStdinHandle(), "<stdin>");
  llvm::Expected<llvm::sys::fs::file_t> file =
      llvm::sys::fs::openNativeFileForRead(path);
  if (!file)
    return llvm::errorToErrorCode(file.takeError());
  llvm::scope_exit close([&] { llvm::sys::fs::closeFile(*file); });
  llvm::sys::fs::file_status status;
  if (std::error_code error = llvm::sys::fs::status(*file, status))
    return error;
  if (llvm::sys::fs::is_regular_file(status))
    return llvm::MemoryBuffer::getOpenFile(*file, path, status.getSize());
  return readStream(*file, path);
}

std::unique_ptr<llvm::MemoryBuffer> boostc::readFile(MLIRContext &context,
                                                     StringRef path) {
  llvm::ErrorOr<std::unique_ptr<llvm::MemoryBuffer>> file = openInput(path);
  if (file)
    return std::move(*file);
  emitError(UnknownLoc::get(&context))
      << "cannot read '" << path << "': " << file.getError().message();
  return nullptr;
}

/// Reports a compiled program, which is not text.
static bool isText(MLIRContext &context, StringRef path, StringRef text) {
  if (!text.starts_with("\x7f"
                        "ELF"))
    return true;
  emitError(UnknownLoc::get(&context))
      << "'" << path << "' is a compiled program, not a model file; train it "
      << "with boost-run '" << path << "'";
  return false;
}

/// Explains which flag IR needs where a model file is expected.
static bool isModelText(MLIRContext &context, StringRef path, StringRef text) {
  if (!isText(context, path, text))
    return false;
  StringRef start = text.ltrim();
  bool isAttribute =
      start.size() > 1 && start[0] == '#' && llvm::isAlpha(start[1]);
  bool isIr = isAttribute || start.starts_with("module") ||
              start.starts_with("train.program") || start.starts_with("{-#");
  if (!isIr)
    return true;
  emitError(FileLineColLoc::get(&context, path, 1, 1))
      << "this is IR, and a model file, JSON, was expected; name IR *.mlir, or "
         "say its phase with --compile-from";
  return false;
}

/// The same for a model file where IR is expected.
static bool isIrText(MLIRContext &context, const CompileOptions &options,
                     StringRef text) {
  if (!isText(context, options.input, text))
    return false;
  StringRef start = text.ltrim();
  if (!start.starts_with("{") || start.starts_with("{-#"))
    return true;
  emitError(FileLineColLoc::get(&context, options.input, 1, 1))
      << "this is JSON, as of a model file, and IR of phase "
      << getPhaseName(options.from)
      << (options.from == Phase::Input
              ? " was expected in a file named *.mlir"
              : " was expected; a model file needs no --compile-from");
  return false;
}

static FrontendStatus importModelFile(MLIRContext &context,
                                      llvm::SourceMgr &sources,
                                      const CompileOptions &options,
                                      CompilerInput &input) {
  return importModel(context, sources, options.input, input.text,
                     input.frontend, input.module, &input.decisions,
                     &input.microBatches);
}

static CompileResult importJson(MLIRContext &context, llvm::SourceMgr &sources,
                                const CompileOptions &options,
                                CompilerInput &input) {
  std::unique_ptr<llvm::MemoryBuffer> file = readFile(context, options.input);
  if (!file)
    return CompileResult::BadInput;
  if (!isModelText(context, options.input, file->getBuffer()))
    return CompileResult::BadInput;
  FrontendOptions &frontend = input.frontend;
  for (const std::string &overlay : options.overlays) {
    std::unique_ptr<llvm::MemoryBuffer> text = readFile(context, overlay);
    if (!text)
      return CompileResult::BadInput;
    frontend.overlays.push_back({overlay, text->getBuffer().str()});
  }
  frontend.sets = options.sets;
  frontend.boosts = options.boosts;
  frontend.boostLevel = options.boostLevel;
  // All GPUs have both.
  frontend.hasBFloat16 =
      !options.phase.forCpu || computesBFloat16(options.phase.cpu);
  frontend.hasFloat16 = !options.phase.forCpu;
  if (!options.boostConfig.empty()) {
    std::unique_ptr<llvm::MemoryBuffer> config =
        readFile(context, options.boostConfig);
    if (!config)
      return CompileResult::BadInput;
    frontend.boostConfig = {options.boostConfig, config->getBuffer().str()};
  }
  input.text = file->getBuffer().str();
  sources.AddNewSourceBuffer(std::move(file), llvm::SMLoc());
  switch (importModelFile(context, sources, options, input)) {
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
  if (!options.overlays.empty() || !options.sets.empty() ||
      !options.boosts.empty() || !options.boostConfig.empty() ||
      options.boostLevel != 0) {
    emitError(UnknownLoc::get(&context))
        << "--overlay, --set, --boost, --boost-config and -O work on a model "
           "file; '"
        << options.input << "' is IR";
    return CompileResult::BadUsage;
  }
  std::unique_ptr<llvm::MemoryBuffer> file = readFile(context, options.input);
  if (!file)
    return CompileResult::BadInput;
  if (!isIrText(context, options, file->getBuffer()))
    return CompileResult::BadInput;
  sources.AddNewSourceBuffer(std::move(file), llvm::SMLoc());
  module = parseSourceFile<ModuleOp>(sources, ParserConfig(&context));
  return module ? CompileResult::Ok : CompileResult::BadInput;
}

/// Reads IR or a model file, as the name and the phase say.
static CompileResult readFileOf(MLIRContext &context, llvm::SourceMgr &sources,
                                const CompileOptions &options,
                                CompilerInput &input) {
  if (options.from != Phase::Input ||
      StringRef(options.input).ends_with(".mlir"))
    return parseIr(context, sources, options, input.module);
  return importJson(context, sources, options, input);
}

/// Says in the IR what its bits may depend on.
static void setReproducible(ModuleOp module, rt::Reproducibility level) {
  for (auto program : module.getOps<train::ProgramOp>())
    if (level == rt::Reproducibility::On)
      program->removeAttr(rt::kReproducibleAttrName);
    else
      program->setAttr(rt::kReproducibleAttrName,
                       rt::ReproducibleAttr::get(module.getContext(), level));
}

CompileResult boostc::readInput(MLIRContext &context, llvm::SourceMgr &sources,
                                const CompileOptions &options,
                                CompilerInput &input) {
  CompileResult result = readFileOf(context, sources, options, input);
  if (result == CompileResult::Ok && options.reproducible)
    setReproducible(*input.module, *options.reproducible);
  return result;
}

void boostc::beQuiet(MLIRContext &context,
                     std::optional<ScopedDiagnosticHandler> &quiet) {
  quiet.emplace(&context, [](Diagnostic &) { return success(); });
}

FailureOr<OwningOpRef<ModuleOp>>
boostc::importAgain(MLIRContext &context, llvm::SourceMgr &sources,
                    const CompileOptions &options, const CompilerInput &input,
                    int64_t microBatch, bool isQuiet) {
  std::optional<ScopedDiagnosticHandler> quiet;
  if (isQuiet)
    beQuiet(context, quiet);
  CompilerInput again;
  again.frontend = input.frontend;
  again.frontend.microBatch = microBatch;
  again.text = input.text;
  if (importModelFile(context, sources, options, again) != FrontendStatus::Ok)
    return failure();
  if (options.reproducible)
    setReproducible(*again.module, *options.reproducible);
  return std::move(again.module);
}
