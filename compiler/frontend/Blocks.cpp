#include "compiler/frontend/Blocks.h"
#include "compiler/frontend/ParameterReference.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FormatVariadic.h"

using namespace boostc::frontend;
using llvm::formatv;
using llvm::StringRef;

const BlockParameter *Block::find(StringRef parameter) const {
  auto it = llvm::find_if(
      parameters, [&](const BlockParameter &p) { return p.name == parameter; });
  return it == parameters.end() ? nullptr : &*it;
}

namespace {

/// Makes one Block of its checked node.
class BlockReader {
public:
  BlockReader(Block &block, const Node &node, ErrorList &errors)
      : block(block), node(node), errors(errors) {}

  void read() {
    readInputs();
    if (const Node *parameters = node.find("params"))
      for (const Node &parameter : parameters->items)
        readParameter(parameter);
    if (const Node *layers = node.find("layers"))
      block.layers = *layers;
    checkReferences();
  }

private:
  void declare(StringRef name, Extent extent) {
    auto [first, isNew] = declared.try_emplace(name, extent);
    if (!isNew)
      errors.error(extent, formatv("the name '{0}' is taken", name),
                   ErrorList::Note{first->second, "by this"});
  }

  void readInputs() {
    const Node *inputs = node.find("inputs");
    if (!inputs) {
      block.inputs = {"input"};
      declare("input", block.nameExtent);
      return;
    }
    for (const Node &input : inputs->items) {
      if (!isLegalWord(input.text))
        continue;
      declare(input.text, input.extent);
      block.inputs.push_back(input.text);
    }
  }

  void readParameter(const Node &written) {
    bool isObject = written.is(Node::Kind::Object);
    const Node *name = isObject ? written.find("name") : &written;
    if (!name || !isLegalWord(name->text))
      return;
    declare(name->text, name->extent);
    const Node *value = isObject ? written.find("default") : nullptr;
    if (value)
      forEachReference(*value, [&](const Node &text, StringRef) {
        check(text, /*isInput=*/false);
      });
    BlockParameter &parameter = block.parameters.emplace_back();
    parameter.name = name->text;
    parameter.extent = name->extent;
    if (value)
      parameter.defaultValue = *value;
  }

  void checkReferences() {
    forEachReference(block.layers, [&](const Node &text, StringRef key) {
      check(text, key == "inputs");
    });
    for (const BlockParameter &parameter : block.parameters)
      if (!readNames.contains(parameter.name))
        errors.error(parameter.extent,
                     formatv("nothing in block '{0}' reads its parameter "
                             "'{1}'; a layer reads it as \"${1}\"",
                             block.name, parameter.name));
  }

  /// Checks one text that begins with '$'. Inputs of the block are values of
  /// the model, no values of the file: only "inputs" can name them.
  void check(const Node &text, bool isInput) {
    std::optional<ParameterReference> reference =
        ParameterReference::parse(text.text);
    if (!reference) {
      // So that no 'unused parameter' error follows.
      for (StringRef name : ParameterReference::namesIn(text.text))
        readNames.insert(name);
      errors.error(text.extent,
                   formatv("'{0}' is not a reference; expected \"$NAME\", or "
                           "\"$NAME * FACTOR\" or \"$NAME / DIVISOR\" with an "
                           "integer or a second $NAME",
                           printable(text.text)));
      return;
    }
    for (StringRef name : {reference->name, reference->otherName}) {
      bool isBlockInput = llvm::is_contained(block.inputs, name);
      if (name.empty() || (isInput && isBlockInput && !reference->operation))
        continue;
      readNames.insert(name);
      if (block.find(name))
        continue;
      std::vector<StringRef> legal;
      for (const BlockParameter &parameter : block.parameters)
        legal.push_back(parameter.name);
      std::string why =
          formatv("block '{0}' has no parameter '{1}'{2}", block.name,
                  printable(name), suggest(name, legal, "parameters"));
      if (isBlockInput)
        why = formatv("'${0}' is what block '{1}' reads; only \"inputs\" of a "
                      "layer can name it",
                      name, block.name);
      errors.error(text.extent, why,
                   ErrorList::Note{block.nameExtent,
                                   formatv("block '{0}' is here", block.name)});
    }
  }

  Block &block;
  const Node &node;
  ErrorList &errors;
  llvm::StringMap<Extent> declared;
  llvm::StringSet<> readNames;
};

} // namespace

std::deque<Block> boostc::frontend::readBlocks(const Node &document,
                                               const ModelTable &table,
                                               Checker &checker,
                                               ErrorList &errors) {
  std::deque<Block> blocks;
  const Node *written = document.find("blocks");
  if (!written)
    return blocks;
  const KeyTable &key = *table.file().find("blocks");
  Node checked = checker.check(*written, key.value, "'blocks'");
  if (!checked.is(Node::Kind::Object))
    return blocks;
  for (Member &member : checked.members) {
    if (errors.isFull())
      break;
    Block &block = blocks.emplace_back();
    block.name = member.key;
    block.nameExtent = member.keyExtent;
    block.isBroken = !member.value.is(Node::Kind::Object);
    if (!block.isBroken)
      BlockReader(block, member.value, errors).read();
  }
  return blocks;
}
