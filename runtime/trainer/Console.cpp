#include "runtime/trainer/Report.h"

#include "runtime/support/Streams.h"

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <fmt/format.h>
#include <unistd.h>

namespace boostrt {
namespace {

bool environmentHas(const char *name) {
  const char *value = std::getenv(name);
  return value && *value;
}

bool dumbTerminal() {
  const char *term = std::getenv("TERM");
  return !term || std::strcmp(term, "dumb") == 0;
}

/// "0:07", "12:34", "1:02:03".
std::string duration(double seconds) {
  if (!std::isfinite(seconds) || seconds < 0 || seconds > 1e9)
    return "?";
  auto total = static_cast<int64_t>(seconds + 0.5);
  int64_t hours = total / 3600, minutes = total / 60 % 60;
  if (hours > 0)
    return fmt::format("{}:{:02}:{:02}", hours, minutes, total % 60);
  return fmt::format("{}:{:02}", minutes, total % 60);
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
constexpr int kBarWidth = 24;

} // namespace

std::string shortest(float value) {
  std::string text = fmt::format("{}", value);
  return text.find_first_of(".en") == std::string::npos ? text + ".0" : text;
}

Console::Console(ProgressKind kind, bool isQuiet) : isQuiet_(isQuiet) {
  bool terminal = !isQuiet && isatty(STDERR_FILENO) && !dumbTerminal();
  bar_ = kind == ProgressKind::Bar || (kind == ProgressKind::Auto && terminal);
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
  if (drawn_ &&
      std::chrono::duration<double>(now - last_).count() < kRedrawSeconds)
    return;
  last_ = now;
  drawn_ = true;
  int filled = static_cast<int>(kBarWidth * step.step / stepsPerEpoch);
  std::string bar = std::string(filled, '=');
  if (filled < kBarWidth)
    bar += '>' + std::string(kBarWidth - filled - 1, ' ');
  printNote("\r\x1b[K{}epoch {}/{}{} [{}] {}/{}  loss {:.4f}  {:.0f} "
            "samples/s  eta {}",
            colour_ ? "\x1b[36m" : "", step.epoch, epochs,
            colour_ ? "\x1b[0m" : "", bar, step.step, stepsPerEpoch, step.loss,
            step.samplesPerSecond, duration(secondsLeft));
}

void Console::clearBar() {
  if (!drawn_)
    return;
  drawn_ = false;
  writeNote("\r\x1b[K");
}

} // namespace boostrt
