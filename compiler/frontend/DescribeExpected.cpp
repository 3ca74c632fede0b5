// The table's expectations in words, for messages.
#include "compiler/frontend/CheckModel.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include <cmath>
#include <nlohmann/json.hpp>

using namespace boostc::frontend;
using llvm::formatv;
using Kind = ValueTable::Kind;

static std::string number(double value) {
  if (value == std::floor(value) && std::abs(value) <= 9007199254740992.0)
    return std::to_string(static_cast<int64_t>(value));
  return nlohmann::json(value).dump();
}

static std::string range(const ValueTable &table) {
  if (table.minimum && table.maximum && *table.minimum == *table.maximum)
    return formatv(" equal to {0}", number(*table.minimum));
  if (table.minimum && table.maximum)
    return formatv(" from {0} to {1}", number(*table.minimum),
                   number(*table.maximum));
  if (table.minimum && table.isMinimumExcluded)
    return formatv(" above {0}", number(*table.minimum));
  if (table.minimum)
    return formatv(" of {0} or more", number(*table.minimum));
  if (table.maximum)
    return formatv(" of {0} or less", number(*table.maximum));
  return {};
}

static std::string list(const ValueTable &table) {
  if (table.minItems == table.maxItems)
    return formatv("a list of {0}", table.minItems);
  if (table.minItems > 0)
    return formatv("a list of {0} to {1}", table.minItems, table.maxItems);
  return formatv("a list of at most {0}", table.maxItems);
}

static std::string describe(const ValueTable &table) {
  switch (table.kind) {
  case Kind::Integer:
    return formatv("an integer{0}", range(table));
  case Kind::Number:
    return formatv("a number{0}", range(table));
  case Kind::Boolean:
    return "true or false";
  case Kind::Text: {
    if (table.choices.empty())
      return "a text";
    std::vector<std::string> quoted;
    for (const std::string &choice : table.choices)
      quoted.push_back(formatv("'{0}'", choice));
    return llvm::join(quoted, " or ");
  }
  case Kind::Name:
    return formatv("a name of {0}", kNameRule);
  case Kind::Word:
    return "a name of letters, digits and _";
  case Kind::Any:
    return "any value";
  case Kind::List:
    return list(table);
  case Kind::Object:
  case Kind::Map:
    return "an object";
  case Kind::Variant: {
    const VariantTable &variant = *table.variant;
    if (!variant.presenceKey.empty())
      return "an object";
    std::string object = formatv("an object with '{0}'", variant.selector);
    for (const ObjectTable &keyed : variant.keyedCases)
      object += formatv(" or '{0}'", keyed.name);
    if (variant.hasTextForm)
      return formatv("the name of a {0} or {1}", variant.what, object);
    if (!variant.numberCase.empty())
      return formatv("a number or {0}", object);
    return object;
  }
  case Kind::Either: {
    std::vector<std::string> alternatives;
    for (const ValueTable &alternative : table.alternatives)
      alternatives.push_back(describe(alternative));
    return llvm::join(alternatives, " or ");
  }
  }
  llvm_unreachable("all kinds are listed");
}

std::string boostc::frontend::describeExpected(const ValueTable &table) {
  return formatv("{0}{1}", describe(table), table.isNullable ? " or null" : "");
}
