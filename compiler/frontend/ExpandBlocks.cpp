#include "compiler/frontend/ExpandBlocks.h"
#include "compiler/frontend/BindArguments.h"
#include "compiler/frontend/LayerNames.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FormatVariadic.h"

using namespace boostc::frontend;
using llvm::formatv;
using llvm::StringRef;

namespace {

/// One list of layers while it is expanded.
struct Scope {
  std::string prefix = {};      ///< of full names: "stage1.0."
  const Block *block = nullptr; ///< null: the model itself
  size_t depth = 0;
  std::string previous = {}; ///< full name of what the next layer reads
  /// What a layer of the list may write in "inputs", with its full name.
  llvm::StringMap<std::string> known = {};
  /// All names of the list, for messages.
  llvm::StringMap<Extent> all = {};
};

class BlockExpander {
public:
  BlockExpander(Node &document, const ModelTable &table, Checker &checker,
                std::deque<Expansion> &expansions, ErrorList &errors)
      : document(document), table(table), checker(checker),
        expansions(expansions), errors(errors),
        blocks(readBlocks(document, table, checker, errors)) {}

  ExpandedLayers expand() {
    llvm::erase_if(document.members,
                   [](const Member &m) { return m.key == "blocks"; });
    Node *layers = document.find("layers");
    if (!layers || !layers->is(Node::Kind::List) || errors.isFull())
      return std::move(result);
    Scope model;
    model.previous = featuresName(document);
    if (const Node *inputs = document.find("input"))
      for (const Member &input : inputs->members) {
        model.known[input.key] = input.key;
        taken.try_emplace(input.key, input.keyExtent);
      }
    Node written = std::move(*layers);
    *layers = Node::makeList(written.extent);
    flat = layers;
    expandList(std::move(written), model);
    checkEnd(model, written.extent);
    checkUnused();
    return std::move(result);
  }

private:
  /// False, after one error, when the model has become too large.
  bool spendLayer(const Node &item) {
    if (isStopped || errors.isFull())
      return false;
    isStopped = ++visited > kMaxLayers || budget < 0;
    if (isStopped)
      errors.error(item.extent,
                   formatv("the blocks expand to more than {0} layers or {1} "
                           "values; no model is that large",
                           kMaxLayers, kMaxExpandedValues));
    return !isStopped;
  }

  void expandList(Node list, Scope &scope) {
    std::vector<std::string> names = layerNames(list);
    for (auto [item, name] : llvm::zip(list.items, names))
      if (!name.empty())
        scope.all.try_emplace(name, item.extent);
    for (auto [item, name] : llvm::zip(list.items, names)) {
      if (!spendLayer(item))
        return;
      // The table reports what is not a layer.
      if (!item.is(Node::Kind::Object) || name.empty())
        append(std::move(item), scope);
      else if (item.find("use"))
        expandUse(item, name, scope);
      else
        expandLayer(std::move(item), name, scope);
    }
  }

  void append(Node layer, const Scope &scope) {
    flat->items.push_back(std::move(layer));
    result.previous.push_back(scope.previous);
  }

  void expandLayer(Node layer, const std::string &name, Scope &scope) {
    std::string full = scope.prefix + name;
    if (scope.block && !checkLength(full, layer.extent))
      return;
    if (!layer.find("name"))
      layer.add("name", layer.extent, Node::makeText(full, layer.extent));
    Node &written = *layer.find("name");
    written.text = full;
    Extent extent = written.extent;
    resolveInputs(layer, scope);
    std::optional<std::string> instead = takeCondition(layer, scope);
    std::string output = instead ? *instead : full;
    declare(name, full, output, extent, scope);
    if (instead) // must be right all the same
      checker.check(layer, table.layer(), "layer");
    else
      append(std::move(layer), scope);
    scope.previous = output;
  }

  /// False, after an error, when the blocks have made `full` too long.
  bool checkLength(const std::string &full, Extent extent) {
    isStopped |= full.size() > kMaxNameLength;
    if (isStopped)
      errors.error(extent,
                   formatv("the full name '{0}' has {1} characters; at most "
                           "{2} are legal",
                           printable(full), full.size(), kMaxNameLength));
    return !isStopped;
  }

  /// Makes `name` known in `scope` as what `output` gives.
  void declare(const std::string &name, const std::string &full,
               const std::string &output, Extent extent, Scope &scope) {
    auto [first, isNew] = taken.try_emplace(full, extent);
    if (!isNew)
      errors.error(extent, formatv("the name '{0}' is taken", printable(full)),
                   ErrorList::Note{first->second, "by this"});
    scope.known.try_emplace(name, output);
  }

  /// Replaces the names in "inputs" by full names.
  void resolveInputs(Node &layer, const Scope &scope) {
    Node *inputs = layer.find("inputs");
    if (!inputs)
      return;
    for (Node &input : inputs->items) {
      if (!input.is(Node::Kind::Text))
        continue;
      auto known = scope.known.find(input.text);
      if (known != scope.known.end())
        input.text = known->second;
      else
        reportUnknown(input, scope);
    }
  }

  void reportUnknown(const Node &input, const Scope &scope) {
    if (auto later = scope.all.find(input.text); later != scope.all.end()) {
      errors.error(
          input.extent,
          formatv("'{0}' is not known here: a layer reads only what comes "
                  "before it",
                  input.text),
          ErrorList::Note{later->second, formatv("'{0}' is here", input.text)});
      return;
    }
    std::vector<StringRef> legal(scope.known.keys().begin(),
                                 scope.known.keys().end());
    llvm::sort(legal);
    std::string where;
    if (scope.block)
      where = formatv(" in block '{0}', where layers read the block's own "
                      "layers and inputs",
                      scope.block->name);
    errors.error(input.extent, formatv("unknown layer or input '{0}'{1}{2}",
                                       printable(input.text), where,
                                       suggest(input.text, legal, "names")));
  }

  /// Takes "if" out of a layer or use. Where it says false: what the layer
  /// would have read, which replaces it.
  std::optional<std::string> takeCondition(Node &layer, const Scope &scope) {
    const Node *condition = layer.find("if");
    if (!condition || !condition->is(Node::Kind::Boolean))
      return std::nullopt; // the table reports what is not a boolean
    bool isThere = condition->boolean;
    llvm::erase_if(layer.members,
                   [](const Member &m) { return m.key == "if"; });
    if (isThere)
      return std::nullopt;
    const Node *inputs = layer.find("inputs");
    if (!inputs)
      return scope.previous;
    if (inputs->items.size() == 1)
      return inputs->items[0].text;
    errors.error(inputs->extent,
                 formatv("'if' can omit only what reads one value, which then "
                         "replaces it; this reads {0}",
                         inputs->items.size()));
    return scope.previous;
  }

  /// Blocks that nothing uses, with what their parameters are by default.
  void checkUnused();
  void checkUnused(Block &block);
  void expandUse(Node &item, const std::string &name, Scope &scope);
  Block *findBlock(const Node &use, const Scope &scope);

  /// The loss reads the last layer, so it must be there.
  void checkEnd(const Scope &model, Extent extent) {
    if (errors.hasErrors() || flat->items.empty() ||
        textAt(flat->items.back(), "name") == model.previous)
      return;
    errors.error(extent,
                 formatv("'layers' ends with something that 'if' omits, and "
                         "'{0}' replaces it; end with a layer",
                         model.previous));
  }

  Node &document;
  const ModelTable &table;
  Checker &checker;
  std::deque<Expansion> &expansions;
  ErrorList &errors;
  std::deque<Block> blocks;
  std::vector<const Block *> open; ///< blocks around the list at hand
  Node *flat = nullptr;
  ExpandedLayers result;
  llvm::StringMap<Extent> taken; ///< full names
  size_t visited = 0;
  int64_t budget = kMaxExpandedValues;
  bool isStopped = false;
};

Block *BlockExpander::findBlock(const Node &use, const Scope &scope) {
  const Node &name = use.at("use");
  std::vector<StringRef> names;
  for (Block &block : blocks) {
    names.push_back(block.name);
    if (block.name != name.text)
      continue;
    block.isUsed = true;
    if (block.isBroken)
      return nullptr;
    ErrorList::Note note{block.nameExtent,
                         formatv("block '{0}' is here", block.name)};
    if (llvm::is_contained(open, &block)) {
      std::string path;
      for (const Block *around :
           llvm::make_range(llvm::find(open, &block), open.end()))
        path += around->name + " -> ";
      errors.error(name.extent,
                   formatv("block '{0}' uses itself: {1}{0}", block.name, path),
                   note);
      return nullptr;
    }
    if (scope.depth == kMaxNesting) {
      errors.error(name.extent,
                   formatv("uses of blocks inside of blocks are "
                           "more than {0} levels deep",
                           kMaxNesting),
                   note);
      return nullptr;
    }
    return &block;
  }
  errors.error(name.extent,
               formatv("unknown block '{0}'{1}", printable(name.text),
                       names.empty() ? "; the file has no \"blocks\""
                                     : suggest(name.text, names, "blocks")));
  return nullptr;
}

void BlockExpander::expandUse(Node &item, const std::string &name,
                              Scope &scope) {
  std::string full = scope.prefix + name;
  const Node *written = item.find("name");
  Extent extent = written ? written->extent : item.extent;
  if (!checkLength(full, extent))
    return;
  resolveInputs(item, scope);
  std::optional<std::string> instead = takeCondition(item, scope);
  bool isNumbered = item.find("repeat");
  // A use with errors is known too, so that no error follows from them.
  auto leave = [&](const std::string &output) {
    declare(name, full, output, extent, scope);
    scope.previous = output;
  };
  Node use = checker.check(item, table.layer(), "use");
  const Node *blockName = use.find("use");
  bool isReadable =
      blockName && blockName->is(Node::Kind::Text) && !blockName->isBroken;
  Block *block = isReadable ? findBlock(use, scope) : nullptr;
  std::optional<std::vector<std::string>> inputs;
  if (block) {
    checkArguments(use, *block, errors);
    inputs = readUseInputs(use, *block, scope.previous, errors);
  }
  const Node *count = use.find("repeat");
  int64_t repeat = count && count->is(Node::Kind::Integer) ? count->integer : 1;
  if (!inputs || repeat < 1 || repeat > kMaxRepeat)
    return leave(scope.previous);
  if (instead)
    return leave(*instead);

  auto bind = [&](bool isFirst) {
    return bindArguments(use, *block, isFirst, expansions, budget, errors);
  };
  std::optional<Bindings> first = bind(true);
  std::optional<Bindings> others = repeat > 1 ? bind(false) : first;
  if (!first || !others)
    return leave(scope.previous);
  open.push_back(block);
  std::string output = inputs->front();
  for (int64_t i = 0; i < repeat && !isStopped && !errors.isFull(); ++i) {
    std::string number = isNumbered ? ("." + llvm::Twine(i)).str() : "";
    const Expansion *expansion = &expansions.emplace_back(
        Expansion{use.extent,
                  formatv("in this use of block '{0}', called '{1}'",
                          block->name, full + number),
                  use.extent.expansion});
    Scope inner{.prefix = full + number + ".",
                .block = block,
                .depth = scope.depth + 1,
                .previous = output};
    for (auto [input, value] : llvm::zip(block->inputs, *inputs))
      inner.known[("$" + llvm::Twine(input)).str()] = value;
    inner.known[("$" + llvm::Twine(block->inputs.front())).str()] = output;
    Substitution substitution(block->name, i == 0 ? *first : *others,
                              block->inputs, expansion, expansions, budget,
                              errors);
    expandList(substitution.substitute(block->layers), inner);
    output = inner.previous;
    // From outside, what is inside has its longer name.
    for (const auto &known : inner.known)
      if (!known.getKey().starts_with("$"))
        scope.known.try_emplace((name + number + "." + known.getKey()).str(),
                                known.second);
    if (isNumbered)
      declare(name + number, full + number, output, extent, scope);
  }
  open.pop_back();
  leave(output);
}

void BlockExpander::checkUnused() {
  ExpandedLayers model = std::move(result);
  Node *modelLayers = flat;
  // Blocks that only such blocks use come with these; last, what is left of
  // circles.
  llvm::StringSet<> named;
  for (const Block &block : blocks)
    for (const Node &layer : block.layers.items)
      named.insert(textAt(layer, "use"));
  for (bool isRoot : {true, false})
    for (Block &block : blocks)
      if (!block.isUsed && named.contains(block.name) != isRoot && !isStopped)
        checkUnused(block);
  result = std::move(model);
  flat = modelLayers;
}

void BlockExpander::checkUnused(Block &block) {
  errors.warning(block.nameExtent,
                 formatv("nothing uses block '{0}'", block.name));
  if (block.isBroken || errors.isFull())
    return;
  // A parameter without a value stays a reference, which is broken: nothing is
  // said about it.
  Bindings bindings;
  for (const BlockParameter &parameter : block.parameters)
    if (parameter.defaultValue)
      bindings[parameter.name] =
          Substitution(block.name, bindings, {}, /*expansion=*/nullptr,
                       expansions, budget, errors)
              .substitute(*parameter.defaultValue);
  // Full names that no layer of the model can have.
  Scope inner{.prefix = "<" + block.name + ">.",
              .block = &block,
              .depth = 1,
              .previous = "$input"};
  for (const std::string &input : block.inputs)
    inner.known["$" + input] = "$" + input;
  Node layers = Node::makeList(block.layers.extent);
  flat = &layers;
  open.push_back(&block);
  expandList(Substitution(block.name, bindings, block.inputs,
                          /*expansion=*/nullptr, expansions, budget, errors)
                 .substitute(block.layers),
             inner);
  open.pop_back();
  for (Node &layer : layers.items) {
    // What it reads was resolved above, to names that no model can have.
    llvm::erase_if(layer.members,
                   [](const Member &member) { return member.key == "inputs"; });
    if (Node *name = layer.find("name"))
      name->text.erase(0, inner.prefix.size());
    checker.check(layer, table.layer(), "layer");
  }
}

} // namespace

ExpandedLayers boostc::frontend::expandBlocks(Node &document,
                                              const ModelTable &table,
                                              Checker &checker,
                                              std::deque<Expansion> &expansions,
                                              ErrorList &errors) {
  return BlockExpander(document, table, checker, expansions, errors).expand();
}
