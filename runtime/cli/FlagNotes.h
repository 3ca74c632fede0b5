// FlagNotes.h - which flags a command line names, and which of them do nothing.
#pragma once

#include "runtime/trainer/Options.h"

#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace CLI {
class App;
} // namespace CLI

namespace boostrt {

/// The flags that were given, without dashes: "eval" for --no-eval too.
std::set<std::string> givenFlags(const CLI::App &app);

/// "; did you mean 'boost-run eval' in place of 'evaluate'?" where `word`,
/// taken as the name of a program, looks like one of `commands`; else nothing.
std::string suggestCommand(const std::string &word,
                           std::span<const std::string_view> commands);

/// A sentence for each flag that has no effect next to the others. What also
/// depends on the job or on the program is said where that is known.
std::vector<std::string> notesOnFlags(const Options &options);

} // namespace boostrt
