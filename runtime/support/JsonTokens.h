// JsonTokens.h - positions of the tokens of a JSON text, which the events of
// its parser do not say.
#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace boostrt {

/// The tokens of one parse. An event comes right after the lexer took its
/// token, which therefore lies between the end of the last one and where the
/// lexer is.
class JsonTokens {
public:
  /// Bytes [begin, end) of the text.
  struct Token {
    size_t begin, end;
  };
  struct Mistake {
    Token token;
    std::string message; ///< "not valid JSON: expected a value, found '/'; ..."
  };

  /// Parses `text`, which outlives the object, from byte `begin` on.
  explicit JsonTokens(std::string_view text, size_t begin = 0)
      : text_(text), begin_(begin), taken_(begin), last_(begin) {}

  /// Whether the text is a JSON value and no event of `handler`, as nlohmann's
  /// json_sax has them, returned false.
  template <class Handler> bool parse(Handler &handler) {
    return nlohmann::json::sax_parse(
        Bytes{text_.data() + taken_, &taken_},
        Bytes{text_.data() + text_.size(), &taken_}, &handler);
  }

  /// The token of this event; each event but parse_error() calls it once.
  Token next();

  /// Explains parse_error(): where, what, and what was probably meant.
  Mistake explain(const std::string &lastRead,
                  const nlohmann::json::exception &exception) const;

private:
  /// An input iterator that tells how many bytes the lexer has taken.
  struct Bytes {
    using iterator_category = std::input_iterator_tag;
    using value_type = char;
    using difference_type = std::ptrdiff_t;
    using pointer = const char *;
    using reference = const char &;

    const char *position;
    size_t *taken;

    reference operator*() const { return *position; }
    Bytes &operator++() {
      ++position;
      ++*taken;
      return *this;
    }
    bool operator==(const Bytes &other) const {
      return position == other.position;
    }
    bool operator!=(const Bytes &other) const { return !(*this == other); }
  };

  /// Where the next token would begin.
  size_t ahead() const;

  std::string_view text_;
  size_t begin_;
  size_t taken_; ///< bytes of the text that the lexer has
  size_t last_;  ///< where the last token ended
};

} // namespace boostrt
