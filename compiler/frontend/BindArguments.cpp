#include "compiler/frontend/BindArguments.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace boostc;
using namespace boostc::frontend;
using llvm::formatv;
using llvm::StringRef;

std::optional<std::vector<std::string>>
frontend::readUseInputs(const Node &use, const Block &block,
                        const std::string &previous, ErrorList &errors) {
  std::vector<std::string> names;
  const Node *inputs = use.find("inputs");
  if (inputs)
    for (const Node &input : inputs->items)
      names.push_back(input.text);
  else
    names.push_back(previous);
  // None at all: an error of the use or of the block, reported already.
  if (names.empty() || block.inputs.empty())
    return std::nullopt;
  if (names.size() == block.inputs.size())
    return names;
  errors.error(inputs ? inputs->extent : use.extent,
               formatv("block '{0}' reads {1} values (${2}); expected as many "
                       "names in 'inputs', found {3}",
                       block.name, block.inputs.size(),
                       llvm::join(block.inputs, ", $"),
                       inputs ? names.size() : 0),
               ErrorList::Note{block.nameExtent,
                               formatv("block '{0}' is here", block.name)});
  return std::nullopt;
}

void frontend::checkArguments(const Node &use, const Block &block,
                              ErrorList &errors) {
  std::vector<StringRef> legal;
  for (const BlockParameter &parameter : block.parameters)
    legal.push_back(parameter.name);
  for (StringRef key : {"with", "with_first"}) {
    const Node *arguments = use.find(key);
    if (!arguments)
      continue;
    for (const Member &member : arguments->members)
      if (!block.find(member.key))
        errors.error(
            member.keyExtent,
            formatv("block '{0}' has no parameter '{1}'{2}", block.name,
                    printable(member.key),
                    suggest(member.key, legal, "parameters")),
            ErrorList::Note{block.nameExtent,
                            formatv("block '{0}' is here", block.name)});
  }
}

std::optional<Bindings>
frontend::bindArguments(const Node &use, const Block &block, bool isFirst,
                        std::deque<Expansion> &expansions, int64_t &budget,
                        ErrorList &errors) {
  Bindings bindings;
  bool isComplete = true;
  for (const BlockParameter &parameter : block.parameters) {
    const Node *value = nullptr;
    for (StringRef key : {"with", "with_first"})
      if (const Node *arguments = use.find(key);
          arguments && (key == "with" || isFirst))
        if (const Node *found = arguments->find(parameter.name))
          value = found;
    if (value) {
      bindings[parameter.name] = *value;
    } else if (parameter.defaultValue) {
      const Expansion *expansion = &expansions.emplace_back(Expansion{
          use.extent, formatv("in this use of block '{0}'", block.name),
          use.extent.expansion});
      Substitution substitution(block.name, bindings, {}, expansion, expansions,
                                budget, errors);
      bindings[parameter.name] =
          substitution.substitute(*parameter.defaultValue);
    } else {
      isComplete = false;
      errors.error(
          use.extent,
          formatv("the use of block '{0}' lacks a value of its parameter "
                  "'{1}'; give one in 'with'",
                  block.name, parameter.name),
          ErrorList::Note{parameter.extent, "it is declared here"});
    }
  }
  if (!isComplete)
    return std::nullopt;
  return bindings;
}
