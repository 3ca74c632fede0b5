#include "compiler/frontend/LayerNames.h"
#include "compiler/frontend/CheckModel.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

using namespace boostc::frontend;
using llvm::StringRef;

StringRef boostc::frontend::textAt(const Node &node, StringRef key) {
  const Node *value = node.find(key);
  return value && value->is(Node::Kind::Text) ? StringRef(value->text)
                                              : StringRef();
}

std::vector<std::string> boostc::frontend::layerNames(const Node &layers) {
  llvm::StringSet<> taken;
  for (const Node &layer : layers.items)
    taken.insert(textAt(layer, "name"));
  llvm::StringMap<unsigned> next;
  std::vector<std::string> names;
  for (const Node &layer : layers.items) {
    StringRef name = textAt(layer, "name");
    StringRef kind = textAt(layer, layer.find("use") ? "use" : "op");
    names.push_back(name.str());
    if (layer.find("name"))
      continue;
    StringRef prefix = isLegalName(kind) && kind.size() < 100 ? kind : "layer";
    do
      names.back() = (prefix + llvm::Twine(++next[prefix])).str();
    while (!taken.insert(names.back()).second);
  }
  return names;
}

std::string boostc::frontend::featuresName(const Node &document) {
  const Node *inputs = document.find("input");
  const Node *loss = document.find("loss");
  if (!inputs)
    return {};
  std::string name;
  for (const Member &input : inputs->members) {
    StringRef role = textAt(input.value, "role");
    if (!input.value.find("shape") || role == "target" || role == "weight")
      continue; // labels, what the loss compares with, or its weights
    if (!loss || textAt(*loss, "target") != input.key)
      return input.key;
    if (name.empty())
      name = input.key; // a model of its own target
  }
  return name;
}
