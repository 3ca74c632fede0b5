#include "runtime/support/JsonTokens.h"

#include "runtime/support/JsonMistake.h"
#include "runtime/support/Suggest.h"

#include <algorithm>
#include <fmt/format.h>

namespace boostrt {
namespace {

bool isDigit(char c) { return c >= '0' && c <= '9'; }

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
  bool isOutOfRange =
      dynamic_cast<const nlohmann::json::out_of_range *>(&exception);
  if (isOutOfRange)
    return {{ahead(), taken_},
            fmt::format("number '{}' is beyond the range of 64-bit floating "
                        "point; expected a number below 1.8e308 in size",
                        printable(lastRead))};
  if (std::optional<JsonMistake> mistake = findJsonMistake(text_, begin_))
    return {{mistake->begin, mistake->end},
            "not valid JSON: " + mistake->message};
  return {{ahead(), taken_}, "not valid JSON"};
}

} // namespace boostrt
