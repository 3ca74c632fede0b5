#include "runtime/support/JsonText.h"

#include "runtime/support/JsonMistake.h"
#include "runtime/support/JsonTokens.h"
#include "runtime/support/Suggest.h"

#include <fmt/format.h>

#include <algorithm>

namespace boostrt {
namespace {

using nlohmann::json;

constexpr size_t kMaxDepth = 16;   // a rank table has 5 levels
constexpr size_t kMaxMembers = 64; // and 4 members in an object

/// Builds nodes from the parser's events.
class NodeBuilder final : public nlohmann::json_sax<json> {
public:
  NodeBuilder(const JsonText &source, std::string_view text)
      : tokens(text), source_(source) {}

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

  bool parse_error(size_t, const std::string &lastRead,
                   const json::exception &exception) override {
    JsonTokens::Mistake mistake = tokens.explain(lastRead, exception);
    return fail(mistake.token.begin, mistake.message);
  }

  JsonTokens tokens;
  JsonNode root;
  Status failure;

private:
  size_t nextToken() { return tokens.next().begin; }

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
    nextToken();
    stack_.pop_back();
    return true;
  }

  bool fail(size_t offset, const std::string &message) {
    failure = source_.error(offset, message);
    return false;
  }

  const JsonText &source_;
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
    return error(zero, "not valid JSON: " + explainZeroByte(text_).message);
  NodeBuilder builder(*this, text_);
  if (!builder.tokens.parse(builder))
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
  // A caret below a line that is cut, or whose bytes are not columns, would
  // lie.
  bool isPlain = line.size() <= 160 &&
                 std::all_of(line.begin(), line.end(),
                             [](char c) { return c >= ' ' && c < 127; });
  if (isPlain && !line.empty())
    shown += fmt::format("\n{}\n{:>{}}", line, '^', column + 1);
  return Status(ExitCode::Input, std::move(shown));
}

} // namespace boostrt
