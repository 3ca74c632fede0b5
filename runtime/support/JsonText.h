// JsonText.h - JSON that a person may have written, with the place of every
// value, so that an error can point at it.
#pragma once

#include "runtime/support/Status.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace boostrt {

/// A value; `offset` is where it begins in the text.
struct JsonNode {
  enum class Kind { Null, Boolean, Number, Text, List, Object };
  struct Member;

  Kind kind = Kind::Null;
  size_t offset = 0;
  std::string text; ///< of a text; of a number as it was written
  std::vector<JsonNode> items;
  std::vector<Member> members; ///< in the order of the text

  /// "a list", "a text": for messages.
  std::string_view kindName() const;
  const JsonNode *find(std::string_view key) const;
};

struct JsonNode::Member {
  std::string key;
  size_t offset = 0; ///< of the key
  JsonNode value;
};

class JsonText {
public:
  JsonText(std::string path, std::string text)
      : path_(std::move(path)), text_(std::move(text)) {}

  /// Fails with ExitCode::Input: not JSON, a key twice, deeper than any table.
  Result<JsonNode> parse() const;
  /// "PATH:3:14".
  std::string place(size_t offset) const;
  /// A failure with ExitCode::Input, with place and line.
  Status error(size_t offset, const std::string &message) const;

private:
  std::string path_, text_;
};

} // namespace boostrt
