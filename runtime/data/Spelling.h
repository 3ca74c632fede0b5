// Spelling.h - suggestions for words that a user got wrong. Private to this
// room.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace boostrt::data {

/// "; did you mean 'mnist'? Known schemes: mnist, digits", or without the
/// question when nothing is near. `what` is the plural to name ("schemes").
std::string suggest(std::string_view word,
                    std::span<const std::string_view> legal,
                    std::string_view what);

} // namespace boostrt::data
