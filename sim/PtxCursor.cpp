#include "sim/PtxCursor.h"

#include "runtime/support/Suggest.h"

#include <bit>
#include <charconv>
#include <fmt/format.h>

namespace boostrt::sim {

Status PtxCursor::expected(std::string_view what) const {
  if (atEnd())
    return error(line(), fmt::format("expected {}, but the text ends here; it "
                                     "was cut off?",
                                     what));
  return error(line(), fmt::format("expected {}, found '{}'", what,
                                   printable(peek().text)));
}

Status PtxCursor::expectPunct(char c) {
  if (!acceptPunct(c))
    return expected(fmt::format("'{}'", c));
  return Status();
}

Result<std::string_view> PtxCursor::expectWord(std::string_view what) {
  if (peek().kind != TokenKind::Word)
    return expected(what);
  return take().text;
}

namespace {
bool parseWith(std::string_view digits, int base, uint64_t &value) {
  auto [end, error] = std::from_chars(
      digits.data(), digits.data() + digits.size(), value, base);
  return error == std::errc() && end == digits.data() + digits.size();
}

/// 0f3F800000, 0d..., 0x1F, 017, 0b101, 12, 12U, 1.5
bool parseNumber(std::string_view text, Literal &literal) {
  if (text.size() > 2 && text[0] == '0' && (text[1] | 32) == 'f') {
    literal.floatBytes = 4;
    return text.size() == 10 && parseWith(text.substr(2), 16, literal.bits);
  }
  if (text.size() > 2 && text[0] == '0' && (text[1] | 32) == 'd') {
    literal.floatBytes = 8;
    return text.size() == 18 && parseWith(text.substr(2), 16, literal.bits);
  }
  bool hex = text.size() > 2 && text[0] == '0' && (text[1] | 32) == 'x';
  if (!hex && text.find_first_of(".eE") != std::string_view::npos) {
    double value = 0;
    auto [end, error] =
        std::from_chars(text.data(), text.data() + text.size(), value);
    literal.floatBytes = 8;
    literal.bits = std::bit_cast<uint64_t>(value);
    return error == std::errc() && end == text.data() + text.size();
  }
  if (text.ends_with('U'))
    text.remove_suffix(1);
  if (hex)
    return parseWith(text.substr(2), 16, literal.bits);
  if (text.size() > 2 && text[0] == '0' && (text[1] | 32) == 'b')
    return parseWith(text.substr(2), 2, literal.bits);
  if (text.size() > 1 && text[0] == '0')
    return parseWith(text.substr(1), 8, literal.bits);
  return parseWith(text, 10, literal.bits);
}
} // namespace

Result<Literal> PtxCursor::expectLiteral(std::string_view what) {
  bool negative = false;
  while (isPunct('-') || isPunct('+'))
    negative ^= take().text[0] == '-';
  if (peek().kind != TokenKind::Number)
    return expected(what);
  Literal literal;
  if (!parseNumber(peek().text, literal))
    return error(line(),
                 fmt::format("'{}' is not a number that PTX knows, or does "
                             "not fit in 64 bits",
                             peek().text.substr(0, 80)));
  take();
  if (negative && literal.floatBytes)
    literal.bits ^= 1ull << (8 * literal.floatBytes - 1);
  else if (negative)
    literal.bits = 0 - literal.bits;
  return literal;
}

Result<uint64_t> PtxCursor::expectCount(std::string_view what, uint64_t cap) {
  uint32_t at = line();
  auto literal = expectLiteral(what);
  if (!literal.ok())
    return literal.status();
  if (literal->floatBytes || literal->bits > cap)
    return error(
        at, fmt::format("{} must be a whole number from 0 to {}", what, cap));
  return literal->bits;
}

} // namespace boostrt::sim
