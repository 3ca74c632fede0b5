// The table as a JSON schema, draft 2020-12, for editors. What several places
// take is a definition of its own, so that the file stays readable.
#include "compiler/frontend/Frontend.h"
#include "compiler/frontend/ModelTable.h"
#include <cmath>
#include <nlohmann/json.hpp>

using namespace boostc;
using namespace boostc::frontend;
using json = nlohmann::ordered_json;
using Kind = ValueTable::Kind;

static constexpr const char *kNamePattern = "^[A-Za-z0-9_./-]{1,200}$";
static constexpr const char *kWordPattern = "^[A-Za-z0-9_]{1,200}$";

/// Whole numbers without a fraction, as a person would write them.
static json number(double value) {
  if (value == std::floor(value) && std::abs(value) <= 9007199254740992.0)
    return static_cast<int64_t>(value);
  return value;
}

static void addRange(json &schema, const ValueTable &table) {
  if (table.minimum)
    schema[table.isMinimumExcluded ? "exclusiveMinimum" : "minimum"] =
        number(*table.minimum);
  if (table.maximum)
    schema["maximum"] = number(*table.maximum);
}

namespace {

class SchemaWriter {
public:
  json write(const ObjectTable &file) {
    json schema = {{"$schema", "https://json-schema.org/draft/2020-12/schema"},
                   {"title", "boostc model file"}};
    schema.update(writeObject(file));
    schema["$defs"] = std::move(definitions);
    return schema;
  }

private:
  /// A reference to `schema` as a definition; itself when it is short. Equal
  /// schemas are one definition, different ones of one name are numbered.
  json define(const std::string &name, json schema) {
    constexpr size_t shortText = 72;
    if (schema.contains("$ref") || schema.dump().size() <= shortText)
      return schema;
    for (const auto &[known, definition] : definitions.items())
      if (definition == schema)
        return {{"$ref", "#/$defs/" + known}};
    std::string base = isTemplate ? name + ".in_block" : name;
    std::string unique = base;
    for (unsigned i = 2; definitions.contains(unique); ++i)
      unique = base + "." + std::to_string(i);
    definitions[unique] = std::move(schema);
    return {{"$ref", "#/$defs/" + unique}};
  }

  /// A layer of a block may refer to a parameter wherever it has a value.
  json orParameter(json schema) {
    if (isTemplate && !schema.empty())
      return {{"anyOf", {std::move(schema), parameter()}}};
    return schema;
  }

  json parameter() {
    definitions["parameter"] = {{"type", "string"},
                                {"pattern", "^\\$"},
                                {"description", "A parameter of the block."}};
    return {{"$ref", "#/$defs/parameter"}};
  }

  json writeObject(const ObjectTable &table, const VariantTable *variant = {}) {
    json schema = {{"type", "object"}, {"description", table.summary}};
    json properties = json::object(), required = json::array();
    if (variant && variant->presenceKey.empty()) {
      properties[variant->selector] = {{"const", table.name}};
      required.push_back(variant->selector);
    }
    for (const KeyTable &key : table.keys) {
      properties[key.name] = writeProperty(key);
      if (key.isRequired)
        required.push_back(key.name);
    }
    schema["properties"] = std::move(properties);
    if (!required.empty())
      schema["required"] = std::move(required);
    schema["additionalProperties"] = false;
    return schema;
  }

  json writeProperty(const KeyTable &key) {
    json value = orParameter(writeValue(key.value));
    if (isTemplate) // told where a layer has it
      return define(key.name, std::move(value));
    json notes = {{"description", key.doc}};
    if (!key.defaultValue.empty())
      notes["default"] = json::parse(key.defaultValue);
    if (key.isCommon) {
      value.update(notes);
      return define(key.name, std::move(value));
    }
    bool isVariant = key.value.kind == Kind::Variant;
    value = define(isVariant ? firstWord(key.value.variant->what) : key.name,
                   std::move(value));
    value.update(notes);
    return value;
  }

  /// "layer" of "layer op".
  static std::string firstWord(llvm::StringRef what) {
    return what.split(' ').first.str();
  }

  json writeVariant(const VariantTable &table) {
    std::string prefix = firstWord(table.what);
    json cases = json::array();
    if (!table.numberCase.empty()) {
      const ObjectTable *object = table.find(table.numberCase);
      cases.push_back(writeValue(object->find("value")->value));
    }
    if (table.hasTextForm) {
      json names = json::array();
      for (const ObjectTable &object : table.cases)
        if (llvm::none_of(object.keys,
                          [](const KeyTable &k) { return k.isRequired; }))
          names.push_back(object.name);
      cases.push_back({{"enum", names}});
    }
    for (const ObjectTable &object : table.cases)
      cases.push_back(
          define(prefix + "." + object.name, writeObject(object, &table)));
    for (const ObjectTable &object : table.keyedCases)
      cases.push_back(define(prefix + "." + object.name, writeObject(object)));
    return {{"anyOf", cases}};
  }

  /// One layer of a block, whose op may be a parameter, too.
  json writeTemplate(const ValueTable &table) {
    isTemplate = true;
    json schema = writeVariant(*table.variant);
    isTemplate = false;
    schema["anyOf"].push_back(
        {{"type", "object"},
         {"description", "A layer whose op is the value of a parameter."},
         {"properties", {{table.variant->selector, parameter()}}},
         {"required", {table.variant->selector}}});
    return schema;
  }

  json writeValue(const ValueTable &table) {
    json schema = json::object();
    switch (table.kind) {
    case Kind::Integer:
    case Kind::Number:
      schema["type"] = table.kind == Kind::Integer ? "integer" : "number";
      addRange(schema, table);
      break;
    case Kind::Boolean:
      schema["type"] = "boolean";
      break;
    case Kind::Text:
      if (table.choices.empty())
        schema["type"] = "string";
      else
        schema["enum"] = table.choices;
      break;
    case Kind::Name:
      schema = {{"type", "string"}, {"pattern", kNamePattern}};
      break;
    case Kind::Word:
      schema = {{"type", "string"}, {"pattern", kWordPattern}};
      break;
    case Kind::Any:
      break;
    case Kind::List:
      schema = {{"type", "array"},
                {"items", table.isTemplate
                              ? writeTemplate(*table.element)
                              : orParameter(writeValue(*table.element))},
                {"minItems", table.minItems},
                {"maxItems", table.maxItems}};
      break;
    case Kind::Object:
      schema = writeObject(*table.object);
      break;
    case Kind::Map:
      schema = {
          {"type", "object"},
          {"propertyNames", {{"pattern", kNamePattern}}},
          {"additionalProperties", orParameter(writeValue(*table.element))},
          {"minProperties", table.minItems},
          {"maxProperties", table.maxItems}};
      break;
    case Kind::Variant:
      schema = writeVariant(*table.variant);
      break;
    case Kind::Either: {
      json alternatives = json::array();
      for (const ValueTable &alternative : table.alternatives)
        alternatives.push_back(writeValue(alternative));
      schema["anyOf"] = std::move(alternatives);
      break;
    }
    }
    if (table.isNullable)
      schema = {{"anyOf", {schema, {{"type", "null"}}}}};
    return schema;
  }

  json definitions = json::object();
  bool isTemplate = false;
};

} // namespace

/// JSON as people lay it out: what fits into a line is one.
static std::string layOut(const json &value, size_t indent = 0) {
  constexpr size_t width = 120;
  std::string line = value.dump();
  if (indent + line.size() <= width || !value.is_structured() || value.empty())
    return line;
  bool isObject = value.is_object();
  std::string text(1, isObject ? '{' : '[');
  for (const auto &[key, item] : value.items()) {
    text.append(text.size() == 1 ? "\n" : ",\n").append(indent + 2, ' ');
    if (isObject)
      text.append(json(key).dump()).append(": ");
    text.append(layOut(item, indent + 2));
  }
  text.append("\n").append(indent, ' ').push_back(isObject ? '}' : ']');
  return text;
}

std::string boostc::generateSchema(mlir::MLIRContext &context) {
  loadModelDialects(context);
  ModelTable table(context);
  return layOut(SchemaWriter().write(table.file())) + "\n";
}
