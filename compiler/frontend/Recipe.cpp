#include "compiler/frontend/Recipe.h"
#include "runtime/program/RecipeIdentity.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/SHA256.h"
#include <nlohmann/json.hpp>

using namespace boostc::frontend;
using nlohmann::json;

static json toJson(const Node &node) {
  switch (node.kind) {
  case Node::Kind::Null:
    return nullptr;
  case Node::Kind::Boolean:
    return node.boolean;
  case Node::Kind::Integer:
    return node.integer;
  case Node::Kind::Number:
    // 0.0 and -0.0 are one number.
    return node.number == 0.0 ? 0.0 : node.number;
  case Node::Kind::Text:
    return node.text;
  case Node::Kind::List: {
    json list = json::array();
    for (const Node &item : node.items)
      list.push_back(toJson(item));
    return list;
  }
  case Node::Kind::Object: {
    json object = json::object(); // sorts its keys
    for (const Member &member : node.members)
      object[member.key] = toJson(member.value);
    return object;
  }
  }
  llvm_unreachable("all kinds are listed");
}

/// The whole recipe; metrics are written by their names, as the file has them.
static json recipeJson(const Node &model) {
  json recipe = toJson(model);
  for (json &metric : recipe["metrics"])
    if (metric.size() == 1)
      metric = json(metric["op"]);
  return recipe;
}

std::string boostc::frontend::recipeText(const Node &model) {
  return recipeJson(model).dump();
}

std::string boostc::frontend::recipeHash(const Node &model) {
  std::string text = boostrt::recipeIdentity(recipeJson(model)).dump();
  auto digest = llvm::SHA256::hash(
      {reinterpret_cast<const uint8_t *>(text.data()), text.size()});
  return llvm::toHex(digest, /*LowerCase=*/true);
}
