#include "compiler/lowering/llvm/SourceNames.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/Path.h"

using namespace mlir;
using namespace boostc;

/// A file without its folders: a program is the same from wherever it is
/// compiled. A flag of the command line is one as a whole.
static StringRef getSourceName(StringRef name) {
  return name.starts_with("--") ? name : llvm::sys::path::filename(name);
}

static std::string formatPosition(FileLineColLoc file) {
  return (getSourceName(file.getFilename()) + ":" +
          llvm::Twine(file.getLine()) + ":" + llvm::Twine(file.getColumn()))
      .str();
}

std::string boostc::formatLocation(Location loc) {
  std::string text = "unknown";
  loc->walk([&](Location inner) {
    auto file = dyn_cast<FileLineColLoc>(inner);
    if (!file)
      return WalkResult::advance();
    text = formatPosition(file);
    return WalkResult::interrupt();
  });
  return text;
}

/// "a, b, c, d and 3 more"
static std::string formatFirst(ArrayRef<std::string> texts) {
  constexpr size_t shown = 4;
  std::string text = llvm::join(texts.take_front(shown), ", ");
  if (texts.size() > shown)
    text.append(" and ")
        .append(std::to_string(texts.size() - shown))
        .append(" more");
  return text;
}

std::string boostc::formatPositions(Location loc) {
  SmallVector<std::string> positions;
  llvm::StringSet<> seen;
  loc->walk([&](Location inner) {
    if (auto file = dyn_cast<FileLineColLoc>(inner))
      if (std::string text = formatPosition(file); seen.insert(text).second)
        positions.push_back(std::move(text));
    return WalkResult::advance();
  });
  return positions.empty() ? "unknown" : formatFirst(positions);
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
  SmallVector<std::string> names;
  for (const NamedLayer &layer : getNamedLayers(loc))
    names.push_back(
        (layer.role + (layer.role.empty() ? "" : " ") + layer.name).str());
  return formatFirst(names);
}

BufferNames::BufferNames(train::ProgramOp program) {
  // An evaluation's input, at the same address, comes later.
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
