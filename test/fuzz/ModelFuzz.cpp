// Model files with overlays, --set, --boost and a boost configuration: the
// frontend makes a module that verifies, or says at a position why not; what it
// makes of small models goes through the phases up to `step`.
//
// An input is the text of the model, and then parts that begin with a line of
// their own: "%overlay TEXT", "%set PATH=VALUE", "%boost KEY=VALUE",
// "%config TEXT", "%O1", "%O2", "%bf16", "%f16".

#include "compiler/frontend/Frontend.h"
#include "mlir/IR/Verifier.h"
#include "test/fuzz/CompilerFuzz.h"

using namespace mlir;
using namespace boostc;
using namespace boostc::fuzz;

namespace {
void readPart(StringRef part, FrontendOptions &options) {
  auto [word, text] = part.split(' ');
  if (word == "overlay")
    options.overlays.push_back(
        {"overlay-" + std::to_string(options.overlays.size()), text.str()});
  else if (word == "set")
    options.sets.push_back(text.str());
  else if (word == "boost")
    options.boosts.push_back(text.str());
  else if (word == "config")
    options.boostConfig = {"boost.json", text.str()};
  else if (word == "O1" || word == "O2")
    options.boostLevel = word == "O1" ? 1 : 2;
  else if (word == "bf16")
    options.hasBFloat16 = true;
  else if (word == "f16")
    options.hasFloat16 = true;
}
} // namespace

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  auto [model, rest] =
      StringRef(reinterpret_cast<const char *>(data), size).split("\n%");
  FrontendOptions options;
  while (!rest.empty()) {
    auto [part, next] = rest.split("\n%");
    readPart(part, options);
    rest = next;
  }
  MLIRContext &context = getContext();
  llvm::SourceMgr sources;
  Reports reports(sources, &context, Positions::Known);
  OwningOpRef<ModuleOp> module;
  FrontendStatus status =
      importModel(context, sources, "model.json", model, options, module);
  bool isRead = status == FrontendStatus::Ok;
  expect(isRead == bool(module), "a refused model is made, or one that is "
                                 "accepted is not");
  reports.judge(isRead, "reading");
  if (!isRead)
    return 0;
  expect(succeeded(verify(*module)), "the frontend's module does not verify");
  if (isSmall(*module))
    advance(*module, Phase::Input, Phase::Step, reports);
  return 0;
}
