// PtxCursor.h - a place in a token list, and the few words every rule of the
// parser needs.
#pragma once

#include "sim/PtxLexer.h"
#include "sim/PtxParser.h"

#include <algorithm>
#include <string>

namespace boostrt::sim {

/// A literal of PTX: an integer, or the bits of a float.
struct Literal {
  uint64_t bits = 0;
  uint8_t floatBytes = 0; ///< 0: an integer
};

class PtxCursor {
public:
  PtxCursor(const PtxText &text, const std::vector<Token> &tokens)
      : text_(text), tokens_(tokens) {}

  const Token &peek(size_t ahead = 0) const {
    return tokens_[std::min(at_ + ahead, tokens_.size() - 1)];
  }
  const Token &take() {
    const Token &token = peek();
    if (at_ + 1 < tokens_.size())
      ++at_;
    return token;
  }
  bool atEnd() const { return peek().kind == TokenKind::End; }
  uint32_t line() const { return peek().line; }

  bool isPunct(char c, size_t ahead = 0) const {
    return peek(ahead).kind == TokenKind::Punct && peek(ahead).text[0] == c;
  }
  bool isDot(std::string_view word) const {
    return peek().kind == TokenKind::DotWord && peek().text == word;
  }
  bool acceptPunct(char c) {
    bool found = isPunct(c);
    if (found)
      take();
    return found;
  }
  bool acceptDot(std::string_view word) {
    bool found = isDot(word);
    if (found)
      take();
    return found;
  }

  /// "expected WHAT, found 'TOKEN'" at the token here.
  Status expected(std::string_view what) const;
  Status error(uint32_t line, std::string_view message) const {
    return text_.errorAt(line, message);
  }
  Status expectPunct(char c);
  Result<std::string_view> expectWord(std::string_view what);
  /// An integer or float literal with an optional sign.
  Result<Literal> expectLiteral(std::string_view what);
  /// A literal from 0 to `cap`.
  Result<uint64_t> expectCount(std::string_view what, uint64_t cap);

private:
  const PtxText &text_;
  const std::vector<Token> &tokens_;
  size_t at_ = 0;
};

} // namespace boostrt::sim
