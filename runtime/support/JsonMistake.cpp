#include "runtime/support/JsonMistake.h"

#include "runtime/support/Suggest.h"

#include <algorithm>
#include <fmt/format.h>
#include <vector>

namespace boostrt {
namespace {

constexpr std::string_view kSpace = " \t\r\n";

bool isDigit(char c) { return c >= '0' && c <= '9'; }
bool isLetter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}
bool isHex(char c) {
  return isDigit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}
/// A byte of numbers, literals and what people write in their place.
bool isWordByte(char c) {
  return isDigit(c) || isLetter(c) || c == '_' || c == '+' || c == '-' ||
         c == '.' || c == '$';
}

/// A number by RFC 8259.
bool isNumber(std::string_view word) {
  auto takeDigits = [&] {
    size_t count = std::ranges::find_if_not(word, isDigit) - word.begin();
    word.remove_prefix(count);
    return count;
  };
  auto take = [&](std::string_view set) {
    bool isHere = !word.empty() && set.find(word[0]) != std::string_view::npos;
    word.remove_prefix(isHere);
    return isHere;
  };
  take("-");
  bool beginsWithZero = word.starts_with('0');
  size_t digits = takeDigits();
  if (digits == 0 || (beginsWithZero && digits > 1))
    return false;
  if (take(".") && takeDigits() == 0)
    return false;
  if (take("eE")) {
    take("+-");
    if (takeDigits() == 0)
      return false;
  }
  return word.empty();
}

/// What is wrong with a word that is neither a number nor a literal.
std::string judgeWord(std::string_view word) {
  if (word == "True" || word == "False" || word == "None")
    return "; JSON writes true, false and null";
  std::string_view digits =
      word.substr(std::min(word.find_first_not_of("+-"), word.size()));
  for (std::string_view name : {"nan", "inf", "infinity"})
    if (isSameSpelling(digits, name))
      return "; JSON numbers are finite";
  for (std::string_view literal : {"true", "false", "null"})
    if (isSameSpelling(word, literal))
      return fmt::format("; JSON writes {}", literal);
  if (digits.empty() || (!isDigit(digits[0]) && digits[0] != '.'))
    return "; JSON texts are in double quotes";
  if (word.starts_with('+'))
    return "; JSON numbers have no leading '+'";
  if (digits.starts_with("0x") || digits.starts_with("0X"))
    return "; JSON numbers are decimal";
  if (digits.size() > 1 && digits[0] == '0' && isDigit(digits[1]))
    return "; JSON numbers have no leading zeros";
  if (digits.starts_with('.') || digits.ends_with('.'))
    return "; JSON numbers have digits before and after the point";
  return "; JSON numbers are written as 12, -0.5 or 1e-3";
}

class MistakeFinder {
public:
  MistakeFinder(std::string_view text, size_t begin)
      : text(text), start(begin), at(begin) {}

  std::optional<JsonMistake> find() {
    next = Expected::Value;
    while (!mistake && !isDone) {
      skipSpace();
      step();
    }
    return mistake;
  }

private:
  /// What the grammar wants at this place.
  enum class Expected { Value, ValueOrEnd, Key, KeyOrEnd, Colon, CommaOrEnd };

  void skipSpace() {
    at = std::min(text.find_first_not_of(kSpace, at), text.size());
  }
  char current() const { return text[at]; }

  void fail(size_t begin, size_t end, std::string message) {
    mistake = {begin, std::max(begin, end), std::move(message)};
  }
  /// The same where something else was expected.
  void failHere(std::string expected) {
    std::string_view token = tokenHere();
    fail(at, at + token.size(),
         fmt::format("expected {}, found {}{}", expected, describe(token),
                     hint(token)));
  }

  /// What begins at this place, for messages: a word, a text or one character.
  std::string_view tokenHere() const {
    size_t end = at;
    if (current() == '"') {
      end = text.find_first_of("\"\n", at + 1);
      end = end == std::string_view::npos ? text.size()
                                          : end + (text[end] == '"');
    } else {
      while (end < text.size() && isWordByte(text[end]))
        ++end;
      if (end == at)
        end += std::max<size_t>(utf8Bytes(text.substr(at)), 1);
    }
    return text.substr(at, end - at);
  }

  static std::string describe(std::string_view token) {
    constexpr size_t kLongest = 40;
    std::string shown = printable(token, kLongest);
    return token.starts_with('"') ? shown : "'" + shown + "'";
  }

  /// What was probably meant.
  std::string hint(std::string_view token) const {
    char c = token.front();
    if ((c == '}' || c == ']') && followsComma())
      return "; remove the comma before it";
    if (c == ',' && followsComma())
      return "; remove one of the two commas";
    if (c == '/' || c == '#')
      return "; JSON has no comments";
    if (c == '\'' || c == '`')
      return "; JSON texts are in double quotes";
    if (c == '=')
      return "; JSON writes ':' after a key";
    if (isWordByte(c) && lastEnd == start)
      return "; JSON in UTF-8 is expected, which begins with '{'";
    if (isWordByte(c))
      return judgeWord(token);
    if (static_cast<unsigned char>(c) >= 0x80)
      return "; JSON in UTF-8 is expected";
    return "";
  }

  bool isInObject() const { return !open.empty() && open.back() == '{'; }
  /// Whether the last token was a comma; before the first there is none.
  bool followsComma() const {
    return lastEnd > start && text[lastEnd - 1] == ',';
  }

  std::string describeExpected() const {
    switch (next) {
    case Expected::Value:
      return followsComma()    ? "a value after ','"
             : lastEnd > start ? "a value after ':'"
                               : "a JSON value";
    case Expected::ValueOrEnd:
      return "a value or ']'";
    case Expected::Key:
      return "a key in double quotes after ','";
    case Expected::KeyOrEnd:
      return "a key in double quotes or '}'";
    case Expected::Colon:
      return "':' after the key " + describe(last());
    case Expected::CommaOrEnd:
      return fmt::format("',' or '{}' after {}", isInObject() ? '}' : ']',
                         describeLast());
    }
    return {};
  }

  std::string_view last() const {
    return text.substr(lastBegin, lastEnd - lastBegin);
  }
  /// The value that ended last, as it is written.
  std::string describeLast() const {
    std::string_view token = last();
    bool isWord = isWordByte(token.front());
    return isWord ? printable(token, 40) : describe(token);
  }

  void step() {
    if (at == text.size()) {
      size_t end = std::max(text.find_last_not_of(kSpace) + 1, start);
      if (!open.empty() || next != Expected::CommaOrEnd)
        fail(end, end,
             fmt::format("expected {}, found the end of the text",
                         describeExpected()));
      isDone = true;
      return;
    }
    if (next == Expected::CommaOrEnd && open.empty()) {
      failHere("nothing after " + describeLast());
      return;
    }
    switch (next) {
    case Expected::Value:
    case Expected::ValueOrEnd:
      return stepValue();
    case Expected::Key:
    case Expected::KeyOrEnd:
      return stepKey();
    case Expected::Colon:
      if (current() == ':')
        return take(1, Expected::Value);
      return failHere(describeExpected());
    case Expected::CommaOrEnd:
      return stepRest();
    }
  }

  void take(size_t bytes, Expected then) {
    lastBegin = at;
    lastEnd = at += bytes;
    next = then;
  }

  void close() {
    open.pop_back();
    take(1, Expected::CommaOrEnd);
  }

  void stepValue() {
    char c = current();
    if (c == '{' || c == '[') {
      open.push_back(c);
      return take(1, c == '{' ? Expected::KeyOrEnd : Expected::ValueOrEnd);
    }
    if (c == ']' && next == Expected::ValueOrEnd)
      return close();
    if (c == '"')
      return stepText(Expected::CommaOrEnd);
    std::string_view word = tokenHere();
    if (word == "true" || word == "false" || word == "null" || isNumber(word))
      return take(word.size(), Expected::CommaOrEnd);
    failHere(describeExpected());
  }

  void stepKey() {
    if (current() == '}' && next == Expected::KeyOrEnd)
      return close();
    if (current() == '"')
      return stepText(Expected::Colon);
    failHere(describeExpected());
  }

  void stepRest() {
    char end = isInObject() ? '}' : ']';
    if (current() == end)
      return close();
    if (current() == ',')
      return take(1, isInObject() ? Expected::Key : Expected::Value);
    // A comma was forgotten: its place is on the line of what it follows.
    bool beginsNext = current() == '"' ||
                      (!isInObject() && (isWordByte(current()) ||
                                         current() == '{' || current() == '['));
    if (beginsNext)
      return fail(lastEnd, lastEnd, "expected " + describeExpected());
    failHere(describeExpected());
  }

  /// A text up to its closing quote.
  void stepText(Expected then) {
    size_t end = at + 1;
    for (; end < text.size() && text[end] != '"'; ++end) {
      auto c = static_cast<unsigned char>(text[end]);
      if (c == '\n' || c == '\r')
        return fail(end, end,
                    "expected '\"' at the end of this text, found the end of "
                    "the line; JSON writes \\n for it");
      if (c < 0x20)
        return fail(end, end + 1,
                    fmt::format("the control character U+{:04X} in a text; "
                                "JSON writes \\u{:04x} for it",
                                c, c));
      if (c == '\\') {
        size_t bytes = escapeBytes(end);
        if (bytes == 0)
          return;
        end += bytes - 1;
      } else if (c >= 0x80) {
        size_t bytes = utf8Bytes(text.substr(end));
        if (bytes == 0)
          return fail(end, end + 1,
                      fmt::format("the byte \\x{:02x} in a text is not UTF-8; "
                                  "JSON in UTF-8 is expected",
                                  c));
        end += bytes - 1;
      }
    }
    if (end >= text.size())
      return fail(at, text.size(),
                  "expected '\"' at the end of this text, found the end of the "
                  "file");
    take(end + 1 - at, then);
  }

  /// Four hexadecimal digits at `from`, or nothing.
  std::optional<unsigned> codeUnit(size_t from) const {
    unsigned code = 0;
    for (size_t i = from; i < from + 4; ++i) {
      if (i >= text.size() || !isHex(text[i]))
        return std::nullopt;
      char c = text[i];
      code = code * 16 + (isDigit(c) ? c - '0' : (c | 0x20) - 'a' + 10);
    }
    return code;
  }

  /// Length of the escape at `from`; 0 after a mistake.
  size_t escapeBytes(size_t from) {
    char c = from + 1 < text.size() ? text[from + 1] : '\0';
    if (c != '\0' &&
        std::string_view("\"\\/bfnrt").find(c) != std::string_view::npos)
      return 2;
    if (c != 'u') {
      fail(from, from + 2,
           fmt::format("{} is not an escape of JSON; a backslash is written "
                       "\\\\",
                       describe(text.substr(from, 2))));
      return 0;
    }
    std::optional<unsigned> code = codeUnit(from + 2);
    auto isBetween = [](std::optional<unsigned> code, unsigned first,
                        unsigned last) {
      return code && *code >= first && *code <= last;
    };
    bool isHigh = isBetween(code, 0xd800, 0xdbff);
    bool isPair = isHigh && text.substr(from + 6, 2) == "\\u" &&
                  isBetween(codeUnit(from + 8), 0xdc00, 0xdfff);
    if (isPair)
      return 12;
    if (code && !isHigh && !isBetween(code, 0xdc00, 0xdfff))
      return 6;
    fail(from, from + 2,
         code ? "half of a surrogate pair; characters above U+FFFF are written "
                "with two \\u"
              : "expected 4 hexadecimal digits after \\u");
    return 0;
  }

  std::string_view text;
  size_t start, at;
  size_t lastBegin = start, lastEnd = start; ///< of the last token
  Expected next = Expected::Value;
  std::vector<char> open; ///< '{' and '[', outermost first
  std::optional<JsonMistake> mistake;
  bool isDone = false;
};

} // namespace

std::optional<JsonMistake> findJsonMistake(std::string_view text,
                                           size_t begin) {
  return MistakeFinder(text, begin).find();
}

JsonMistake explainZeroByte(std::string_view text) {
  size_t zero = text.find('\0');
  bool isUtf16 = text.starts_with("\xff\xfe") || text.starts_with("\xfe\xff") ||
                 (zero < 2 && text.size() > 3 && text[2 + zero] == '\0');
  if (isUtf16)
    return {0, 1, "a text in UTF-16 or UTF-32; JSON in UTF-8 is expected"};
  return {zero, zero + 1, "a zero byte; JSON in UTF-8 is expected"};
}

} // namespace boostrt
