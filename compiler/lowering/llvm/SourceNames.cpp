#include "compiler/lowering/llvm/SourceNames.h"
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

/// `role` is that of the locations around.
static void collectLayers(Location loc, StringRef role,
                          SmallVectorImpl<NamedLayer> &layers) {
  if (auto named = dyn_cast<NameLoc>(loc)) {
    NamedLayer layer{named.getName().getValue(), role};
    if (!llvm::is_contained(layers, layer))
      layers.push_back(layer);
    return;
  }
  if (auto fused = dyn_cast<FusedLoc>(loc)) {
    auto text = dyn_cast_or_null<StringAttr>(fused.getMetadata());
    for (Location inner : fused.getLocations())
      collectLayers(inner, text ? text.getValue() : role, layers);
  }
}

SmallVector<NamedLayer> boostc::getNamedLayers(Location loc) {
  SmallVector<NamedLayer> layers;
  collectLayers(loc, "", layers);
  return layers;
}

std::string boostc::formatLayers(Location loc) {
  constexpr size_t shown = 4;
  SmallVector<NamedLayer> layers = getNamedLayers(loc);
  std::string text;
  for (const NamedLayer &layer : ArrayRef(layers).take_front(shown)) {
    text.append(text.empty() ? "" : ", ").append(layer.role);
    text.append(layer.role.empty() ? "" : " ").append(layer.name);
  }
  if (layers.size() > shown)
    text.append(" and ")
        .append(std::to_string(layers.size() - shown))
        .append(" more");
  return text;
}

BufferNames::BufferNames(train::ProgramOp program) {
  for (auto slot : program.getOps<rt::SlotOp>())
    bindings.try_emplace({slot.getArena(), slot.getOffset()},
                         slot.getBinding());
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
