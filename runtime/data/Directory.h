// Directory.h - what the loaders of directories share: what they say when
// something is missing, and the source they make. Private to this room.
#pragma once

#include "runtime/data/Dataset.h"

#include <optional>
#include <string>

namespace boostrt::data {

/// What the directory holds, for a message: "it holds a, b and 3 more".
std::string listing(const std::string &directory);

/// Fails with ExitCode::Data unless `directory` is one. `holds` says what was
/// expected in it, "the four MNIST files"; `scheme` is "mnist".
Status checkDirectory(const std::string &directory, const char *holds,
                      const char *scheme);

/// Whether `path` exists. Fails with ExitCode::Data for a symbolic link that
/// leads nowhere, and for what cannot be looked at: neither is an absent file.
Result<bool> isThere(const std::string &path);

/// The path of `name` in `directory`: plain, else with .gz, else with .xz; none
/// when it is absent. Fails as isThere() does.
Result<std::optional<std::string>> findOptional(const std::string &directory,
                                                const std::string &name);

/// A split without samples, of what `train` holds.
std::unique_ptr<Dataset> emptySplit(const Dataset &train);

/// The error that `names`, "a.npy", do not exist, with what does.
Status notFound(const std::string &directory, const std::string &names);

/// findOptional() of a file that must be there. Fails with ExitCode::Data.
Result<std::string> findPacked(const std::string &directory,
                               const std::string &name);

/// Both splits of `directory`, described for the log.
DataSource makeSource(const char *scheme, std::unique_ptr<Dataset> train,
                      std::unique_ptr<Dataset> test,
                      const std::string &directory);

} // namespace boostrt::data
