// The table as a JSON schema, draft 2020-12, for editors. What several places
// take is a definition of its own, so that the file stays readable. A layer is
// one definition, whose values may be references to parameters of a block;
// where layers are not in a block, none of their texts may be a reference.
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
    layers = file.find("layers")->value.element->variant.get();
    schema.update(writeObject(file));
    schema["$defs"] = std::move(definitions);
    return schema;
  }

private:
  /// A reference to `schema` as a definition; itself when it is short. Equal
  /// schemas are one definition, different ones of one name are numbered.
  json define(const std::string &name, json schema) {
    constexpr size_t shortText = 64;
    if (schema.contains("$ref") || schema.dump().size() <= shortText)
      return schema;
    for (const auto &[known, definition] : definitions.items())
      if (definition == schema)
        return {{"$ref", "#/$defs/" + known}};
    std::string unique = name;
    for (unsigned i = 2; definitions.contains(unique); ++i)
      unique = name + "." + std::to_string(i);
    definitions[unique] = std::move(schema);
    return {{"$ref", "#/$defs/" + unique}};
  }

  /// A layer of a block may refer to a parameter wherever it has a value.
  json orParameter(json schema) {
    if (isInLayer && !schema.empty())
      return {{"anyOf", {std::move(schema), parameter()}}};
    return schema;
  }

  json parameter() {
    definitions["parameter"] = {{"type", "string"},
                                {"pattern", "^\\$"},
                                {"description", "A parameter of the block."}};
    return {{"$ref", "#/$defs/parameter"}};
  }

  /// A value without references to parameters, however deep.
  json withoutParameters() {
    json self = {{"$ref", "#/$defs/without_parameters"}};
    definitions["without_parameters"] = {
        {"not", parameter()}, {"items", self}, {"additionalProperties", self}};
    return self;
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

  /// A layer. Of a block, its op may be a parameter, too.
  json writeLayer(bool isOfBlock) {
    isInLayer = true;
    json schema = writeVariant(*layers);
    isInLayer = false;
    schema["anyOf"].push_back(
        {{"type", "object"},
         {"description", "A layer whose op is the value of a parameter."},
         {"properties", {{layers->selector, parameter()}}},
         {"required", {layers->selector}}});
    schema = define("layer", std::move(schema));
    if (!isOfBlock)
      schema["additionalProperties"] = withoutParameters();
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
                {"items", table.element->variant.get() == layers
                              ? writeLayer(table.isTemplate)
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
  const VariantTable *layers = nullptr;
  bool isInLayer = false;
};

} // namespace

/// JSON as people lay it out: what fits into a line is one, and short members
/// share lines. A description may be longer; it is a line in any case.
static std::string layOut(const json &value, size_t indent = 0) {
  constexpr size_t width = 120;
  std::string line = value.dump();
  size_t length = indent + line.size();
  if (value.is_object() && value.contains("description") &&
      !value.contains("properties"))
    length -= value["description"].dump().size();
  if (length <= width || !value.is_structured() || value.empty())
    return line;
  bool isObject = value.is_object();
  constexpr size_t shortMember = 48;
  std::string text(1, isObject ? '{' : '[');
  size_t room = 0; // on a line of short members
  for (const auto &[key, item] : value.items()) {
    std::string member = isObject ? json(key).dump() + ": " : std::string();
    member += layOut(item, indent + 2);
    bool isFirst = text.size() == 1, isShort = member.size() <= shortMember;
    if (isShort && member.size() + 2 <= room) {
      text.append(", ");
      room -= member.size() + 2;
    } else {
      text.append(isFirst ? "\n" : ",\n").append(indent + 2, ' ');
      room = isShort ? width - indent - 2 - member.size() : 0;
    }
    text.append(member);
  }
  text.append("\n").append(indent, ' ').push_back(isObject ? '}' : ']');
  return text;
}

std::string boostc::generateSchema(mlir::MLIRContext &context) {
  loadModelDialects(context);
  ModelTable table(context);
  return layOut(SchemaWriter().write(table.file())) + "\n";
}
