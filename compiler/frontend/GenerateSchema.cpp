// The table as a JSON schema, draft-7, for editors.
#include "compiler/frontend/Frontend.h"
#include "compiler/frontend/ModelTable.h"
#include <cmath>
#include <nlohmann/json.hpp>

using namespace boostc;
using namespace boostc::frontend;
using json = nlohmann::ordered_json;
using Kind = ValueTable::Kind;

static json valueSchema(const ValueTable &table);

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

static json objectSchema(const ObjectTable &table,
                         const VariantTable *variant = {}) {
  json schema = {{"type", "object"}, {"description", table.summary}};
  json properties = json::object(), required = json::array();
  if (variant && variant->presenceKey.empty()) {
    properties[variant->selector] = {{"const", table.name},
                                     {"description", table.summary}};
    required.push_back(variant->selector);
  }
  for (const KeyTable &key : table.keys) {
    json property = valueSchema(key.value);
    property["description"] = key.doc;
    if (!key.defaultValue.empty())
      property["default"] = json::parse(key.defaultValue);
    properties[key.name] = std::move(property);
    if (key.isRequired)
      required.push_back(key.name);
  }
  schema["properties"] = std::move(properties);
  if (!required.empty())
    schema["required"] = std::move(required);
  schema["additionalProperties"] = false;
  return schema;
}

static json variantSchema(const VariantTable &table) {
  json cases = json::array();
  if (!table.numberCase.empty()) {
    const ObjectTable *object = table.find(table.numberCase);
    cases.push_back(valueSchema(object->find("value")->value));
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
    cases.push_back(objectSchema(object, &table));
  for (const ObjectTable &object : table.keyedCases)
    cases.push_back(objectSchema(object));
  return {{"anyOf", cases}};
}

static json referenceSchema() {
  return {{"type", "string"}, {"pattern", "^\\$"}};
}

static void allowReferences(json &schema);

/// `schema` or a reference.
static json orReference(json schema) {
  allowReferences(schema);
  json either = {{"anyOf", {schema, referenceSchema()}}};
  if (schema.contains("description")) {
    either["description"] = schema["description"];
    either["anyOf"][0].erase("description");
  }
  return either;
}

/// Inside of a block: wherever a value stands, a reference may stand too.
static void allowReferences(json &schema) {
  if (schema.contains("anyOf"))
    for (json &alternative : schema["anyOf"])
      allowReferences(alternative);
  for (const char *key : {"items", "additionalProperties"})
    if (schema.contains(key) && schema[key].is_object() && !schema[key].empty())
      schema[key] = orReference(schema[key]);
  if (schema.contains("properties"))
    for (json &property : schema["properties"])
      if (!property.contains("const"))
        property = orReference(property);
}

/// One layer of a block, whose op may be a reference too.
static json templateSchema(const ValueTable &table) {
  json schema = valueSchema(table);
  allowReferences(schema);
  schema["anyOf"].push_back(
      {{"type", "object"},
       {"description", "A layer whose op is the value of a parameter."},
       {"properties", {{table.variant->selector, referenceSchema()}}},
       {"required", {table.variant->selector}}});
  return schema;
}

static json valueSchema(const ValueTable &table) {
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
              {"items", table.isTemplate ? templateSchema(*table.element)
                                         : valueSchema(*table.element)},
              {"minItems", table.minItems},
              {"maxItems", table.maxItems}};
    break;
  case Kind::Object:
    schema = objectSchema(*table.object);
    break;
  case Kind::Map:
    schema = {{"type", "object"},
              {"propertyNames", {{"pattern", kNamePattern}}},
              {"additionalProperties", valueSchema(*table.element)},
              {"minProperties", table.minItems},
              {"maxProperties", table.maxItems}};
    break;
  case Kind::Variant:
    schema = variantSchema(*table.variant);
    break;
  case Kind::Either: {
    json alternatives = json::array();
    for (const ValueTable &alternative : table.alternatives)
      alternatives.push_back(valueSchema(alternative));
    schema["anyOf"] = std::move(alternatives);
    break;
  }
  }
  if (table.isNullable)
    schema = {{"anyOf", {schema, {{"type", "null"}}}}};
  return schema;
}

std::string boostc::generateSchema(mlir::MLIRContext &context) {
  loadModelDialects(context);
  ModelTable table(context);
  json schema = {{"$schema", "http://json-schema.org/draft-07/schema#"},
                 {"title", "boostc model file"}};
  schema.update(objectSchema(table.file()));
  return schema.dump(2) + "\n";
}
