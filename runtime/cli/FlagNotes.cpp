#include "runtime/cli/FlagNotes.h"

#include "runtime/support/Suggest.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

namespace boostrt {

std::set<std::string> givenFlags(const CLI::App &app) {
  std::set<std::string> given;
  for (const CLI::Option *option : app.get_options())
    if (option->nonpositional() && option->count() > 0)
      given.insert(option->get_lnames().front());
  return given;
}

std::string suggestCommand(const std::string &word,
                           std::span<const std::string_view> commands) {
  constexpr std::pair<std::string_view, std::string_view> kMeant[] = {
      {"train", "boost-run PROGRAM"},   {"fit", "boost-run PROGRAM"},
      {"run", "boost-run PROGRAM"},     {"evaluate", "boost-run eval"},
      {"test", "boost-run eval"},       {"validate", "boost-run eval"},
      {"benchmark", "boost-run bench"}, {"time", "boost-run bench"},
      {"show", "boost-run info"},       {"describe", "boost-run info"},
      {"summary", "boostc summary"}};
  std::string meant;
  for (auto [name, command] : kMeant)
    if (word == name)
      meant = command;
  if (std::string_view near = nearestSpelling(word, commands);
      meant.empty() && !near.empty())
    meant = fmt::format("boost-run {}", near);
  return meant.empty() ? ""
                       : fmt::format("; did you mean '{}' in place of '{}'?",
                                     meant, word);
}

std::vector<std::string> notesOnFlags(const Options &options) {
  const std::set<std::string> &given = options.launch.given;
  std::vector<std::string> notes;
  if (given.count("eval-every") && !options.evaluate)
    notes.push_back("--eval-every has no effect with --no-eval");
  if (given.count("log-every") && options.progress == ProgressKind::None)
    notes.push_back("--log-every has no effect with --progress=none");
  if (given.count("gpu-library") && options.device == "cpu")
    notes.push_back("--gpu-library has no effect with --device=cpu");
  if (given.count("threads") && options.device == "cuda")
    notes.push_back("--threads has no effect with --device=cuda");
  return notes;
}

} // namespace boostrt
