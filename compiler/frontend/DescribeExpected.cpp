// The table's expectations in words, for messages.
#include "compiler/frontend/CheckModel.h"
#include "llvm/ADT/StringExtras.h"
#include <nlohmann/json.hpp>

using namespace boostc::frontend;
using Kind = ValueTable::Kind;

static std::string number(double value) {
  if (value == std::floor(value) && std::abs(value) < 1e15)
    return std::to_string(static_cast<int64_t>(value));
  return nlohmann::json(value).dump();
}

static std::string range(const ValueTable &table) {
  if (table.minimum && table.maximum && *table.minimum == *table.maximum)
    return " equal to " + number(*table.minimum);
  if (table.minimum && table.maximum)
    return " from " + number(*table.minimum) + " to " + number(*table.maximum);
  if (table.minimum && table.isMinimumExcluded)
    return " above " + number(*table.minimum);
  if (table.minimum)
    return " of " + number(*table.minimum) + " or more";
  if (table.maximum)
    return " of " + number(*table.maximum) + " or less";
  return {};
}

static std::string list(const ValueTable &table) {
  if (table.minItems == table.maxItems)
    return "a list of " + std::to_string(table.minItems);
  if (table.minItems > 0)
    return "a list of " + std::to_string(table.minItems) + " to " +
           std::to_string(table.maxItems);
  return "a list of at most " + std::to_string(table.maxItems);
}

std::string boostc::frontend::describeExpected(const ValueTable &table) {
  switch (table.kind) {
  case Kind::Integer:
    return "an integer" + range(table);
  case Kind::Number:
    return "a number" + range(table);
  case Kind::Boolean:
    return "true or false";
  case Kind::Text: {
    if (table.choices.empty())
      return table.isNullable ? "a text or null" : "a text";
    std::vector<std::string> quoted;
    for (const std::string &choice : table.choices)
      quoted.push_back("'" + choice + "'");
    return llvm::join(quoted, " or ");
  }
  case Kind::Name:
    return "a name of " + kNameRule.str();
  case Kind::List:
    return list(table);
  case Kind::Object:
  case Kind::Map:
    return "an object";
  case Kind::Variant: {
    const VariantTable &variant = *table.variant;
    if (!variant.presenceKey.empty())
      return "an object";
    std::string object = "an object with '" + variant.selector + "'";
    if (variant.hasTextForm)
      return "the name of a " + variant.what + " or " + object;
    if (!variant.numberCase.empty())
      return "a number or " + object;
    return object;
  }
  case Kind::Either:
    return describeExpected(table.alternatives[0]) + " or " +
           describeExpected(table.alternatives[1]);
  }
  llvm_unreachable("all kinds are listed");
}
