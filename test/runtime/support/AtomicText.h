// AtomicText.h - a text as a whole file, for the tests of those who write
// files.
#pragma once

#include "runtime/support/File.h"

#include <string_view>

namespace boostrt {

/// writeFileAtomically() of these bytes.
inline Status writeFileAtomically(FileSystem &files, const std::string &path,
                                  ExitCode code, std::string_view content) {
  return writeFileAtomically(files, path, code, [&](WritableFile &file) {
    return file.write(
        {reinterpret_cast<const uint8_t *>(content.data()), content.size()});
  });
}

} // namespace boostrt
