#include "runtime/support/JsonTokens.h"

#include "runtime/support/Suggest.h"

#include <algorithm>
#include <cctype>
#include <fmt/format.h>

namespace boostrt {
namespace {

constexpr std::string_view kSpace = " \t\r\n";

bool isDigit(char c) { return c >= '0' && c <= '9'; }

/// How much is left when white space at the end is not counted.
size_t trimmedSize(std::string_view text) {
  return text.find_last_not_of(kSpace) + 1; // 0 when there is nothing else
}

/// What a person who wrote `rest`, behind `before`, probably meant.
std::string_view hint(std::string_view rest, std::string_view before) {
  auto startsWith = [&](std::initializer_list<std::string_view> words) {
    return std::ranges::any_of(
        words, [&](std::string_view word) { return rest.starts_with(word); });
  };
  if (startsWith({"}", "]"}) && before.ends_with(','))
    return "; remove the comma in front of it";
  if (startsWith({"/", "#"}))
    return "; JSON has no comments";
  if (startsWith({"'"}))
    return "; JSON texts stand in double quotes";
  if (startsWith({"True", "False", "None"}))
    return "; JSON writes true, false and null";
  std::string word(
      rest.substr(std::min(rest.find_first_not_of('-'), rest.size())));
  word.resize(std::min<size_t>(word.size(), 3));
  std::ranges::transform(word, word.begin(), [](unsigned char c) {
    return static_cast<char>(std::tolower(c));
  });
  return word == "nan" || word == "inf" ? "; JSON numbers are finite" : "";
}

} // namespace

size_t JsonTokens::ahead() const {
  return std::min(text_.find_first_not_of(" \t\r\n,:", last_), text_.size());
}

JsonTokens::Token JsonTokens::next() {
  size_t begin = ahead();
  last_ = taken_;
  // The lexer takes one byte more to see that a number ends.
  if (begin < text_.size() && (text_[begin] == '-' || isDigit(text_[begin])))
    last_ = std::min(text_.find_first_not_of("+-0123456789.eE", begin),
                     text_.size());
  return {begin, last_};
}

JsonTokens::Mistake
JsonTokens::explain(const std::string &lastRead,
                    const nlohmann::json::exception &exception) const {
  std::string_view what = exception.what();
  size_t separator = what.find(" - ");
  if (separator == std::string_view::npos) // beyond the range of a double
    return {{ahead(), taken_},
            fmt::format("number '{}' is too large", printable(lastRead))};
  what = what.substr(separator + 3);
  what = what.substr(0, what.find("; last read:"));
  // Where the lexer stopped: at this byte, or for whole tokens at their start.
  size_t at = taken_ > last_ ? taken_ - 1 : taken_;
  bool isPunctuation =
      lastRead.size() == 1 &&
      !std::isalnum(static_cast<unsigned char>(lastRead.front()));
  if (what.starts_with("unexpected end of input"))
    at = std::max(trimmedSize(text_), begin_);
  else if (what.starts_with("invalid literal") ||
           what.starts_with("invalid number") ||
           what.ends_with("missing closing quote") ||
           (what.starts_with("unexpected") && !isPunctuation))
    at = ahead();
  std::string_view before = text_.substr(0, at);
  return {{at, taken_},
          fmt::format(
              "not valid JSON: {}{}", printable(what),
              hint(text_.substr(at), before.substr(0, trimmedSize(before))))};
}

} // namespace boostrt
