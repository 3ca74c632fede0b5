#include "runtime/launch/JsonText.h"

#include "runtime/support/Suggest.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace boostrt {
namespace {

using nlohmann::json;

constexpr size_t kMaxDepth = 16;   // a rank table has 5 levels
constexpr size_t kMaxMembers = 64; // and 4 members in an object

/// An input iterator that tells how many bytes the lexer has taken.
struct CountingIterator {
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char *;
  using reference = const char &;

  const char *position;
  size_t *taken;

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
};

/// Builds nodes from the parser's events. An event comes right after the lexer
/// took its token, so the token begins at the first byte after the last one
/// that is neither white space nor punctuation between values.
class NodeBuilder final : public nlohmann::json_sax<json> {
public:
  NodeBuilder(const JsonText &source, std::string_view text)
      : source_(source), text_(text) {}

  bool null() override { return add(JsonNode::Kind::Null, {}); }
  bool boolean(bool) override { return add(JsonNode::Kind::Boolean, {}); }
  bool number_integer(number_integer_t value) override {
    return add(JsonNode::Kind::Number, fmt::format("{}", value));
  }
  bool number_unsigned(number_unsigned_t value) override {
    return add(JsonNode::Kind::Number, fmt::format("{}", value));
  }
  bool number_float(number_float_t, const string_t &written) override {
    return add(JsonNode::Kind::Number, written);
  }
  bool string(string_t &value) override {
    return add(JsonNode::Kind::Text, value);
  }
  bool binary(binary_t &) override { return false; } // JSON text has none
  bool start_object(size_t) override { return open(JsonNode::Kind::Object); }
  bool start_array(size_t) override { return open(JsonNode::Kind::List); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }

  bool key(string_t &name) override {
    JsonNode::Member member{name, nextToken(), {}};
    for (const JsonNode::Member &other : stack_.back()->members)
      if (other.key == name)
        return fail(member.offset,
                    fmt::format("'{}' is there twice; the first one is at {}",
                                printable(name), source_.place(other.offset)));
    if (stack_.back()->members.size() == kMaxMembers)
      return fail(
          member.offset,
          fmt::format("an object of more than {} members", kMaxMembers));
    stack_.back()->members.push_back(std::move(member));
    return true;
  }

  bool parse_error(size_t, const std::string &,
                   const json::exception &exception) override {
    std::string what = exception.what();
    if (size_t reason = what.find(" - "); reason != std::string::npos)
      what = what.substr(reason + 3);
    what = what.substr(0, what.find("; last read:"));
    size_t end = text_.find_last_not_of(" \t\r\n");
    size_t at = std::min(taken > last_ ? taken - 1 : taken,
                         end == std::string_view::npos ? 0 : end + 1);
    return fail(at, "not valid JSON: " + printable(what));
  }

  size_t taken = 0; ///< bytes of the text that the lexer has
  JsonNode root;
  Status failure;

private:
  size_t nextToken() {
    size_t begin = text_.find_first_not_of(" \t\r\n,:", last_);
    last_ = taken;
    // The lexer takes one byte more to see that a number ends.
    if (text_[begin] == '-' || (text_[begin] >= '0' && text_[begin] <= '9'))
      last_ = std::min(text_.find_first_not_of("+-0123456789.eE", begin),
                       text_.size());
    return begin;
  }

  JsonNode &place(JsonNode node) {
    if (stack_.empty())
      return root = std::move(node);
    JsonNode &parent = *stack_.back();
    if (parent.kind == JsonNode::Kind::Object)
      return parent.members.back().value = std::move(node);
    parent.items.push_back(std::move(node));
    return parent.items.back();
  }

  bool add(JsonNode::Kind kind, std::string text) {
    place(JsonNode{kind, nextToken(), std::move(text), {}, {}});
    return true;
  }

  bool open(JsonNode::Kind kind) {
    size_t offset = nextToken();
    if (stack_.size() == kMaxDepth)
      return fail(offset,
                  fmt::format("nested more than {} levels deep", kMaxDepth));
    stack_.push_back(&place(JsonNode{kind, offset, {}, {}, {}}));
    return true;
  }

  bool close() {
    last_ = taken;
    stack_.pop_back();
    return true;
  }

  bool fail(size_t offset, const std::string &message) {
    failure = source_.error(offset, message);
    return false;
  }

  const JsonText &source_;
  std::string_view text_;
  size_t last_ = 0;               ///< where the last token ended
  std::vector<JsonNode *> stack_; ///< open lists and objects, outermost first
};

} // namespace

std::string_view JsonNode::kindName() const {
  switch (kind) {
  case Kind::Null:
    return "null";
  case Kind::Boolean:
    return "true or false";
  case Kind::Number:
    return "a number";
  case Kind::Text:
    return "a text";
  case Kind::List:
    return "a list";
  case Kind::Object:
    return "an object";
  }
  return "";
}

const JsonNode *JsonNode::find(std::string_view key) const {
  for (const Member &member : members)
    if (member.key == key)
      return &member.value;
  return nullptr;
}

Result<JsonNode> JsonText::parse() const {
  // The lexer takes a zero byte for the end and would not see what follows it.
  if (size_t zero = text_.find('\0'); zero != std::string::npos)
    return error(zero, "not valid JSON: a zero byte");
  NodeBuilder builder(*this, text_);
  CountingIterator first{text_.data(), &builder.taken};
  CountingIterator last{text_.data() + text_.size(), &builder.taken};
  if (!json::sax_parse(first, last, &builder))
    return builder.failure;
  return std::move(builder.root);
}

std::string JsonText::place(size_t offset) const {
  std::string_view before = std::string_view(text_).substr(0, offset);
  size_t lineBegin = before.rfind('\n') + 1; // 0 when there is none
  return fmt::format("{}:{}:{}", path_,
                     std::count(before.begin(), before.end(), '\n') + 1,
                     before.size() - lineBegin + 1);
}

Status JsonText::error(size_t offset, const std::string &message) const {
  size_t begin = std::string_view(text_).substr(0, offset).rfind('\n') + 1;
  std::string_view line = std::string_view(text_).substr(begin);
  line = line.substr(0, line.find('\n'));
  std::string shown = fmt::format("{}: {}", place(offset), message);
  size_t column = offset - begin;
  // A caret below a line that is cut, or whose bytes are no columns, would lie.
  bool isPlain = line.size() <= 160 &&
                 std::all_of(line.begin(), line.end(),
                             [](char c) { return c >= ' ' && c < 127; });
  if (isPlain && !line.empty())
    shown += fmt::format("\n{}\n{:>{}}", line, '^', column + 1);
  return Status(ExitCode::Input, std::move(shown));
}

} // namespace boostrt
