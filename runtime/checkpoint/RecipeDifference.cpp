#include "runtime/checkpoint/RecipeDifference.h"

#include "runtime/program/RecipeIdentity.h"
#include "runtime/support/Suggest.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>
#include <set>
#include <vector>

namespace boostrt {

using nlohmann::json;

namespace {

/// More than a recipe has; deeper JSON comes from no compiler of ours.
constexpr int kMaxDepth = 80;
constexpr size_t kMaxShown = 6, kMaxValue = 60;

/// Whether elements of a list are told apart by their names, as layers are.
bool areNamed(const json &list) {
  std::set<std::string> names;
  for (const json &item : list) {
    auto name = item.is_object() ? item.find("name") : item.end();
    if (!item.is_object() || name == item.end() || !name->is_string() ||
        !names.insert(name->get<std::string>()).second)
      return false;
  }
  return true;
}

/// All values by their paths, "layers.fc1.units".
void flatten(const json &value, const std::string &path,
             std::map<std::string, std::string> &values) {
  auto below = [&](const std::string &key) {
    return path.empty() ? key : path + "." + key;
  };
  if (value.is_object() && !value.empty()) {
    for (const auto &[key, child] : value.items())
      flatten(child, below(key), values);
    return;
  }
  if (!value.is_array() || value.empty()) {
    std::string text =
        value.dump(-1, ' ', true, json::error_handler_t::replace);
    if (text.size() > kMaxValue)
      text = text.substr(0, kMaxValue) + "...";
    values[path] = printable(text);
    return;
  }
  bool named = areNamed(value);
  std::vector<std::string> order;
  for (size_t i = 0; i < value.size(); ++i) {
    std::string key =
        named ? value[i]["name"].get<std::string>() : fmt::to_string(i);
    flatten(value[i], below(key), values);
    order.push_back(printable(key));
  }
  if (named)
    values["the order of " + path] = fmt::format("{}", fmt::join(order, " "));
}

bool parse(const std::string &text, json &recipe) {
  bool tooDeep = false;
  auto limitDepth = [&](int depth, json::parse_event_t, json &) {
    tooDeep |= depth > kMaxDepth;
    return depth <= kMaxDepth;
  };
  recipe = json::parse(text, limitDepth, /*allow_exceptions=*/false);
  return recipe.is_object() && !tooDeep;
}

} // namespace

std::string recipeDifference(const std::string &found,
                             const std::string &expected) {
  json recipes[2];
  if (!parse(found, recipes[0]) || !parse(expected, recipes[1]))
    return "";
  std::map<std::string, std::string> values[2];
  std::set<std::string> keys;
  for (int i : {0, 1}) {
    flatten(recipeIdentity(std::move(recipes[i])), "", values[i]);
    for (const auto &[key, value] : values[i])
      keys.insert(key);
  }
  // Keys that one recipe alone has follow from others, such as the type of an
  // optimizer, which come first.
  std::vector<std::string> lines, alone;
  size_t count = 0;
  for (const std::string &key : keys) {
    auto valueOf = [&](int i) {
      auto at = values[i].find(key);
      return at == values[i].end() ? std::string("missing") : at->second;
    };
    std::string a = valueOf(0), b = valueOf(1);
    // A layer more or less is another order too, which says nothing new.
    bool isOrder = key.starts_with("the order of ");
    if (a == b || (isOrder && count > 0))
      continue;
    ++count;
    bool hasBoth = values[0].contains(key) && values[1].contains(key);
    (hasBoth ? lines : alone)
        .push_back(fmt::format("{} is {}, expected {}", printable(key), a, b));
  }
  lines.insert(lines.end(), alone.begin(), alone.end());
  lines.resize(std::min(lines.size(), kMaxShown));
  if (count > kMaxShown)
    lines.push_back(fmt::format("{} more keys differ", count - kMaxShown));
  return fmt::format("{}", fmt::join(lines, "; "));
}

} // namespace boostrt
