// ProgramFile.h - the bytes of a program file before anything of it is run.
//
// dlopen() trusts what it maps: a damaged file can take the process down. So
// the trailer that boostc appends (BoostTrailer) is checked first, and with it
// every byte of the file.
#pragma once

#include "runtime/abi/boost_abi.h"
#include "runtime/support/Status.h"

#include <cstdint>
#include <span>
#include <string>

namespace boostrt {

/// Checks that `bytes`, the content of the file `path` (for messages), is a
/// whole, unchanged program for this runtime. Fails with ExitCode::Input.
Status checkProgramBytes(std::span<const uint8_t> bytes,
                         const std::string &path);

/// A file that was found good.
struct CheckedProgramFile {
  std::string
      absolute;       ///< for the dynamic linker, which searches for bare names
  std::string sha256; ///< of the program, in hex
};

/// Reads `path` and checks it.
Result<CheckedProgramFile> checkProgramFile(const std::string &path);

} // namespace boostrt
