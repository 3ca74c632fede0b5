// Terminal.h - what a program that draws on a terminal asks about it.
#pragma once

#include <cstddef>

namespace boostrt {

/// Whether `descriptor` is a terminal that understands escape sequences: one
/// whose TERM is set and is not "dumb".
bool isCapableTerminal(int descriptor);

/// The width of the terminal on `descriptor`, as it is now: what the terminal
/// says, else COLUMNS, else 80.
size_t terminalColumns(int descriptor);

/// Goes to the beginning of the line and erases what follows on the screen, so
/// that a line that a narrower terminal has cut in two goes as a whole.
inline constexpr const char *kEraseLine = "\r\x1b[J";

} // namespace boostrt
