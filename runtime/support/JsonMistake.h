// JsonMistake.h - where a text stops being JSON, and what is wrong there, in
// words for its author.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace boostrt {

struct JsonMistake {
  size_t begin, end;   ///< bytes of the text
  std::string message; ///< "expected ',' or '}' after 1; JSON has no comments"
};

/// The first mistake of `text` from byte `begin` on; nothing when it is JSON by
/// RFC 8259 in UTF-8. Ranges of numbers and duplicate keys are not checked.
std::optional<JsonMistake> findJsonMistake(std::string_view text,
                                           size_t begin = 0);

/// The same for a text that holds a zero byte, which no JSON does: most are in
/// UTF-16 or no text at all.
JsonMistake explainZeroByte(std::string_view text);

} // namespace boostrt
