#include "runtime/cli/CommandLine.h"

#include "runtime/cli/CommandFlags.h"
#include "runtime/cli/FlagNotes.h"
#include "runtime/cli/LaunchFlags.h"
#include "runtime/support/FlagValues.h"
#include "runtime/support/ForeignNames.h"
#include "runtime/support/Suggest.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>

namespace boostrt {
namespace {

constexpr const char *kUsageNote =
    "Data: --data mnist:DIR, cifar10:DIR, npy:DIR, imagefolder:DIR or\n"
    "digits[:train=N,test=M,seed=S].\nWithout --data, DATA_PATH is the "
    "directory for the model's own\n"
    "data.source, and without DATA_PATH data.source is.\n"
    "Exit codes: 0 ok, 1 program or rank table, 2 usage, 3 data, 4 not finite, "
    "5 lost rank,\n6 checkpoint, 7 stopped by a signal, 8 memory, 70 "
    "internal.";

/// What a command line is parsed into.
struct Parsed {
  Options &options;
  JobFlags job = {};
};

std::string describeCommands();

struct CommandSpec {
  Command command;
  const char *word; ///< the first argument; empty for training
  const char *description;
  bool needsProgram;
  void (*add)(CLI::App &, Parsed &);
  Status (*check)(const CLI::App &, Options &);
};

Status checkNothing(const CLI::App &, Options &) { return Status(); }

const CommandSpec kCommands[] = {
    {Command::Train, "", "Trains a compiled program.", true,
     [](CLI::App &app, Parsed &parsed) {
       app.footer(describeCommands() + kUsageNote);
       addCommon(app, parsed.options);
       addTraining(app, parsed.options);
       addLaunch(app, parsed.options.launch);
     },
     checkTraining},
    {Command::Evaluate, "eval",
     "Evaluates weights on a program's held-out data.", true,
     [](CLI::App &app, Parsed &parsed) {
       addEvaluation(app, parsed.options);
       addLaunch(app, parsed.options.launch);
     },
     [](const CLI::App &, Options &o) { return checkEvaluation(o); }},
    {Command::Info, "info", "Shows what a compiled program holds.", true,
     [](CLI::App &app, Parsed &parsed) {
       addInfo(app, parsed.options, parsed.job);
     },
     checkNothing},
    {Command::Bench, "bench",
     "Times a program's optimizer steps, from the batch in memory to the "
     "updated\nweights, on generated batches.",
     true,
     [](CLI::App &app, Parsed &parsed) {
       addBench(app, parsed.options);
       addLaunch(app, parsed.options.launch);
     },
     checkNothing},
    {Command::Doctor, "doctor",
     "Shows which devices of this machine can run programs, and where the "
     "libraries\nare that they use.",
     false,
     [](CLI::App &app, Parsed &parsed) {
       app.add_flag("--json", parsed.options.json, "as one JSON object");
     },
     checkNothing},
    {Command::MakeData, "make-data",
     "Writes images that a network can learn to tell apart: JPEG files of "
     "coloured stripes,\nin train/ and val/ with a directory for each class.",
     false,
     [](CLI::App &app, Parsed &parsed) { addMakeData(app, parsed.options); },
     [](const CLI::App &, Options &o) { return checkMakeData(o); }},
    {Command::Export, "export",
     "Writes the weights that evaluations read, under the names of another "
     "framework.",
     true,
     [](CLI::App &app, Parsed &parsed) { addExport(app, parsed.options); },
     [](const CLI::App &, Options &o) { return checkExport(o); }},
    {Command::Pca, "pca",
     "Makes a basis for dim_reduce: the principal components of the weights in "
     "several\ncheckpoints.",
     true, [](CLI::App &app, Parsed &parsed) { addPca(app, parsed.options); },
     [](const CLI::App &, Options &o) { return checkPca(o); }},
    {Command::RankTable, "rank-table",
     "Writes a rank table: create for a list of hosts, merge from tables of "
     "single\nservers.",
     false,
     [](CLI::App &app, Parsed &parsed) { addRankTable(app, parsed.options); },
     [](const CLI::App &, Options &o) { return checkRankTable(o); }},
    {Command::Ranks, "ranks",
     "Shows which rank this process would be, or which ones it would start, "
     "and what\nsays so: flags, a rank table, or the variables of a launcher.",
     false,
     [](CLI::App &app, Parsed &parsed) {
       addLaunch(app, parsed.options.launch);
       app.add_flag("--json", parsed.options.json, "as one JSON object");
     },
     checkNothing}};

std::string describeCommands() {
  std::string text = "Other commands, each with a --help of its own:\n";
  for (const CommandSpec &spec : kCommands) {
    if (!*spec.word)
      continue;
    text += fmt::format("  boost-run {}{}\n      ", spec.word,
                        spec.needsProgram ? " PROGRAM" : "");
    for (char c : std::string_view(spec.description))
      text += c == '\n' ? "\n      " : std::string(1, c);
    text += '\n';
  }
  return text;
}

/// By hand and not as CLI11's subcommands: PROGRAM has the same position.
const CommandSpec &findCommand(std::string_view word) {
  for (const CommandSpec &spec : kCommands)
    if (*spec.word && word == spec.word)
      return spec;
  return kCommands[0];
}

Status usage(const CLI::App &app, const std::string &what) {
  return Status(ExitCode::Usage,
                fmt::format("{}; see {} --help", what, app.get_name()));
}

/// In the order in which the nearest one to a wrong word is looked for.
std::vector<std::string_view> commandWords() {
  std::vector<std::string_view> words;
  for (const CommandSpec &spec : kCommands)
    if (*spec.word)
      words.push_back(spec.word);
  return words;
}

/// Unknown flags and surplus arguments, which CLI11 leaves over.
Status checkRemaining(const CLI::App &app, const std::string &program) {
  std::vector<std::string> remaining = app.remaining();
  if (remaining.empty())
    return Status();
  std::vector<std::string> names = flagNames(app);
  std::vector<std::string_view> legal(names.begin(), names.end());
  for (const std::string &argument : remaining) {
    if (!argument.starts_with('-'))
      continue;
    std::string flag = argument.substr(0, argument.find('='));
    return usage(app, fmt::format("unknown flag '{}'{}", printable(flag),
                                  suggestFlag(NameKind::RunFlag, flag, legal)));
  }
  return usage(app, fmt::format("unexpected argument '{}'{}",
                                printable(remaining.front()),
                                suggestCommand(program, commandWords())));
}

} // namespace

Result<CommandLine> parseCommandLine(int argc, const char *const *argv) {
  CommandLine line;
  if (argc > 1 && argv[1] == std::string_view("help")) {
    // "help" or "help eval", as other programs have it.
    std::vector<const char *> arguments(argv + 2, argv + argc);
    arguments.insert(arguments.begin(), argv[0]);
    arguments.push_back("--help");
    return parseCommandLine(static_cast<int>(arguments.size()),
                            arguments.data());
  }
  Options &options = line.options;
  const CommandSpec &spec = findCommand(argc > 1 ? argv[1] : "");
  options.command = spec.command;
  CLI::App app(spec.description, *spec.word
                                     ? fmt::format("boost-run {}", spec.word)
                                     : "boost-run");
  app.allow_extras();
  app.formatter(helpFormatter());
  // The last of several values counts, so that what is appended to a script's
  // command wins.
  app.option_defaults()->take_last();
  app.set_version_flag("--version", std::string("boost-run " BOOSTC_VERSION));
  Parsed parsed{options};
  spec.add(app, parsed);

  try {
    int skipped = *spec.word ? 2 : 1;
    std::vector<std::string> arguments(argv + std::min(skipped, argc),
                                       argv + argc);
    if (std::optional<std::string> wrong = findWrongValue(app, arguments))
      return usage(app, *wrong);
    // As CLI11 wants them.
    app.parse(std::vector<std::string>(arguments.rbegin(), arguments.rend()));
    if (app.get_option_no_throw("--profile"))
      if (Status status = findProfile(arguments, options); !status.ok())
        return usage(app, status.message());
  } catch (const CLI::CallForHelp &) {
    line.text = app.help();
    return line;
  } catch (const CLI::CallForVersion &version) {
    line.text = std::string(version.what()) + "\n";
    return line;
  } catch (const CLI::ParseError &error) {
    return usage(app, explainFlagError(app, error));
  }
  BOOSTRT_RETURN_IF_ERROR(checkRemaining(app, options.program));
  options.profiles = options.profiles || options.profileSteps.has_value();
  options.launch.threads = options.threads;
  options.launch.given = givenFlags(app);
  line.notes = notesOnFlags(options);
  if (parsed.job.ranks > 0) {
    parsed.job.prediction.job.ranks = parsed.job.ranks;
    options.prediction = parsed.job.prediction;
  }
  if (options.program.empty() && spec.needsProgram)
    return usage(app, "which program? PROGRAM is missing");
  if (Status status = spec.check(app, options); !status.ok())
    return usage(app, status.message());
  return line;
}

} // namespace boostrt
