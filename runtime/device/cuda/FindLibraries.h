// FindLibraries.h - where NVIDIA's libraries and ptxas lie. They are installed
// in many ways: next to boost-run, as packages of the system, as a toolkit, or
// as packages of a Python environment, whose folders no dynamic linker knows.
//
// Only folders are read; nothing is executed.
#pragma once

#include "runtime/support/Status.h"

#include <string>
#include <vector>

namespace boostrt::cuda {

/// What a search depends on. A test makes one by hand.
struct SearchContext {
  std::string origin; ///< folder of the running program; empty: not known
  std::string root;   ///< put before the system's own folders
  // Environment variables; empty where they are not set.
  std::string path, ldLibraryPath, virtualEnv, condaPrefix, pythonPath, home;
  std::string cudaHome;

  /// That of this process.
  static SearchContext current();
};

/// A place to try.
struct Candidate {
  std::string path;
  std::string place; ///< "next to boost-run", "CUDA toolkit"

  bool operator==(const Candidate &) const = default;
};

/// Where library `name` ("libcudnn.so.9") can be taken from, best first: files
/// that exist, and `name` itself for what the dynamic linker finds.
std::vector<Candidate> findLibrary(const std::string &name,
                                   const SearchContext &context);

/// The executable files called `name` ("ptxas"), best first.
std::vector<Candidate> findProgram(const std::string &name,
                                   const SearchContext &context);

/// A library that is open until the process ends: it may have threads of its
/// own, and closing it under them is not safe.
struct OpenLibrary {
  void *handle = nullptr;
  std::string path;  ///< of the file that was taken
  std::string place; ///< of its candidate
};

/// Opens the first candidate that can be opened. What a library of a Python
/// environment needs in turn must be open before it (libcublasLt before
/// libcudnn), because the dynamic linker does not look there. Fails with
/// ExitCode::Usage: not found, or found and why it cannot be opened.
Result<OpenLibrary> openLibrary(const std::string &name,
                                const SearchContext &context);

/// "9.19.0" of 91900: so cuBLASLt, cuDNN and NCCL number themselves.
std::string versionText(size_t number);

} // namespace boostrt::cuda
