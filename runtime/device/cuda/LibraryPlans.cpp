#include "runtime/device/cuda/LibraryPlans.h"

#include "runtime/support/File.h"
#include "runtime/support/Sha256.h"

#include <cerrno>
#include <fmt/format.h>
#include <sstream>

namespace boostrt::cuda {
namespace {

constexpr std::string_view kFirstLine = "boost-run plans 2\n";
constexpr std::string_view kHashName = "sha256 ";
constexpr uint64_t kMaxFileBytes = 16 << 20;

std::string hashOf(std::string_view text) {
  return toHex(
      sha256({reinterpret_cast<const uint8_t *>(text.data()), text.size()}));
}

/// The lines that say what plans are about.
std::vector<std::pair<const char *, std::string>> linesOf(const PlanKey &key) {
  static constexpr const char *kUses[] = {"auto", "on", "off"};
  return {{"device", key.device},
          {"driver", std::to_string(key.driverVersion)},
          {"library", key.libraries},
          {"use", kUses[static_cast<size_t>(key.use)]},
          {"program", key.programHash}};
}

bool parseLine(const std::string &line, LibraryPlans &plans) {
  std::istringstream words(line);
  std::string call, what, more;
  LibraryPlan plan;
  words >> call >> what >> plan.libraryMicroseconds >>
      plan.kernelMicroseconds >> plan.candidate;
  plan.usesLibrary = what == "library";
  return words && !(words >> more) && (plan.usesLibrary || what == "kernel") &&
         plans.emplace(call, plan).second;
}

Status ignored(const char *why) { return Status(ExitCode::Input, why); }

} // namespace

std::string formatPlans(const PlanKey &key, const LibraryPlans &plans) {
  std::string text(kFirstLine);
  for (const auto &[name, value] : linesOf(key))
    text += fmt::format("{} {}\n", name, value);
  for (const auto &[call, plan] : plans)
    text += fmt::format("{} {} {:.3f} {:.3f} {}\n", call,
                        plan.usesLibrary ? "library" : "kernel",
                        plan.libraryMicroseconds, plan.kernelMicroseconds,
                        plan.candidate);
  return text + fmt::format("{}{}\n", kHashName, hashOf(text));
}

Result<LibraryPlans> parsePlans(const std::string &text, const PlanKey &key) {
  size_t hash = text.rfind(kHashName);
  if (!text.starts_with(kFirstLine) || hash == std::string::npos ||
      text.substr(hash) !=
          fmt::format("{}{}\n", kHashName, hashOf(text.substr(0, hash))))
    return ignored("is damaged");
  std::istringstream lines(
      text.substr(kFirstLine.size(), hash - kFirstLine.size()));
  std::string line;
  for (const auto &[name, value] : linesOf(key)) {
    std::getline(lines, line);
    if (line != fmt::format("{} {}", name, value))
      return Status(ExitCode::Input, fmt::format("is about another {}", name));
  }
  LibraryPlans plans;
  while (std::getline(lines, line))
    if (!parseLine(line, plans))
      return ignored("is damaged");
  return plans;
}

LibraryPlans readPlans(const std::vector<std::string> &files,
                       const PlanKey &key, std::string &from,
                       std::vector<std::string> &notes) {
  for (const std::string &file : files) {
    std::unique_ptr<ReadableFile> exists;
    if (realFileSystem().open(file, exists).number() == ENOENT)
      continue;
    Result<std::vector<uint8_t>> bytes =
        readWholeFile(realFileSystem(), file, kMaxFileBytes, ExitCode::Input);
    if (!bytes.ok()) {
      notes.push_back(bytes.status().message() + "; it is ignored");
      continue;
    }
    Result<LibraryPlans> plans =
        parsePlans(std::string(bytes->begin(), bytes->end()), key);
    if (plans.ok()) {
      from = file;
      return std::move(plans).value();
    }
    notes.push_back(
        fmt::format("'{}' {} and is ignored", file, plans.status().message()));
  }
  return {};
}

std::string writePlans(const std::vector<std::string> &files,
                       const PlanKey &key, const LibraryPlans &plans,
                       std::vector<std::string> &notes) {
  std::string text = formatPlans(key, plans);
  std::string failures;
  for (const std::string &file : files) {
    Status status =
        makeDirectories(realFileSystem(), directoryOf(file), ExitCode::Input);
    if (status.ok())
      status = writeFileAtomically(
          realFileSystem(), file, ExitCode::Input, [&](WritableFile &out) {
            return out.write(
                {reinterpret_cast<const uint8_t *>(text.data()), text.size()});
          });
    if (status.ok())
      return file;
    failures += (failures.empty() ? "" : "; ") + status.message();
  }
  if (!files.empty())
    notes.push_back(fmt::format("what was measured is not kept: {}", failures));
  return "";
}

} // namespace boostrt::cuda
