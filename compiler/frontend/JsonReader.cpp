#include "compiler/frontend/JsonReader.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/FormatVariadic.h"
#include <nlohmann/json.hpp>

using namespace boostc::frontend;
using llvm::StringRef;
using nlohmann::json;

namespace {

/// An input iterator that tells how many bytes the lexer has taken.
class CountingIterator {
public:
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char *;
  using reference = const char &;

  CountingIterator(const char *position, size_t *taken)
      : position(position), taken(taken) {}
  reference operator*() const { return *position; }
  CountingIterator &operator++() {
    ++position;
    ++*taken;
    return *this;
  }
  bool operator==(const CountingIterator &other) const {
    return position == other.position;
  }
  bool operator!=(const CountingIterator &other) const {
    return !(*this == other);
  }

private:
  const char *position;
  size_t *taken;
};

/// Builds the tree from the parser's events. Every event comes right after the
/// lexer took its token, so a token's text lies between the end of the last one
/// and here.
class TreeBuilder {
public:
  using number_integer_t = json::number_integer_t;
  using number_unsigned_t = json::number_unsigned_t;
  using number_float_t = json::number_float_t;
  using string_t = json::string_t;
  using binary_t = json::binary_t;

  TreeBuilder(const Source &source, size_t begin, ErrorList &errors)
      : taken(begin), begin(begin), source(source), last(begin),
        errors(errors) {}

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
  bool number_float(number_float_t value, const string_t &) {
    return add(Node::makeNumber(value, {}));
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

  bool parse_error(size_t, const std::string &token,
                   const json::exception &exception);

  size_t taken; ///< bytes of the source that the lexer has
  size_t begin; ///< of the value in the source
  Node root;

private:
  /// The extent of the token just read. Numbers end where their characters end:
  /// the lexer takes one byte more to see that.
  Extent nextToken() {
    size_t begin = source.text.find_first_not_of(" \t\r\n,:", last);
    size_t end = taken;
    if (llvm::isDigit(source.text[begin]) || source.text[begin] == '-')
      end = std::min(source.text.find_first_not_of("+-0123456789.eE", begin),
                     source.text.size());
    last = end;
    return {&source, begin, end};
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
    node.extent = nextToken();
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
  size_t last; ///< where the last token ended
  ErrorList &errors;
  size_t values = 0;
  std::vector<Node *> stack; ///< open lists and objects, outermost first
  std::vector<llvm::StringMap<Extent>> keys; ///< of the open ones
  std::vector<std::unique_ptr<Node>> discarded;
  std::string keyName;
  Extent keyExtent;
  bool isDuplicate = false;
};

} // namespace

/// What a person who wrote this probably meant.
static StringRef hint(StringRef rest, char before) {
  if ((rest.starts_with("}") || rest.starts_with("]")) && before == ',')
    return "; remove the comma in front of it";
  StringRef word = rest.ltrim('-');
  if (word.starts_with_insensitive("nan") ||
      word.starts_with_insensitive("inf"))
    return "; JSON numbers are finite";
  if (rest.starts_with("/") || rest.starts_with("#"))
    return "; JSON has no comments";
  if (rest.starts_with("'"))
    return "; JSON texts stand in double quotes";
  if (rest.starts_with("True") || rest.starts_with("False") ||
      rest.starts_with("None"))
    return "; JSON writes true, false and null";
  return "";
}

bool TreeBuilder::parse_error(size_t, const std::string &token,
                              const json::exception &exception) {
  StringRef text = source.text, what = exception.what();
  size_t separator = what.find(" - ");
  size_t start =
      std::min(text.find_first_not_of(" \t\r\n,:", last), text.size());
  if (separator == StringRef::npos) { // a number beyond the range of a double
    errors.error({&source, start, taken},
                 llvm::formatv("number '{0}' is too large", printable(token)));
    return false;
  }
  what = what.substr(separator + 3).split("; last read:").first;
  // Where the lexer stopped: at this byte, or for whole tokens at their start.
  size_t at = taken > last ? taken - 1 : taken;
  bool isPunctuation = token.size() == 1 && !llvm::isAlnum(token[0]);
  if (what.starts_with("unexpected end of input"))
    at = std::max(text.rtrim(" \t\r\n").size(), begin);
  else if (what.starts_with("invalid literal") ||
           what.ends_with("missing closing quote") ||
           what.starts_with("invalid number") ||
           (what.starts_with("unexpected") && !isPunctuation))
    at = start;
  StringRef before = text.take_front(at).rtrim(" \t\r\n");
  errors.error({&source, at, taken},
               llvm::formatv("not valid JSON: {0}{1}", what,
                             hint(text.substr(at),
                                  before.empty() ? '\0' : before.back())));
  return false;
}

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
  if (size_t zero = text.find('\0', begin); zero != StringRef::npos) {
    errors.error({&source, zero, zero + 1}, "not valid JSON: a zero byte");
    return std::nullopt;
  }
  if (text.substr(begin).starts_with("\xEF\xBB\xBF"))
    begin += 3;
  TreeBuilder builder(source, begin, errors);
  CountingIterator first(text.data() + begin, &builder.taken);
  CountingIterator last(text.data() + text.size(), &builder.taken);
  bool isRead = json::sax_parse(first, last, &builder);
  if (!isRead)
    return std::nullopt;
  return std::move(builder.root);
}
