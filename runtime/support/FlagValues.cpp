#include "runtime/support/FlagValues.h"

#include "runtime/support/ParseNumber.h"
#include "runtime/support/Plural.h"
#include "runtime/support/Suggest.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace boostrt {
namespace {

/// "found" of a message; with what is between the quotes cut and harmless.
std::string found(std::string_view text) {
  return fmt::format("found '{}'", printable(text));
}

std::string_view trimmed(std::string_view text) {
  size_t begin = std::min(text.find_first_not_of(' '), text.size());
  return text.substr(begin, text.find_last_not_of(' ') + 1 - begin);
}

/// Without the commas that group digits by three; nothing where they do not.
std::optional<std::string> dropGrouping(std::string_view digits) {
  size_t first = digits.find(',');
  if (first == std::string_view::npos)
    return std::string(digits);
  if (first == 0 || first > 3)
    return std::nullopt;
  std::string plain(digits.substr(0, first));
  for (size_t at = first; at < digits.size(); at += 4) {
    std::string_view group = digits.substr(at + 1, 3);
    if (digits[at] != ',' || group.size() != 3 ||
        !std::ranges::all_of(group,
                             [](char c) { return c >= '0' && c <= '9'; }))
      return std::nullopt;
    plain += group;
  }
  return plain;
}

constexpr std::string_view kPrefixes = "KMGTPE"; // of powers of 1024

/// "1 TiB": what is not a whole number of a unit is given in the one below.
std::string describeSize(uint64_t bytes) {
  size_t power = 0;
  for (; power < kPrefixes.size() && bytes >= 1024 && bytes % 1024 == 0;
       ++power)
    bytes /= 1024;
  if (power == 0)
    return countOf(bytes, "byte");
  return fmt::format("{} {}iB", bytes, kPrefixes[power - 1]);
}

/// The factor of a unit.
std::optional<uint64_t> parseUnit(std::string_view unit) {
  if (unit.empty() || isSameSpelling(unit, "B") ||
      isSameSpelling(unit, "byte") || isSameSpelling(unit, "bytes"))
    return 1;
  for (size_t i = 0; i < kPrefixes.size(); ++i) {
    std::string prefix(1, kPrefixes[i]);
    for (const char *rest : {"", "B", "iB"})
      if (isSameSpelling(unit, prefix + rest))
        return uint64_t{1} << (10 * (i + 1));
  }
  return std::nullopt;
}

/// "--output", and "needs a value, FILE".
std::string needsValue(const CLI::Option &option) {
  std::string type = option.get_type_name();
  type.resize(std::min(type.find(':'), type.size()));
  return fmt::format("{} needs a value{}", option.get_name(),
                     type.empty() ? "" : ", " + type);
}

/// The option that CLI11 names at the start of a message, or null.
const CLI::Option *findNamed(const CLI::App &app, std::string_view message) {
  const CLI::Option *best = nullptr;
  for (const CLI::Option *option : app.get_options()) {
    std::string name = option->get_name();
    bool isIn = !name.empty() && message.find(name) != std::string_view::npos;
    if (isIn && (!best || name.size() > best->get_name().size()))
      best = option;
  }
  return best;
}

struct HelpFormatter : CLI::Formatter {
  std::string make_option_name(const CLI::Option *option,
                               bool isPositional) const override {
    std::string name = CLI::Formatter::make_option_name(option, isPositional);
    for (size_t at; (at = name.find('{')) != std::string::npos;)
      name.erase(at, name.find('}', at) + 1 - at);
    return name;
  }
};

bool isSwitch(std::string_view text) {
  constexpr std::string_view kWords[] = {"true", "false", "on",
                                         "off",  "yes",   "no"};
  return std::ranges::find(kWords, text) != std::end(kWords);
}

} // namespace

CLI::Validator integerBetween(int64_t least, int64_t most) {
  return CLI::Validator(
      [=](std::string &text) {
        std::optional<int64_t> value = parseWhole<int64_t>(text);
        if (value && *value >= least && *value <= most)
          return std::string();
        return fmt::format("expected a whole number from {} to {}, {}", least,
                           most, found(text));
      },
      fmt::format("{}..{}", least, most));
}

CLI::Validator numberBetween(double least, double most) {
  return CLI::Validator(
      [=](std::string &text) {
        std::optional<double> value = parseWhole<double>(text);
        if (value && *value >= least && *value <= most)
          return std::string();
        return fmt::format("expected a number from {} to {}, {}", least, most,
                           found(text));
      },
      fmt::format("{}..{}", least, most));
}

CLI::Validator oneOf(std::vector<std::string> words) {
  std::string list = fmt::format("{}", fmt::join(words, "|"));
  return CLI::Validator(
      [words = std::move(words)](std::string &text) {
        if (std::ranges::find(words, text) != words.end())
          return std::string();
        std::string expected;
        for (size_t i = 0; i < words.size(); ++i)
          expected += (i == 0                  ? ""
                       : i + 1 == words.size() ? " or "
                                               : ", ") +
                      words[i];
        std::vector<std::string_view> legal(words.begin(), words.end());
        return fmt::format("expected {}, {}{}", expected, found(text),
                           didYouMean(text, legal));
      },
      list);
}

CLI::Validator byteSizeBetween(uint64_t least, uint64_t most) {
  return CLI::Validator(
      [=](std::string &text) {
        std::optional<uint64_t> bytes = parseByteSize(text);
        if (!bytes || *bytes < least || *bytes > most)
          return fmt::format("expected a size from {} to {}, in bytes or with "
                             "KiB, MiB or GiB as in 1.5GiB, {}",
                             describeSize(least), describeSize(most),
                             found(text));
        text = fmt::format("{}", *bytes);
        return std::string();
      },
      "");
}

std::optional<uint64_t> parseByteSize(std::string_view text) {
  text = trimmed(text);
  size_t end = std::min(text.find_first_not_of("0123456789.,"), text.size());
  std::optional<uint64_t> factor = parseUnit(trimmed(text.substr(end)));
  std::optional<std::string> digits = dropGrouping(text.substr(0, end));
  if (!factor || !digits || digits->empty())
    return std::nullopt;
  bool isWhole = digits->find('.') == std::string::npos;
  if (std::optional<uint64_t> whole = parseWhole<uint64_t>(*digits)) {
    if (*whole > UINT64_MAX / *factor)
      return UINT64_MAX;
    return *whole * *factor;
  }
  std::optional<double> value = parseWhole<double>(*digits);
  if (!value)
    return std::nullopt;
  if (isWhole) // too many digits for the integer above
    return UINT64_MAX;
  double bytes = std::floor(*value * static_cast<double>(*factor));
  if (!(bytes < 18446744073709551616.0)) // 2^64
    return UINT64_MAX;
  return static_cast<uint64_t>(bytes);
}

std::optional<std::string>
findWrongValue(const CLI::App &app, const std::vector<std::string> &arguments) {
  for (size_t i = 0; i < arguments.size(); ++i) {
    const std::string &argument = arguments[i];
    if (argument == "--")
      return std::nullopt; // no flags after it
    if (!argument.starts_with('-') || argument == "-")
      continue;
    size_t equals = argument.find('=');
    const CLI::Option *option =
        app.get_option_no_throw(argument.substr(0, equals));
    if (!option)
      continue;
    if (option->get_expected_min() == 0) {
      // Those that take one have a value for when it is left out.
      if (equals != std::string::npos && option->get_fnames().empty())
        return fmt::format("{} takes no value; {}", option->get_name(),
                           found(argument.substr(equals + 1)));
      // Those that "--no-..." switches off; CLI11 would throw at other words.
      bool isSwitchable = std::ranges::any_of(
          option->get_fnames(),
          [](const std::string &name) { return name.starts_with("no-"); });
      if (isSwitchable && equals != std::string::npos &&
          !isSwitch(argument.substr(equals + 1)))
        return fmt::format("{} needs no value, or true or false; {}",
                           argument.substr(0, equals),
                           found(argument.substr(equals + 1)));
      continue;
    }
    if (equals == std::string::npos) {
      bool isFlagNext =
          i + 1 < arguments.size() && arguments[i + 1].starts_with("--");
      if (isFlagNext)
        return fmt::format("{}; {}", needsValue(*option),
                           found(arguments[i + 1]));
      ++i; // its value
    } else if (equals + 1 == argument.size()) {
      return fmt::format("{}; the one after '=' is empty", needsValue(*option));
    }
  }
  return std::nullopt;
}

std::string explainFlagError(const CLI::App &app,
                             const CLI::ParseError &error) {
  std::string message = error.what();
  const CLI::Option *option = findNamed(app, message);
  if (dynamic_cast<const CLI::ArgumentMismatch *>(&error) && option) {
    if (option->get_expected_max() == 0)
      return fmt::format("{} takes no value", option->get_name());
    if (option->count() > 1)
      return fmt::format("{} is given {} times; expected one value",
                         option->get_name(), option->count());
    return needsValue(*option);
  }
  if (dynamic_cast<const CLI::ConversionError *>(&error) && option) {
    if (option->get_expected_max() == 0)
      return fmt::format("{} takes no value", option->get_name());
    std::string value = option->results().empty() ? "" : option->results()[0];
    return fmt::format("{}: '{}' is not one of its values", option->get_name(),
                       printable(value));
  }
  for (auto [theirs, ours] :
       {std::pair(" requires ", "{} needs {}"),
        std::pair(" excludes ", "{} and {} exclude each other")}) {
    bool isKind = dynamic_cast<const CLI::RequiresError *>(&error) ||
                  dynamic_cast<const CLI::ExcludesError *>(&error);
    size_t at = message.find(theirs);
    if (isKind && at != std::string::npos)
      return fmt::format(fmt::runtime(ours), message.substr(0, at),
                         message.substr(at + std::string_view(theirs).size()));
  }
  return message; // a validator's: ours
}

std::shared_ptr<CLI::FormatterBase> helpFormatter() {
  return std::make_shared<HelpFormatter>();
}

std::vector<std::string> flagNames(const CLI::App &app) {
  std::vector<std::string> names;
  for (const CLI::Option *option : app.get_options()) {
    for (const std::string &name : option->get_lnames())
      names.push_back("--" + name);
    for (const std::string &name : option->get_fnames())
      if (std::string flag = "--" + name;
          std::ranges::find(names, flag) == names.end())
        names.push_back(std::move(flag));
  }
  return names;
}

} // namespace boostrt
