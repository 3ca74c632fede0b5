// ProcText.h - the text files of /proc and /sys.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace boostrt {

/// The whole file; nothing when it cannot be opened.
std::optional<std::string> procText(const std::string &path);

/// The number at the beginning of `text`, after blanks; nothing for "max".
std::optional<uint64_t> leadingNumber(std::string_view text);

/// The number after `key`, "VmRSS:", at the beginning of a line; nothing
/// without such a line.
std::optional<uint64_t> numberAfter(std::string_view text,
                                    std::string_view key);

} // namespace boostrt
