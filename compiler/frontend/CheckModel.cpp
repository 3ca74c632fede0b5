#include "compiler/frontend/CheckModel.h"
#include "compiler/frontend/JsonReader.h"
#include "runtime/support/Suggest.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include <cmath>
#include <limits>

using namespace boostc::frontend;
using llvm::formatv;
using llvm::StringRef;
using Kind = ValueTable::Kind;

bool boostc::frontend::isLegalName(StringRef text) {
  return !text.empty() && text.size() <= 200 && llvm::all_of(text, [](char c) {
    return llvm::isAlnum(c) || StringRef("_./-").contains(c);
  });
}

bool boostc::frontend::isLegalWord(StringRef text) {
  return !text.empty() && text.size() <= 200 && llvm::all_of(text, [](char c) {
    return llvm::isAlnum(c) || c == '_';
  });
}

static std::string quote(StringRef text) {
  return formatv("'{0}'", printable(text));
}

template <typename Range>
static std::vector<StringRef> namesOf(const Range &range) {
  std::vector<StringRef> names;
  for (const auto &element : range)
    names.push_back(element.name);
  return names;
}

Node Checker::wrongType(const Node &node, const ValueTable &table,
                        const std::string &subject) {
  std::string_view digits = StringRef(node.text).ltrim("+-");
  bool isNumeric =
      table.kind == Kind::Number ||
      (table.kind == Kind::Variant && !table.variant->numberCase.empty());
  bool isNoNumber = isNumeric && node.is(Node::Kind::Text) &&
                    (boostrt::isSameSpelling(digits, "nan") ||
                     boostrt::isSameSpelling(digits, "inf") ||
                     boostrt::isSameSpelling(digits, "infinity"));
  std::string found =
      isNoNumber ? quote(node.text) + "; numbers are finite" : node.describe();
  errors.error(node.extent, formatv("{0}: expected {1}, found {2}", subject,
                                    describeExpected(table), found));
  return node;
}

Node Checker::checkText(const Node &node, const ValueTable &table,
                        const std::string &subject) {
  if (!node.is(Node::Kind::Text))
    return wrongType(node, table, subject);
  bool isLegal = table.kind == Kind::Name   ? isLegalName(node.text)
                 : table.kind == Kind::Word ? isLegalWord(node.text)
                                            : true;
  if (!isLegal)
    return wrongType(node, table, subject);
  if (StringRef(node.text).contains('\0')) {
    errors.error(
        node.extent,
        formatv("{0}: a text cannot hold the character U+0000", subject));
    return node;
  }
  if (!table.choices.empty() && !llvm::is_contained(table.choices, node.text)) {
    std::vector<StringRef> legal(table.choices.begin(), table.choices.end());
    errors.error(node.extent,
                 formatv("{0}: expected {1}, found {2}{3}", subject,
                         describeExpected(table), node.describe(),
                         didYouMean(node.text, legal)));
  }
  return node;
}

Node Checker::checkScalar(const Node &node, const ValueTable &table,
                          const std::string &subject) {
  if (table.kind == Kind::Boolean) {
    if (!node.is(Node::Kind::Boolean))
      return wrongType(node, table, subject);
    return node;
  }
  bool isInteger = node.is(Node::Kind::Integer);
  if (!isInteger &&
      !(table.kind == Kind::Number && node.is(Node::Kind::Number)))
    return wrongType(node, table, subject);
  bool isAboveMinimum =
      !table.minimum || node.number > *table.minimum ||
      (node.number == *table.minimum && !table.isMinimumExcluded);
  // An integer next to a limit may have the limit's floating-point number.
  bool isBelowMaximum =
      !table.maximum ||
      (table.kind == Kind::Integer
           ? node.integer <= static_cast<int64_t>(*table.maximum)
           : node.number <= *table.maximum);
  if (!isAboveMinimum || !isBelowMaximum)
    return wrongType(node, table, subject);
  if (table.kind == Kind::Integer)
    return node;
  if (std::abs(node.number) > std::numeric_limits<float>::max())
    errors.error(
        node.extent,
        formatv("{0}: {1} is beyond the range of 32-bit floating point",
                subject, node.describe()));
  bool isLost =
      node.number != 0.0 &&
      std::abs(node.number) < std::numeric_limits<float>::denorm_min();
  if (isLost)
    errors.error(node.extent,
                 formatv("{0}: {1} is below the range of 32-bit floating "
                         "point: it would be 0",
                         subject, node.describe()));
  Node number = Node::makeNumber(node.number, node.extent);
  number.isDefault = node.isDefault;
  return number;
}

Node Checker::checkList(const Node &node, const ValueTable &table,
                        const std::string &subject) {
  if (!node.is(Node::Kind::List) || node.items.size() < table.minItems ||
      node.items.size() > table.maxItems)
    return wrongType(node, table, subject);
  Node list = Node::makeList(node.extent);
  list.isDefault = node.isDefault;
  for (auto [index, item] : llvm::enumerate(node.items)) {
    std::string element = formatv("{0}[{1}]", subject, index);
    if (!table.isTemplate)
      list.items.push_back(check(item, *table.element, element));
    else if (item.is(Node::Kind::Object))
      list.items.push_back(item);
    else
      wrongType(item, *table.element, element);
  }
  return list;
}

Node Checker::checkMap(const Node &node, const ValueTable &table,
                       const std::string &subject) {
  if (!node.is(Node::Kind::Object))
    return wrongType(node, table, subject);
  if (node.members.size() < table.minItems ||
      node.members.size() > table.maxItems) {
    errors.error(node.extent,
                 formatv("{0}: expected {1} to {2} entries, found {3}", subject,
                         table.minItems, table.maxItems, node.members.size()));
    return node;
  }
  Node map = Node::makeObject(node.extent);
  for (const Member &member : node.members) {
    if (!isLegalName(member.key))
      errors.error(member.keyExtent,
                   formatv("{0}: expected names of {1}, found '{2}'", subject,
                           kNameRule, printable(member.key)));
    map.add(member.key, member.keyExtent,
            check(member.value, *table.element, quote(member.key)));
  }
  return map;
}

/// Whether `node` has another spelling of `key`, which `table` would offer.
static bool isMisspelt(const Node &node, StringRef key,
                       const ObjectTable &table) {
  return llvm::any_of(node.members, [&](const Member &member) {
    return !table.find(member.key) &&
           !suggestName(boostrt::NameKind::Key, member.key, {key}).empty();
  });
}

/// Which case `node`, an object, is; null after an error.
const ObjectTable *Checker::chooseCase(const Node &node,
                                       const VariantTable &table,
                                       const std::string &subject) {
  for (const ObjectTable &keyed : table.keyedCases)
    if (node.find(keyed.name))
      return &keyed;
  const Node *selector = node.find(table.selector);
  if (!table.presenceKey.empty()) {
    bool isSecond = node.find(table.presenceKey) ||
                    isMisspelt(node, table.presenceKey, table.cases[1]) ||
                    (selector && selector->is(Node::Kind::Text) &&
                     selector->text == table.cases[1].name);
    return &table.cases[isSecond];
  }
  if (!selector) {
    // The key may be there under another spelling.
    std::vector<StringRef> keys = {table.selector};
    for (const Member &member : node.members)
      if (std::string hint =
              suggestName(boostrt::NameKind::Key, member.key, keys);
          !hint.empty()) {
        errors.error(member.keyExtent,
                     formatv("unknown key '{0}' in {1}{2}",
                             printable(member.key), subject, hint));
        return nullptr;
      }
    errors.error(node.extent, formatv("{0} lacks the key '{1}', the {2}",
                                      subject, table.selector, table.what));
    return nullptr;
  }
  if (selector->isBroken)
    return nullptr;
  std::vector<StringRef> names = namesOf(table.cases);
  if (!selector->is(Node::Kind::Text)) {
    errors.error(selector->extent,
                 formatv("'{0}': expected the name of a {1}, found {2}",
                         table.selector, table.what, selector->describe()));
    return nullptr;
  }
  const ObjectTable *found = table.find(selector->text);
  if (!found)
    errors.error(
        selector->extent,
        formatv(
            "unknown {0} '{1}'{2}", table.what, printable(selector->text),
            suggest(table.names, selector->text, names,
                    table.what +
                        (StringRef(table.what).ends_with("s") ? "es" : "s"))));
  return found;
}

Node Checker::checkVariant(const Node &node, const VariantTable &table,
                           const std::string &subject) {
  Node written = node;
  if (table.hasTextForm && node.is(Node::Kind::Text)) {
    written = Node::makeObject(node.extent);
    written.add(table.selector, node.extent,
                Node::makeText(node.text, node.extent));
  } else if (!table.numberCase.empty() &&
             (node.is(Node::Kind::Number) || node.is(Node::Kind::Integer))) {
    written = Node::makeObject(node.extent);
    written.isDefault = node.isDefault;
    written.add(table.selector, node.extent,
                Node::makeText(table.numberCase, node.extent));
    for (const KeyTable &key : table.find(table.numberCase)->keys)
      written.add(key.name, node.extent,
                  key.name == "value" ? check(node, key.value, subject)
                                      : makeDefault(key, node.extent));
    return written;
  } else if (!node.is(Node::Kind::Object)) {
    ValueTable value{.kind = Kind::Variant};
    value.variant = std::make_shared<VariantTable>(table);
    return wrongType(node, value, subject);
  }
  written.isDefault = node.isDefault;
  const ObjectTable *chosen = chooseCase(written, table, subject);
  if (!chosen)
    return node;
  if (const Node *key = written.find(chosen->name);
      key && !table.find(chosen->name))
    return checkObject(
        written, *chosen,
        formatv("{0} of {1}", chosen->name,
                key->is(Node::Kind::Text) ? quote(key->text) : "a block"));
  const Node *name = written.find("name");
  bool isNamed = chosen->find("name") && name && name->is(Node::Kind::Text);
  std::string noun = formatv("{0} {1}", StringRef(table.what).split(' ').first,
                             quote(isNamed ? name->text : chosen->name));
  if (!table.presenceKey.empty())
    noun = subject;
  return checkObject(written, *chosen, noun,
                     table.presenceKey.empty() ? StringRef(table.selector)
                                               : "");
}

Node Checker::makeDefault(const KeyTable &key, Extent extent) {
  Source &source = defaults.emplace_back(context, Source::Kind::File, key.name,
                                         key.defaultValue);
  // Errors of its own: once enough are found, nothing is read to its end.
  ErrorList none(context);
  std::optional<Node> node = readJson(source, 0, none);
  assert(node && "defaults of the table are JSON");
  auto relocate = [&](auto &&self, Node &part) -> void {
    part.extent = extent;
    part.isDefault = true;
    for (Node &item : part.items)
      self(self, item);
    for (Member &member : part.members) {
      member.keyExtent = extent;
      self(self, member.value);
    }
  };
  relocate(relocate, *node);
  defaults.pop_back();
  return check(*node, key.value, quote(key.name));
}

Node Checker::checkObject(const Node &node, const ObjectTable &table,
                          const std::string &noun, StringRef selector) {
  if (!node.is(Node::Kind::Object)) {
    errors.error(node.extent, formatv("{0}: expected an object, found {1}",
                                      noun, node.describe()));
    return node;
  }
  std::vector<StringRef> names = namesOf(table.keys);
  if (!selector.empty())
    names.insert(names.begin(), selector);
  for (const Member &member : node.members) {
    if (errors.isFull())
      return node;
    if (member.key == selector || table.find(member.key))
      continue;
    errors.error(
        member.keyExtent,
        formatv("unknown key '{0}' in {1}{2}", printable(member.key), noun,
                suggest(boostrt::NameKind::Key, member.key, names, "keys")));
  }
  Node object = Node::makeObject(node.extent);
  object.isDefault = node.isDefault;
  if (const Member *member = node.findMember(selector);
      member && !selector.empty())
    object.add(selector, member->keyExtent, member->value);
  for (const KeyTable &key : table.keys) {
    const Member *member = node.findMember(key.name);
    if (member && key.name != "$schema")
      object.add(key.name, member->keyExtent,
                 check(member->value, key.value, quote(key.name)));
    else if (member)
      check(member->value, key.value, quote(key.name));
    else if (!key.defaultValue.empty())
      object.add(key.name, node.extent, makeDefault(key, node.extent));
    else if (key.isRequired && !isMisspelt(node, key.name, table))
      errors.error(node.extent,
                   formatv("{0} lacks the key '{1}', {2}{3}", noun, key.name,
                           describeExpected(key.value), key.whenMissing));
  }
  return object;
}

/// The JSON type that tells an alternative from the others.
static Node::Kind jsonKind(const ValueTable &table) {
  switch (table.kind) {
  case Kind::List:
    return Node::Kind::List;
  case Kind::Text:
  case Kind::Name:
  case Kind::Word:
    return Node::Kind::Text;
  case Kind::Object:
    return Node::Kind::Object;
  default:
    return Node::Kind::Integer;
  }
}

/// Whether the JSON type of `node` is one of `table`.
static bool hasJsonType(const Node &node, const ValueTable &table) {
  return node.is(jsonKind(table)) ||
         (table.kind == Kind::Number && node.is(Node::Kind::Number));
}

Node Checker::check(const Node &node, const ValueTable &table,
                    const std::string &subject) {
  if (errors.isFull() || node.isBroken ||
      (node.is(Node::Kind::Null) && table.isNullable))
    return node;
  switch (table.kind) {
  case Kind::Integer:
  case Kind::Number:
  case Kind::Boolean:
    return checkScalar(node, table, subject);
  case Kind::Any:
    return node;
  case Kind::Text:
  case Kind::Name:
  case Kind::Word:
    return checkText(node, table, subject);
  case Kind::List:
    return checkList(node, table, subject);
  case Kind::Object:
    return checkObject(node, *table.object, subject);
  case Kind::Map:
    return checkMap(node, table, subject);
  case Kind::Variant:
    return checkVariant(node, *table.variant, subject);
  case Kind::Either:
    for (const ValueTable &alternative : table.alternatives) {
      if (hasJsonType(node, alternative))
        return check(node, alternative, subject);
    }
    return wrongType(node, table, subject);
  }
  llvm_unreachable("all kinds are listed");
}
