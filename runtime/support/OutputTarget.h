// OutputTarget.h - what becomes of the name that a user gave an output.
#pragma once

#include "runtime/support/IoError.h"

#include <cstdint>
#include <string>

namespace boostrt {

/// The end of a chain of symbolic links, which may lead to nothing.
struct OutputTarget {
  enum class Kind {
    New,      ///< no file has this name yet
    Replaced, ///< a plain file, which a complete one takes the place of
    Stream,   ///< a device, a pipe or an open descriptor: written as it is
  };
  Kind kind = Kind::New;
  std::string path;
  int descriptor = -1; ///< of Stream: one that this process has open, or -1
  // For Replaced.
  uint32_t mode = 0, user = 0, group = 0;
};

/// Follows `path` on the machine's file system. EISDIR for a directory; EACCES
/// and the like where open(2) would not let this user write the file.
IoError findOutputTarget(const std::string &path, OutputTarget &target);

/// What a symbolic link says; EINVAL for what is not one.
IoError readLinkText(const std::string &path, std::string &text);

/// Whether both names lead to the same plain file.
bool isSameFile(const std::string &one, const std::string &other);

} // namespace boostrt
