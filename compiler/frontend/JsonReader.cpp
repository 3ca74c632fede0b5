#include "compiler/frontend/JsonReader.h"
#include "runtime/support/JsonMistake.h"
#include "runtime/support/JsonTokens.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/FormatVariadic.h"

using namespace boostc::frontend;
using llvm::StringRef;
using nlohmann::json;

namespace {

/// Builds the tree from the parser's events.
class TreeBuilder {
public:
  using number_integer_t = json::number_integer_t;
  using number_unsigned_t = json::number_unsigned_t;
  using number_float_t = json::number_float_t;
  using string_t = json::string_t;
  using binary_t = json::binary_t;

  TreeBuilder(const Source &source, size_t begin, ErrorList &errors)
      : tokens(source.text, begin), source(source), errors(errors) {}

  bool null() { return add(Node()); }
  bool boolean(bool value) {
    Node node;
    node.kind = Node::Kind::Boolean;
    node.boolean = value;
    return add(std::move(node));
  }
  bool number_integer(number_integer_t value) {
    return add(Node::makeInteger(value, {}));
  }
  bool number_unsigned(number_unsigned_t value) {
    if (value > static_cast<uint64_t>(std::numeric_limits<int64_t>::max()))
      return add(Node::makeNumber(static_cast<double>(value), {}));
    return add(Node::makeInteger(static_cast<int64_t>(value), {}));
  }
  bool number_float(number_float_t value, const string_t &text) {
    StringRef digits =
        StringRef(text).take_until([](char c) { return c == 'e' || c == 'E'; });
    bool isLost =
        value == 0.0 && digits.find_first_of("123456789") != StringRef::npos;
    bool goesOn = add(Node::makeNumber(value, {}));
    if (isLost)
      errors.error(last, llvm::formatv("number '{0}' is below the range of "
                                       "64-bit floating point: it would be 0",
                                       printable(text)));
    return goesOn && !errors.isFull();
  }
  bool string(string_t &value) { return add(Node::makeText(value, {})); }
  bool binary(binary_t &) {
    llvm_unreachable("JSON text has no binary values");
  }

  bool start_object(size_t) { return open(Node::makeObject({})); }
  bool start_array(size_t) { return open(Node::makeList({})); }
  bool end_object() { return close(); }
  bool end_array() { return close(); }

  bool key(string_t &name) {
    keyExtent = nextToken();
    auto [first, isNew] = keys.back().try_emplace(name, keyExtent);
    isDuplicate = !isNew;
    if (isDuplicate)
      errors.error(keyExtent,
                   llvm::formatv("duplicate key '{0}'", printable(name)),
                   ErrorList::Note{first->second, "the first one is here"});
    keyName = std::move(name);
    return !errors.isFull();
  }

  bool parse_error(size_t, const std::string &lastRead,
                   const json::exception &exception) {
    boostrt::JsonTokens::Mistake mistake = tokens.explain(lastRead, exception);
    errors.error({&source, mistake.token.begin, mistake.token.end},
                 mistake.message);
    return false;
  }

  boostrt::JsonTokens tokens;
  Node root;

private:
  Extent nextToken() {
    boostrt::JsonTokens::Token token = tokens.next();
    return {&source, token.begin, token.end};
  }

  /// Puts `node` into the innermost open list or object.
  Node *place(Node node) {
    if (stack.empty()) {
      root = std::move(node);
      return &root;
    }
    Node &parent = *stack.back();
    if (parent.is(Node::Kind::List)) {
      parent.items.push_back(std::move(node));
      return &parent.items.back();
    }
    if (!isDuplicate)
      return &parent.add(keyName, keyExtent, std::move(node));
    // Read for its own errors, then dropped.
    isDuplicate = false;
    discarded.push_back(std::make_unique<Node>(std::move(node)));
    return discarded.back().get();
  }

  bool add(Node node) {
    node.extent = last = nextToken();
    if (++values > kMaxValues) {
      errors.error(node.extent,
                   llvm::formatv("more than {0} values; no model is that large",
                                 kMaxValues));
      return false;
    }
    place(std::move(node));
    return true;
  }

  bool open(Node node) {
    node.extent = nextToken();
    if (++values > kMaxValues)
      return add(Node());
    if (stack.size() == kMaxDepth) {
      errors.error(
          node.extent,
          llvm::formatv("nested more than {0} levels deep", kMaxDepth));
      return false;
    }
    stack.push_back(place(std::move(node)));
    keys.emplace_back();
    return true;
  }

  bool close() {
    stack.back()->extent.end = nextToken().end;
    stack.pop_back();
    keys.pop_back();
    return true;
  }

  const Source &source;
  ErrorList &errors;
  size_t values = 0;
  std::vector<Node *> stack; ///< open lists and objects, outermost first
  std::vector<llvm::StringMap<Extent>> keys; ///< of the open ones
  std::vector<std::unique_ptr<Node>> discarded;
  std::string keyName;
  Extent keyExtent, last; ///< of the last key and scalar
  bool isDuplicate = false;
};

} // namespace

std::optional<Node> boostc::frontend::readJson(const Source &source,
                                               size_t begin,
                                               ErrorList &errors) {
  StringRef text = source.text;
  if (text.size() > kMaxFileBytes) {
    errors.error({&source, 0, 0},
                 llvm::formatv("the file has {0} bytes; at most {1} are read",
                               text.size(), kMaxFileBytes));
    return std::nullopt;
  }
  // The lexer takes a zero byte for the end and would not see what follows it.
  if (text.contains('\0')) {
    boostrt::JsonMistake mistake = boostrt::explainZeroByte(text);
    errors.error({&source, mistake.begin, mistake.end},
                 "not valid JSON: " + mistake.message);
    return std::nullopt;
  }
  if (text.substr(begin).starts_with("\xEF\xBB\xBF"))
    begin += 3;
  TreeBuilder builder(source, begin, errors);
  if (!builder.tokens.parse(builder))
    return std::nullopt;
  return std::move(builder.root);
}
