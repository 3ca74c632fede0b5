// boost-import - a model file to IR in phase `input`: the frontend alone, for
// its tests.
#include "compiler/frontend/DiagnosticPrinter.h"
#include "compiler/frontend/Frontend.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/ToolOutputFile.h"

using namespace llvm;

static cl::list<std::string>
    inputs(cl::Positional, cl::OneOrMore,
           cl::desc("<model.json, - is stdin; with several, only errors are "
                    "printed, those of each after its name>"));
static cl::list<std::string> overlays("overlay",
                                      cl::desc("File over the model file"));
static cl::list<std::string> sets("set",
                                  cl::desc("PATH=VALUE over the model file"));
static cl::list<std::string> boosts("boost", cl::desc("[SECTION.]KEY=VALUE"));
static cl::opt<std::string> boostConfig("boost-config",
                                        cl::desc("File of boosts"));
static cl::opt<unsigned> level("O", cl::Prefix, cl::desc("Boost level"),
                               cl::init(0));
static cl::opt<bool>
    locations("locations",
              cl::desc("Print the location of every operation instead"));
static cl::opt<bool>
    everyPrefix("every-prefix",
                cl::desc("Import every prefix of the file and fail if one is "
                         "accepted or is refused "
                         "without a message; prints the number refused"));

/// Prints why a model is refused, after its name.
static boostc::FrontendStatus
importForErrors(const std::string &name, StringRef text,
                const boostc::FrontendOptions &options) {
  errs() << "--- " << name << "\n";
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  SourceMgr sources;
  boostc::DiagnosticPrinter handler(sources, &context, errs(), "boost-import",
                                    /*isColored=*/false);
  mlir::OwningOpRef<mlir::ModuleOp> module;
  return boostc::importModel(context, sources, name, text, options, module);
}

/// The truncation test: one process for all prefixes, because a process for
/// each would take minutes.
static int importPrefixes(mlir::MLIRContext &context, StringRef text) {
  size_t complete = text.rtrim().size(), refused = 0;
  unsigned messages = 0;
  mlir::ScopedDiagnosticHandler handler(&context, [&](mlir::Diagnostic &) {
    ++messages;
    return mlir::success();
  });
  for (size_t length = 0; length < complete; ++length) {
    SourceMgr sources;
    mlir::OwningOpRef<mlir::ModuleOp> module;
    messages = 0;
    auto status = boostc::importModel(context, sources, "prefix",
                                      text.take_front(length), {}, module);
    if (status != boostc::FrontendStatus::BadModel || messages == 0) {
      errs() << "the first " << length << " bytes are not refused\n";
      return 1;
    }
    ++refused;
  }
  outs() << refused << " prefixes refused\n";
  return 0;
}

/// Prints the IR of a model, or what is wanted instead.
static int importOne(const std::string &input, StringRef text,
                     const boostc::FrontendOptions &options) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  if (everyPrefix)
    return importPrefixes(context, text);
  SourceMgr sources;
  boostc::DiagnosticPrinter handler(sources, &context, errs(), "boost-import",
                                    /*isColored=*/false);
  mlir::OwningOpRef<mlir::ModuleOp> module;
  switch (boostc::importModel(context, sources, input, text, options, module)) {
  case boostc::FrontendStatus::BadModel:
    return 1;
  case boostc::FrontendStatus::BadUsage:
    return 2;
  case boostc::FrontendStatus::Ok:
    break;
  }
  if (locations) {
    module->walk<mlir::WalkOrder::PreOrder>([](mlir::Operation *op) {
      outs() << op->getName() << " " << op->getLoc() << "\n";
    });
    return 0;
  }
  module->print(outs());
  outs() << "\n";
  return 0;
}

int main(int argc, char **argv) {
  InitLLVM init(argc, argv);
  cl::ParseCommandLineOptions(argc, argv,
                              "model file to IR in phase `input`\n");
  boostc::FrontendOptions options{
      .sets = sets, .boostLevel = int(unsigned(level)), .boosts = boosts};
  auto read = [](const std::string &name)
      -> std::optional<boostc::FrontendOptions::File> {
    auto file = MemoryBuffer::getFile(name);
    if (file)
      return boostc::FrontendOptions::File{name, (*file)->getBuffer().str()};
    errs() << "boost-import: cannot read '" << name
           << "': " << file.getError().message() << "\n";
    return std::nullopt;
  };
  for (const std::string &name : overlays) {
    auto overlay = read(name);
    if (!overlay)
      return 1;
    options.overlays.push_back(*overlay);
  }
  if (!boostConfig.empty() && !(options.boostConfig = read(boostConfig)))
    return 1;

  for (const std::string &input : inputs) {
    auto file = MemoryBuffer::getFileOrSTDIN(input);
    if (!file) {
      errs() << "boost-import: cannot read '" << input
             << "': " << file.getError().message() << "\n";
      return 1;
    }
    if (inputs.size() == 1)
      return importOne(input, (*file)->getBuffer(), options);
    if (importForErrors(input, (*file)->getBuffer(), options) ==
        boostc::FrontendStatus::BadUsage)
      return 2;
  }
  return 0;
}
