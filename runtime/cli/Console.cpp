#include "runtime/trainer/Report.h"

#include "runtime/cli/ProgressText.h"
#include "runtime/support/Plural.h"
#include "runtime/support/Streams.h"
#include "runtime/support/Terminal.h"

#include <cstdlib>
#include <fmt/format.h>
#include <unistd.h>

namespace boostrt {
namespace {

bool environmentHas(const char *name) {
  const char *value = std::getenv(name);
  return value && *value;
}

/// "top_1" is shown as "top_1_accuracy"; other metrics keep their names.
std::string shownName(const std::string &name) {
  return name.starts_with("top_") ? name + "_accuracy" : name;
}

/// As Python prints a float.
std::string shortest(double value) {
  std::string text = fmt::format("{}", value);
  return text.find_first_of(".en") == std::string::npos ? text + ".0" : text;
}

void writeOut(const std::string &text) { writeResult(text + "\n"); }

constexpr double kRedrawSeconds = 0.1;

} // namespace

std::string shortest(float value) {
  std::string text = fmt::format("{}", value);
  return text.find_first_of(".en") == std::string::npos ? text + ".0" : text;
}

Console::Console(ProgressKind kind, bool isQuiet) : isQuiet_(isQuiet) {
  bool terminal = !isQuiet && isCapableTerminal(STDERR_FILENO);
  // A bar that is asked for goes into files and pipes too, but not to a
  // terminal that would show its escape sequences.
  bool isAsked = kind == ProgressKind::Bar && !isatty(STDERR_FILENO);
  bool isWelcome = kind == ProgressKind::Bar || kind == ProgressKind::Auto;
  bar_ = !isQuiet && (isAsked || (isWelcome && terminal));
  lines_ = kind != ProgressKind::None;
  colour_ = terminal && !environmentHas("NO_COLOR");
}

Console::~Console() { clearBar(); }

void Console::note(const std::string &text) {
  if (isQuiet_)
    return;
  clearBar();
  printNote("boost-run: {}\n", text);
}

void Console::line(const std::string &text) {
  if (isQuiet_)
    return;
  clearBar();
  writeOut(text);
}

void Console::startTraining() {
  line("============== Starting Training ==============");
}

void Console::stepLine(const StepReport &step) {
  if (lines_)
    line(fmt::format("epoch: {} step: {}, loss is {}", step.epoch, step.step,
                     shortest(step.loss)));
}

void Console::epochTime(double milliseconds, int64_t steps) {
  if (lines_ && steps > 0)
    line(fmt::format("Train epoch time: {:5.3f} ms, per step time: {:5.3f} ms",
                     milliseconds, milliseconds / static_cast<double>(steps)));
}

void Console::badSamples(const std::string &what, const BadSamples &bad) {
  if (bad.count == 0)
    return;
  note(fmt::format("{}: {} could not be decoded and {} left out{}{}", what,
                   countOf(bad.count, "image"), bad.count == 1 ? "was" : "were",
                   bad.first.empty() ? "" : "; the first here: ", bad.first));
}

void Console::startTesting() {
  line("============== Starting Testing ==============");
}

/// The loss is in the metrics file; lines show it when there is nothing else to
/// show.
static bool isShown(const std::string &name, const Evaluation &evaluation) {
  return name != "loss" || evaluation.values.size() == 1;
}

void Console::evaluationLine(int64_t epoch, int64_t step,
                             const Evaluation &evaluation) {
  badSamples("evaluation", evaluation.bad);
  if (!lines_)
    return;
  std::string text = fmt::format("epoch: {} step: {}", epoch, step);
  for (const auto &[name, value] : evaluation.values)
    if (isShown(name, evaluation))
      text += fmt::format(", {} is {}", shownName(name), shortest(value));
  line(text);
}

void Console::result(const Evaluation &evaluation,
                     const std::string &checkpoint) {
  badSamples("evaluation", evaluation.bad);
  std::string dictionary;
  for (const auto &[name, value] : evaluation.values)
    if (isShown(name, evaluation))
      dictionary += fmt::format("{}'{}': {}", dictionary.empty() ? "" : ", ",
                                shownName(name), shortest(value));
  line(fmt::format("result: {{{}}} ckpt={}", dictionary,
                   checkpoint.empty() ? "none" : checkpoint));
}

void Console::memory(uint64_t planned, std::optional<uint64_t> measured) {
  constexpr double kMiB = 1024 * 1024;
  line(fmt::format("memory: planned {:.2f} MiB, measured peak {}",
                   static_cast<double>(planned) / kMiB,
                   measured ? fmt::format("{:.2f} MiB",
                                          static_cast<double>(*measured) / kMiB)
                            : "unknown"));
}

void Console::progress(const StepReport &step, int64_t epochs,
                       int64_t stepsPerEpoch, double secondsLeft) {
  if (!bar_)
    return;
  Clock::time_point now = Clock::now();
  if (std::chrono::duration<double>(now - last_).count() < kRedrawSeconds)
    return;
  last_ = now;
  size_t columns = terminalColumns(STDERR_FILENO);
  if (columns < kMinBarColumns)
    return clearBar();
  drawn_ = true;
  // The cursor waits at the beginning: there it stays on the line's first row
  // when the terminal becomes narrower, and erasing from there erases all.
  printNote("{}{}\r", kEraseLine,
            progressText({step.epoch, epochs, step.step, stepsPerEpoch,
                          step.loss, step.samplesPerSecond, secondsLeft},
                         columns, colour_));
}

void Console::clearBar() {
  if (!drawn_)
    return;
  drawn_ = false;
  // Lines that a pipe brings to the same terminal come a little later than
  // they are written, and must not meet the next drawing.
  last_ = Clock::now();
  writeNote(kEraseLine);
}

} // namespace boostrt
