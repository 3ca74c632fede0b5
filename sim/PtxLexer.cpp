#include "sim/PtxLexer.h"

#include <cctype>
#include <fmt/format.h>

namespace boostrt::sim {

std::string_view PtxText::lineAt(uint32_t line) const {
  size_t begin = 0;
  for (uint32_t at = 1; at < line; ++at) {
    size_t end = text.find('\n', begin);
    if (end == std::string_view::npos)
      return "";
    begin = end + 1;
  }
  std::string_view found = text.substr(begin, text.find('\n', begin) - begin);
  found = found.substr(0, found.find("//"));
  size_t first = found.find_first_not_of(" \t\r");
  if (first == std::string_view::npos)
    return "";
  return found.substr(first, found.find_last_not_of(" \t\r") - first + 1);
}

Status PtxText::errorAt(uint32_t line, std::string_view message) const {
  // A damaged file may have megabytes without a line break, and no text.
  std::string quoted;
  for (char c : lineAt(line).substr(0, 160))
    quoted += c == '\t'                                     ? ' '
              : std::isprint(static_cast<unsigned char>(c)) ? c
                                                            : '?';
  return Status(ExitCode::Input,
                fmt::format("{}:{}: error: {}{}{}", name, line, message,
                            quoted.empty() ? "" : "\n  ", quoted));
}

namespace {
bool isWordStart(char c) {
  return std::isalpha(static_cast<unsigned char>(c)) || c == '_' || c == '$' ||
         c == '%';
}
bool isWordPart(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '$';
}

class Lexer {
public:
  explicit Lexer(const PtxText &source) : source_(source), text_(source.text) {}

  Result<std::vector<Token>> run() {
    if (text_.size() > kPtxTextCap)
      return Status(ExitCode::Input,
                    fmt::format("{}: error: {} bytes of PTX; at most {} are "
                                "taken: is this a module of kernels?",
                                source_.name, text_.size(), kPtxTextCap));
    while (true) {
      BOOSTRT_RETURN_IF_ERROR(skipBlank());
      if (at_ >= text_.size())
        break;
      BOOSTRT_RETURN_IF_ERROR(next());
    }
    tokens_.push_back({TokenKind::End, "", line_});
    return std::move(tokens_);
  }

private:
  char peek(size_t ahead = 0) const {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
  }

  Status skipBlank() {
    while (at_ < text_.size()) {
      char c = text_[at_];
      if (c == '\n') {
        ++line_;
        ++at_;
      } else if (c == ' ' || c == '\t' || c == '\r') {
        ++at_;
      } else if (c == '/' && peek(1) == '/') {
        while (at_ < text_.size() && text_[at_] != '\n')
          ++at_;
      } else if (c == '/' && peek(1) == '*') {
        size_t end = text_.find("*/", at_ + 2);
        if (end == std::string_view::npos)
          return source_.errorAt(line_, "the comment that begins here has no "
                                        "end; the text was cut off?");
        for (; at_ < end + 2; ++at_)
          line_ += text_[at_] == '\n';
      } else {
        break;
      }
    }
    return Status();
  }

  void push(TokenKind kind, size_t begin, size_t end) {
    tokens_.push_back({kind, text_.substr(begin, end - begin), line_});
  }

  Status next() {
    size_t begin = at_;
    char c = text_[at_];
    if (isWordStart(c)) {
      do
        ++at_;
      while (isWordPart(peek()));
      push(TokenKind::Word, begin, at_);
    } else if (c == '.' && isWordPart(peek(1))) {
      ++at_;
      while (isWordPart(peek()) ||
             (peek() == ':' && peek(1) == ':' && isWordPart(peek(2))))
        at_ += peek() == ':' ? 2 : 1;
      push(TokenKind::DotWord, begin + 1, at_);
    } else if (std::isdigit(static_cast<unsigned char>(c))) {
      // Digits, hexadecimal digits, suffixes and one dot; the parser decides
      // what it means. A sign belongs to an exponent of a decimal alone.
      bool hex = c == '0' && std::isalpha(static_cast<unsigned char>(peek(1)));
      while (isWordPart(peek()) || (!hex && peek() == '.') ||
             (!hex && (peek() == '-' || peek() == '+') &&
              (text_[at_ - 1] == 'e' || text_[at_ - 1] == 'E')))
        ++at_;
      push(TokenKind::Number, begin, at_);
    } else if (c == '"') {
      size_t end = text_.find_first_of("\"\n", at_ + 1);
      if (end == std::string_view::npos || text_[end] == '\n')
        return source_.errorAt(line_, "a string without its closing quote");
      push(TokenKind::String, begin + 1, end);
      at_ = end + 1;
    } else if (std::string_view("{}()[]<>,;:=+-|!@~*").find(c) !=
               std::string_view::npos) {
      push(TokenKind::Punct, begin, ++at_);
    } else {
      return source_.errorAt(line_,
                             fmt::format("byte 0x{:02x} begins nothing in PTX",
                                         static_cast<unsigned char>(c)));
    }
    return Status();
  }

  const PtxText &source_;
  std::string_view text_;
  size_t at_ = 0;
  uint32_t line_ = 1;
  std::vector<Token> tokens_;
};
} // namespace

Result<std::vector<Token>> lexPtx(const PtxText &text) {
  return Lexer(text).run();
}

} // namespace boostrt::sim
