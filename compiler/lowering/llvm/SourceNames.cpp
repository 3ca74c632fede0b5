#include "compiler/lowering/llvm/SourceNames.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Path.h"

using namespace mlir;
using namespace boostc;

/// A file without its folders: a program is the same from wherever it is
/// compiled. A flag of the command line is one as a whole.
static StringRef getSourceName(StringRef name) {
  return name.starts_with("--") ? name : llvm::sys::path::filename(name);
}

std::string boostc::formatLocation(Location loc) {
  std::string text = "unknown";
  loc->walk([&](Location inner) {
    auto file = dyn_cast<FileLineColLoc>(inner);
    if (!file)
      return WalkResult::advance();
    text = (getSourceName(file.getFilename()) + ":" +
            llvm::Twine(file.getLine()) + ":" + llvm::Twine(file.getColumn()))
               .str();
    return WalkResult::interrupt();
  });
  return text;
}

/// `role` is "backward of " inside of what autodiff fused, else empty.
static void collectLayers(Location loc, const std::string &role,
                          SmallVectorImpl<std::string> &names) {
  if (auto named = dyn_cast<NameLoc>(loc)) {
    std::string name = role + named.getName().str();
    if (!llvm::is_contained(names, name))
      names.push_back(std::move(name));
    return;
  }
  if (auto fused = dyn_cast<FusedLoc>(loc)) {
    auto text = dyn_cast_or_null<StringAttr>(fused.getMetadata());
    for (Location inner : fused.getLocations())
      collectLayers(inner, text ? (text.getValue() + " ").str() : role, names);
  }
}

std::string boostc::formatLayers(Location loc) {
  constexpr size_t shown = 4;
  SmallVector<std::string> names;
  collectLayers(loc, "", names);
  std::string text = llvm::join(ArrayRef(names).take_front(shown), ", ");
  if (names.size() > shown)
    text.append(" and ")
        .append(std::to_string(names.size() - shown))
        .append(" more");
  return text;
}

BufferNames::BufferNames(train::ProgramOp program) {
  for (auto slot : program.getOps<rt::SlotOp>())
    bindings[{slot.getArena(), slot.getOffset()}] = slot.getBinding();
}

std::string BufferNames::lookup(rt::BufferOp buffer) const {
  // A second operand set of combine has the offsets of the first.
  bool isOther = buffer.getArena() == rt::Arena::GradientOther;
  auto arena = isOther ? rt::Arena::Gradient : buffer.getArena();
  if (rt::BindingAttr binding = bindings.lookup({arena, buffer.getOffset()})) {
    std::string name = isOther ? "other " : "";
    name += rt::stringifyBindingKind(binding.getKind());
    std::replace(name.begin(), name.end(), '_', ' ');
    if (!binding.getName().empty())
      name.append(" ").append(binding.getName());
    return name;
  }
  std::string layers = formatLayers(buffer.getLoc());
  return layers.empty() ? "buffer" : "buffer of " + layers;
}
