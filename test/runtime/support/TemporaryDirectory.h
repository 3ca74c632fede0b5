// TemporaryDirectory.h - a fresh directory, deleted with all that is in it.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <string>

namespace boostrt {

class TemporaryDirectory {
public:
  TemporaryDirectory() {
    std::string pattern = testing::TempDir() + "/boostrt-XXXXXX";
    path_ = ::mkdtemp(pattern.data()) ? pattern : std::string();
    EXPECT_FALSE(path_.empty()) << "no temporary directory at " << pattern;
  }
  ~TemporaryDirectory() {
    std::error_code ignored;
    if (!path_.empty())
      std::filesystem::remove_all(path_, ignored);
  }
  TemporaryDirectory(const TemporaryDirectory &) = delete;
  TemporaryDirectory &operator=(const TemporaryDirectory &) = delete;

  const std::string &path() const { return path_; }
  std::string operator/(const std::string &name) const {
    return path_ + "/" + name;
  }

private:
  std::string path_;
};

} // namespace boostrt
