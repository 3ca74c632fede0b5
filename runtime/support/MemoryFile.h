// MemoryFile.h - a file that exists in memory alone, for code that wants a
// path.
#pragma once

#include "runtime/support/Descriptor.h"
#include "runtime/support/IoError.h"

#include <string>
#include <string_view>

namespace boostrt {

class MemoryFile {
public:
  /// `name` is shown to users who look at the process.
  IoError create(const char *name);
  IoError write(std::string_view bytes);
  /// All that any process has written to it.
  IoError read(std::string &content) const;

  /// A name of the file for this process, while this object lives.
  std::string path() const;

private:
  Descriptor descriptor_;
};

} // namespace boostrt
