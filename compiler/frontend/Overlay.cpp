#include "compiler/frontend/Overlay.h"
#include "compiler/frontend/LayerNames.h"
#include "compiler/frontend/Overrides.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace boostc::frontend;
using llvm::formatv;
using llvm::StringRef;

namespace {

class Merger {
public:
  explicit Merger(ErrorList &errors) : errors(errors) {}

  /// `isLayers`: whether `target` is a list whose elements have names.
  void merge(Node &target, Node patch, bool isLayers = false) {
    if (!patch.is(Node::Kind::Object))
      target = std::move(patch);
    else if (target.is(Node::Kind::List))
      mergeElements(target, std::move(patch), isLayers);
    else
      mergeMembers(target, std::move(patch));
  }

private:
  void mergeMembers(Node &target, Node patch) {
    if (!target.is(Node::Kind::Object))
      target = Node::makeObject(patch.extent);
    for (Member &member : patch.members) {
      if (member.value.is(Node::Kind::Null)) {
        llvm::erase_if(target.members, [&](const Member &old) {
          return old.key == member.key;
        });
        continue;
      }
      Node *value = target.find(member.key);
      if (!value)
        value = &target.add(member.key, member.keyExtent,
                            Node::makeObject(member.value.extent));
      merge(*value, std::move(member.value), member.key == "layers");
    }
  }

  void mergeElements(Node &list, Node patch, bool isLayers) {
    // Numbers and names are those before the merge.
    std::vector<std::string> names;
    if (isLayers)
      names = layerNames(list);
    size_t size = list.items.size();
    std::vector<size_t> removed;
    for (Member &member : patch.members) {
      std::optional<size_t> index = findElement(member, names, size);
      if (!index)
        continue;
      if (member.value.is(Node::Kind::Null)) {
        removed.push_back(*index);
        continue;
      }
      if (*index == list.items.size())
        list.items.push_back(Node::makeObject(member.value.extent));
      merge(list.items[*index], std::move(member.value));
    }
    // From the last on, and once each: a layer may have been named in two ways.
    llvm::sort(removed, std::greater<>());
    removed.erase(llvm::unique(removed), removed.end());
    for (size_t index : removed)
      list.items.erase(list.items.begin() + index);
  }

  std::optional<size_t> findElement(const Member &member,
                                    const std::vector<std::string> &names,
                                    size_t size) {
    size_t index = 0;
    auto named = llvm::find(names, member.key);
    if (named != names.end() && !member.key.empty())
      return named - names.begin();
    if (StringRef(member.key).getAsInteger(10, index)) {
      errors.error(member.keyExtent, noElement(member.key, names));
      return std::nullopt;
    }
    if (index > size || (index == size && member.value.is(Node::Kind::Null))) {
      errors.error(member.keyExtent, formatv("element {0} of a list of {1}",
                                             printable(member.key), size));
      return std::nullopt;
    }
    return index;
  }

  ErrorList &errors;
};

} // namespace

void boostc::frontend::mergeOverlay(Node &document, Node overlay,
                                    ErrorList &errors) {
  if (!overlay.is(Node::Kind::Object)) {
    errors.error(overlay.extent,
                 formatv("an overlay: expected an object with keys of the "
                         "model, found {0}",
                         overlay.describe()));
    return;
  }
  Merger(errors).merge(document, std::move(overlay));
}
