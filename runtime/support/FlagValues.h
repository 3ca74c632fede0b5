// FlagValues.h - values of flags, and what is said when they are wrong: CLI11
// splits the command line of boostc and boost-run, the words are ours.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace boostrt {

/// A whole number in [least, most].
CLI::Validator integerBetween(int64_t least, int64_t most);

/// A finite number in [least, most].
CLI::Validator numberBetween(double least, double most);

/// One of `words`.
CLI::Validator oneOf(std::vector<std::string> words);

/// A size in bytes in [least, most], which the validator rewrites to a number:
/// see parseByteSize().
CLI::Validator byteSizeBetween(uint64_t least, uint64_t most);

/// "6120064", "6,120,064", "1.5MiB", "8 GiB", "512 bytes", whatever the case;
/// K, M, G, T, P and E are powers of 1024 with and without "iB" or "B". What is
/// not below 2^64 is UINT64_MAX; nothing for other texts.
std::optional<uint64_t> parseByteSize(std::string_view text);

/// CLI11 would take the next argument for the missing value of "--flag=",
/// another flag for that of "--flag --other", and a number for that of a flag
/// without one: what is wrong with such a command line, if it is one.
/// `arguments` come without the program's name.
std::optional<std::string>
findWrongValue(const CLI::App &app, const std::vector<std::string> &arguments);

/// What CLI11 reports, in our words.
std::string explainFlagError(const CLI::App &app, const CLI::ParseError &error);

/// Help without "{false}" and the like after names of flags, which CLI11 shows
/// for the value that a flag without one has.
std::shared_ptr<CLI::FormatterBase> helpFormatter();

/// The flags of `app` with their dashes, for suggestFlag().
std::vector<std::string> flagNames(const CLI::App &app);

} // namespace boostrt
