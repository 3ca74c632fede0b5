#include "compiler/frontend/Overrides.h"
#include "compiler/frontend/JsonReader.h"
#include "compiler/frontend/LayerNames.h"
#include "runtime/support/JsonMistake.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"

using namespace boostc::frontend;
using llvm::formatv;
using llvm::StringRef;

std::optional<Node> boostc::frontend::readOptionValue(const Source &option,
                                                      size_t begin,
                                                      ErrorList &errors) {
  StringRef text = option.text.substr(begin);
  Extent extent{&option, begin, option.text.size()};
  if (!llvm::json::isUTF8(text)) {
    errors.error(extent, "the value is not UTF-8");
    return std::nullopt;
  }
  StringRef start = text.ltrim();
  // What is JSON but for a number out of range, or begins like JSON that no
  // plain text begins like, must be JSON.
  bool mustBeJson = start.starts_with("{") || start.starts_with("[") ||
                    start.starts_with("\"") ||
                    !boostrt::findJsonMistake(option.text, begin);
  ErrorList attempt(nullptr);
  std::optional<Node> node =
      readJson(option, begin, mustBeJson ? errors : attempt);
  if (!node && !mustBeJson)
    node = Node::makeText(text, extent);
  return node;
}

namespace {

/// Walks one path into a document.
class PathWalker {
public:
  PathWalker(const Source &option, size_t end, ErrorList &errors)
      : option(option), path(option.text.take_front(end)), errors(errors) {}

  /// The value that the path names, created where a key was absent; null after
  /// an error.
  Node *walk(Node &document) {
    Node *node = &document;
    while (at <= path.size() && node) {
      if (node->is(Node::Kind::List))
        node = stepIntoList(*node);
      else if (node->is(Node::Kind::Object))
        node = stepIntoObject(*node);
      else
        return fail(formatv("'{0}' is {1}, which has nothing inside",
                            printable(path.take_front(at - 1)),
                            node->describe()));
    }
    return node;
  }

private:
  Node *fail(std::string message) {
    errors.error({&option, at, path.size()}, std::move(message));
    return nullptr;
  }

  /// The extent of the next `length` bytes, and past the dot after them.
  Extent take(size_t length) {
    Extent extent{&option, at, at + length};
    at += length + 1;
    return extent;
  }

  Node *stepIntoObject(Node &object) {
    StringRef key = path.substr(at).split('.').first;
    if (key.empty())
      return fail("expected a key, as in optimizer.learning_rate=0.1");
    Extent extent = take(key.size());
    if (Node *value = object.find(key))
      return value;
    // What is there now is replaced in the end, or is an object on the
    // way.
    return &object.add(key, extent, Node::makeObject(extent));
  }

  Node *stepIntoList(Node &list) {
    StringRef rest = path.substr(at), part = rest.split('.').first;
    size_t index = 0;
    if (!part.empty() && llvm::all_of(part, llvm::isDigit)) {
      if (part.getAsInteger(10, index) || index > list.items.size())
        return fail(formatv("element {0} of a list of {1}", printable(part),
                            list.items.size()));
      Extent extent = take(part.size());
      if (index == list.items.size())
        list.items.push_back(Node::makeObject(extent));
      return &list.items[index];
    }
    // Names may hold dots: the longest that continues the path.
    std::vector<std::string> names;
    if (path.take_front(at).ends_with("layers."))
      names = layerNames(list);
    size_t best = names.size();
    for (auto [candidate, name] : llvm::enumerate(names)) {
      bool isHere = !name.empty() && rest.starts_with(name) &&
                    (rest.size() == name.size() || rest[name.size()] == '.');
      if (isHere && (best == names.size() || name.size() > names[best].size()))
        best = candidate;
    }
    if (best < names.size()) {
      take(names[best].size());
      return &list.items[best];
    }
    return fail(noElement(part, names));
  }

  const Source &option;
  StringRef path;
  ErrorList &errors;
  size_t at = 0;
};

} // namespace

std::string boostc::frontend::noElement(StringRef part,
                                        const std::vector<std::string> &names) {
  std::vector<StringRef> legal;
  for (const std::string &name : names)
    if (!name.empty())
      legal.push_back(name);
  return formatv("no element '{0}'; write its number from 0{1}{2}",
                 printable(part), legal.empty() ? "" : " or its name",
                 suggest(part, legal, "names"));
}

void boostc::frontend::applyOverride(Node &document, const Source &option,
                                     ErrorList &errors) {
  size_t equals = option.text.find('=');
  if (equals == StringRef::npos || equals == 0) {
    errors.error({&option, 0, option.text.size()},
                 "expected PATH=VALUE, as in optimizer.learning_rate=0.1");
    return;
  }
  std::optional<Node> value = readOptionValue(option, equals + 1, errors);
  Node *place = PathWalker(option, equals, errors).walk(document);
  if (place && value)
    *place = std::move(*value);
}
