#include "compiler/report/RecipeText.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace boostc::report;
using nlohmann::json;

namespace {

constexpr size_t kMaxWidth = 80;

/// What says of an object what it is.
constexpr llvm::StringLiteral kNameKeys[] = {"op", "type", "schedule"};

} // namespace

static std::string describeInOneLine(const json &value);

/// The name of an object, if it has one, then each key with its value.
static std::vector<std::string> describeKeys(const json &object) {
  std::vector<std::string> parts;
  for (llvm::StringRef key : kNameKeys)
    if (auto name = object.find(key.str()); name != object.end())
      parts.push_back(describeInOneLine(*name));
  for (const auto &[key, value] : object.items()) {
    if (value.is_null() || llvm::is_contained(kNameKeys, key))
      continue;
    std::string text = describeInOneLine(value);
    parts.push_back(key + " " + (value.is_object() ? "(" + text + ")" : text));
  }
  return parts;
}

/// An item of a list, whose own keys must not read as more items.
static std::string describeItem(const json &item) {
  if (!item.is_object())
    return describeInOneLine(item);
  std::vector<std::string> parts = describeKeys(item);
  if (parts.size() < 2)
    return llvm::join(parts, "");
  auto rest = llvm::ArrayRef(parts).drop_front();
  return parts.front() + " (" + llvm::join(rest, ", ") + ")";
}

static std::string describeInOneLine(const json &value) {
  if (value.is_string())
    return value == "" ? "none" : value.get<std::string>();
  if (value.is_object())
    return llvm::join(describeKeys(value), ", ");
  if (!value.is_array())
    return value.dump();
  if (value.empty())
    return "none";
  bool hasNumbersOnly =
      llvm::all_of(value, [](const json &item) { return item.is_number(); });
  std::vector<std::string> items;
  for (const json &item : value)
    items.push_back(describeItem(item));
  return hasNumbersOnly ? "[" + llvm::join(items, ", ") + "]"
                        : llvm::join(items, "; ");
}

/// Where a line of at most `width` characters ends that `text` begins with:
/// after an item, else after a key or a number, else at the first space. npos
/// without a space.
static size_t findBreak(llvm::StringRef text, size_t width) {
  if (size_t end = text.take_front(width).rfind("; ");
      end != llvm::StringRef::npos)
    return end + 1;
  if (size_t end = text.take_front(width + 1).rfind(' ');
      end != llvm::StringRef::npos)
    return end;
  return text.find(' ');
}

/// Appends `text` to `lines`, broken at spaces.
static void wrap(llvm::StringRef text, std::vector<std::string> &lines) {
  std::string indent;
  while (indent.size() + text.size() > kMaxWidth) {
    size_t end = findBreak(text, kMaxWidth - indent.size());
    if (end == llvm::StringRef::npos)
      break;
    lines.push_back(indent + text.take_front(end).str());
    text = text.drop_front(end + 1);
    indent = "  ";
  }
  lines.push_back(indent + text.str());
}

std::vector<std::string>
boostc::report::describeValue(const nlohmann::json &value) {
  std::string text = describeInOneLine(value);
  std::vector<std::string> lines;
  if (text.size() > kMaxWidth && value.is_object())
    for (const std::string &part : describeKeys(value))
      wrap(part, lines);
  else
    wrap(text, lines);
  return lines;
}
