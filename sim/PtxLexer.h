// PtxLexer.h - PTX text as tokens.
#pragma once

#include "runtime/support/Status.h"

#include <cstdint>
#include <string_view>
#include <vector>

namespace boostrt::sim {

enum class TokenKind : uint8_t {
  Word,    ///< name or %register or $label, without dots
  DotWord, ///< ".global", ".L1::no_allocate"; text without the dot
  Number,  ///< as written
  String,  ///< without the quotes
  Punct,   ///< one character
  End,
};

struct Token {
  TokenKind kind = TokenKind::End;
  std::string_view text;
  uint32_t line = 0;
};

/// The text with its name, for messages that quote the line.
struct PtxText {
  std::string_view name; ///< "train.so: kernels.ptx"
  std::string_view text;

  /// "NAME:LINE: error: MESSAGE" and the line itself below.
  Status errorAt(uint32_t line, std::string_view message) const;
  /// Line `line`, 1-based, without indentation and comment.
  std::string_view lineAt(uint32_t line) const;
};

/// Largest text taken: generated modules are far below a hundredth of it.
inline constexpr size_t kPtxTextCap = size_t(64) << 20;

/// The last token is End. Views point into `text`.
Result<std::vector<Token>> lexPtx(const PtxText &text);

} // namespace boostrt::sim
