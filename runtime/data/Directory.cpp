#include "runtime/data/Directory.h"
#include "runtime/support/Suggest.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace boostrt::data {

namespace fs = std::filesystem;

std::string listing(const std::string &directory) {
  std::vector<std::string> names;
  std::error_code error;
  for (fs::directory_iterator it(directory, error), end;
       !error && it != end && names.size() < 1000; it.increment(error))
    names.push_back(printable(it->path().filename().string()));
  if (names.empty())
    return "it is empty";
  std::sort(names.begin(), names.end());
  size_t shown = std::min<size_t>(names.size(), 6);
  return fmt::format(
      "it holds {}{}", fmt::join(names.begin(), names.begin() + shown, ", "),
      shown < names.size() ? fmt::format(" and {} more", names.size() - shown)
                           : "");
}

Status checkDirectory(const std::string &directory, const char *holds,
                      const char *scheme) {
  std::error_code error;
  fs::file_status status = fs::status(directory, error);
  if (fs::is_directory(status))
    return {};
  if (Result<bool> found = isThere(directory); !found.ok())
    return found.status();
  return Status(
      ExitCode::Data,
      fmt::format("{}: {}, expected a directory that holds {}; give one with "
                  "--data {}:DIR or DATA_PATH, or train without files with "
                  "--data digits",
                  directory,
                  fs::exists(status) ? "not a directory" : "no such directory",
                  holds, scheme));
}

Result<bool> isThere(const std::string &path) {
  std::error_code error, linkError;
  fs::file_type type = fs::status(path, error).type();
  bool isLink = fs::is_symlink(fs::symlink_status(path, linkError));
  if (type == fs::file_type::not_found && !isLink)
    return false;
  if (type != fs::file_type::not_found && type != fs::file_type::none)
    return true;
  if (!isLink)
    return Status(ExitCode::Data, fmt::format("{}: cannot be looked at: {}",
                                              path, error.message()));
  bool isLoop = error == std::errc::too_many_symbolic_link_levels;
  return Status(
      ExitCode::Data,
      fmt::format("{}: a symbolic link to '{}', which {}; correct the link",
                  path, printable(fs::read_symlink(path, linkError).string()),
                  isLoop ? "leads back to itself"
                  : type == fs::file_type::not_found
                      ? std::string("does not exist")
                      : "cannot be looked at: " + error.message()));
}

Result<std::optional<std::string>> findOptional(const std::string &directory,
                                                const std::string &name) {
  for (const char *suffix : {"", ".gz", ".xz"}) {
    std::string path = fs::path(directory) / (name + suffix);
    Result<bool> found = isThere(path);
    if (!found.ok())
      return found.status();
    if (*found)
      return std::optional(path);
  }
  return std::optional<std::string>();
}

std::unique_ptr<Dataset> emptySplit(const Dataset &train) {
  return std::make_unique<MemoryDataset>(
      train.shape(), /*size=*/0, nullptr, std::vector<int32_t>(),
      train.source(), train.labelSource(), train.elementType());
}

Status notFound(const std::string &directory, const std::string &names) {
  return Status(
      ExitCode::Data,
      fmt::format("{}: {} not found; {}; expected it there, plain or with .gz "
                  "or .xz; get it from the data set's source",
                  directory, names, listing(directory)));
}

Result<std::string> findPacked(const std::string &directory,
                               const std::string &name) {
  Result<std::optional<std::string>> path = findOptional(directory, name);
  if (!path.ok())
    return path.status();
  return *path ? Result<std::string>(**std::move(path))
               : notFound(directory, name);
}

DataSource makeSource(const char *scheme, std::unique_ptr<Dataset> train,
                      std::unique_ptr<Dataset> test,
                      const std::string &directory) {
  // The split with the larger label tells how many classes there are.
  const Dataset &telling = train->classes() >= test->classes() ? *train : *test;
  std::string description =
      fmt::format("{}: {} train + {} test samples of {}, from {}", scheme,
                  train->size(), test->size(), telling.contents(), directory);
  return {std::move(train), std::move(test), std::move(description)};
}

} // namespace boostrt::data
