#include "compiler/frontend/ParameterReference.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

using namespace boostc::frontend;
using llvm::formatv;
using llvm::StringRef;

/// Takes "$name" off the front of `text`; empty when there is none.
static StringRef takeName(StringRef &text) {
  if (!text.consume_front("$"))
    return {};
  StringRef name =
      text.take_while([](char c) { return llvm::isAlnum(c) || c == '_'; });
  text = text.drop_front(name.size());
  return name;
}

llvm::SmallVector<StringRef> ParameterReference::namesIn(StringRef text) {
  llvm::SmallVector<StringRef> names;
  while (text.contains('$')) {
    text = text.drop_front(text.find('$'));
    if (StringRef name = takeName(text); !name.empty())
      names.push_back(name);
  }
  return names;
}

std::optional<ParameterReference> ParameterReference::parse(StringRef text) {
  ParameterReference reference;
  reference.name = takeName(text);
  if (reference.name.empty())
    return std::nullopt;
  text = text.trim(' ');
  if (text.empty())
    return reference;
  reference.operation = text.front();
  if (!StringRef("*/").contains(reference.operation))
    return std::nullopt;
  text = text.drop_front().ltrim(' ');
  bool isName = text.starts_with("$");
  if (isName)
    reference.otherName = takeName(text);
  else if (text.consumeInteger(10, reference.factor))
    return std::nullopt;
  if (!text.empty() || (isName && reference.otherName.empty()))
    return std::nullopt;
  return reference;
}

static Node breakNode(Node node) {
  node.isBroken = true;
  return node;
}

Node Substitution::fail(const Node &text, std::string message) {
  Extent extent = text.extent;
  extent.expansion = expansion;
  errors.error(extent, std::move(message));
  return breakNode(text);
}

/// `node` without what is inside of it.
static Node shell(const Node &node, const Expansion *expansion) {
  Node result;
  result.kind = node.kind;
  result.boolean = node.boolean;
  result.integer = node.integer;
  result.number = node.number;
  result.text = node.text;
  result.isBroken = node.isBroken;
  result.extent = node.extent;
  result.extent.expansion = expansion;
  return result;
}

static void addMember(Node &object, const Member &member,
                      const Expansion *expansion, Node value) {
  Extent keyExtent = member.keyExtent;
  keyExtent.expansion = expansion;
  object.add(member.key, keyExtent, std::move(value));
}

Node Substitution::copy(const Node &value, const Expansion *origin) {
  if (--budget < 0)
    return {};
  Node result = shell(value, origin);
  for (const Node &item : value.items)
    result.items.push_back(copy(item, origin));
  for (const Member &member : value.members)
    addMember(result, member, origin, copy(member.value, origin));
  return result;
}

std::optional<int64_t> Substitution::integer(StringRef name, const Node &text) {
  const Node &value = bindings.find(name)->second;
  if (value.is(Node::Kind::Integer))
    return value.integer;
  if (value.isBroken)
    return std::nullopt;
  fail(text, formatv("'{0}': expected an integer in '${1}', found {2}",
                     printable(text.text), name, value.describe()));
  return std::nullopt;
}

Node Substitution::evaluate(const Node &text) {
  std::optional<ParameterReference> reference =
      ParameterReference::parse(text.text);
  // What is not a reference, or to nothing, was reported where the block is.
  if (!reference || !bindings.contains(reference->name) ||
      !(reference->otherName.empty() ||
        bindings.contains(reference->otherName)))
    return breakNode(text);
  const Node &value = bindings.find(reference->name)->second;
  Extent place = text.extent;
  if (!reference->operation)
    return copy(value, &expansions.emplace_back(Expansion{
                           place,
                           formatv("'{0}' of block '{1}' is the value here",
                                   text.text, block),
                           expansion}));
  std::optional<int64_t> left = integer(reference->name, text),
                         right = reference->factor;
  if (left && !reference->otherName.empty())
    right = integer(reference->otherName, text);
  if (!left || !right)
    return breakNode(text);
  int64_t result = 0;
  if (reference->operation == '*') {
    if (llvm::MulOverflow(*left, *right, result))
      return fail(text, formatv("'{0}': {1} * {2} is too large",
                                printable(text.text), *left, *right));
  } else {
    // Not INT64_MIN / -1, which has no value either.
    if (*right <= 0 || *left % *right != 0)
      return fail(text,
                  formatv("'{0}': {1} cannot be divided by {2} without rest",
                          printable(text.text), *left, *right));
    result = *left / *right;
  }
  place.expansion = &expansions.emplace_back(Expansion{
      value.extent, formatv("${0} is {1}", reference->name, *left), expansion});
  return Node::makeInteger(result, place);
}

Node Substitution::substitute(const Node &node, StringRef key) {
  if (--budget < 0)
    return {};
  if (node.is(Node::Kind::Text) && ParameterReference::isMeant(node.text)) {
    bool isInput =
        key == "inputs" &&
        llvm::is_contained(inputs, StringRef(node.text).drop_front());
    if (!isInput)
      return evaluate(node);
  }
  Node result = shell(node, expansion);
  for (const Node &item : node.items)
    result.items.push_back(substitute(item, key));
  for (const Member &member : node.members)
    addMember(result, member, expansion, substitute(member.value, member.key));
  return result;
}

void boostc::frontend::forEachReference(
    const Node &node, llvm::function_ref<void(const Node &, StringRef)> visit,
    StringRef key) {
  if (node.is(Node::Kind::Text) && ParameterReference::isMeant(node.text))
    visit(node, key);
  for (const Node &item : node.items)
    forEachReference(item, visit, key);
  for (const Member &member : node.members)
    forEachReference(member.value, visit, member.key);
}
