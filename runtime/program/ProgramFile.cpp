#include "runtime/program/ProgramFile.h"

#include "runtime/support/File.h"
#include "runtime/support/Sha256.h"

#include <climits>
#include <cstdlib>
#include <cstring>
#include <fmt/format.h>
#include <sys/stat.h>

namespace boostrt {
namespace {

/// No program comes near it; a wrong path to a disk image does.
constexpr uint64_t kMaxProgramBytes = uint64_t{1} << 30;

constexpr const char *kRebuild = "build it again with boostc";

Status inputError(const std::string &path, std::string what) {
  return Status(ExitCode::Input, fmt::format("'{}' {}", path, what));
}

bool startsWith(std::span<const uint8_t> bytes, std::string_view text) {
  return bytes.size() >= text.size() &&
         std::memcmp(bytes.data(), text.data(), text.size()) == 0;
}

/// What to say about a file that does not end in a trailer.
Status describeForeign(std::span<const uint8_t> bytes,
                       const std::string &path) {
  if (startsWith(bytes, "\x7f"
                        "ELF"))
    return inputError(
        path, fmt::format("does not end as a compiled program does: it is cut "
                          "off, or a library that boostc did not make; {}",
                          kRebuild));
  if (bytes.empty())
    return inputError(path, fmt::format("is empty; {}", kRebuild));
  if (startsWith(bytes, "{"))
    return inputError(path, "is not a compiled program but looks like a model "
                            "file; compile it: boostc " +
                                path + " -o train.so");
  return inputError(
      path, "is not a compiled program; boost-run takes what boostc writes");
}

} // namespace

Status checkProgramBytes(std::span<const uint8_t> bytes,
                         const std::string &path) {
  BoostTrailer trailer;
  if (bytes.size() < sizeof trailer)
    return describeForeign(bytes, path);
  size_t payload = bytes.size() - sizeof trailer;
  std::memcpy(&trailer, bytes.data() + payload, sizeof trailer);
  if (std::memcmp(trailer.magic, BOOSTC_TRAILER_MAGIC, sizeof trailer.magic))
    return describeForeign(bytes, path);
  // Version before hash: the hash of another version may cover other bytes.
  if (trailer.abi_version != BOOSTC_ABI_VERSION)
    return inputError(path, fmt::format("has version {} of the program "
                                        "interface, this boost-run has {}; use "
                                        "the boostc and boost-run of one "
                                        "release, or {}",
                                        trailer.abi_version, BOOSTC_ABI_VERSION,
                                        kRebuild));
  if (trailer.abi_layout != BOOSTC_ABI_LAYOUT)
    return inputError(
        path, fmt::format("has another layout of version {} of the program "
                          "interface than this boost-run; use the boostc and "
                          "boost-run of one release, or {}",
                          trailer.abi_version, kRebuild));
  if (trailer.payload_bytes != payload)
    return inputError(path,
                      fmt::format("is damaged: {} bytes long where its "
                                  "trailer says {}; {}",
                                  payload, trailer.payload_bytes, kRebuild));
  Sha256Digest digest = sha256(bytes.first(payload));
  if (std::memcmp(digest.data(), trailer.sha256, digest.size()))
    return inputError(path, fmt::format("is damaged: its checksum does not "
                                        "match its content; {}",
                                        kRebuild));
  if (!startsWith(bytes, "\x7f"
                         "ELF"))
    return inputError(path,
                      fmt::format("is not a shared object; {}", kRebuild));
  return Status();
}

Result<CheckedProgramFile> checkProgramFile(const std::string &path) {
  struct stat info;
  if (stat(path.c_str(), &info) == 0 && S_ISDIR(info.st_mode))
    return inputError(path, "is a directory; boost-run takes the file that "
                            "boostc writes");
  Result<std::vector<uint8_t>> bytes =
      readWholeFile(realFileSystem(), path, kMaxProgramBytes, ExitCode::Input);
  if (!bytes.ok())
    return bytes.status();
  BOOSTRT_RETURN_IF_ERROR(checkProgramBytes(*bytes, path));
  std::unique_ptr<char, void (*)(void *)> real(realpath(path.c_str(), nullptr),
                                               std::free);
  if (!real)
    return inputError(
        path, fmt::format("cannot be resolved: {}", std::strerror(errno)));
  BoostTrailer trailer;
  std::memcpy(&trailer, bytes->data() + bytes->size() - sizeof trailer,
              sizeof trailer);
  Sha256Digest digest;
  std::memcpy(digest.data(), trailer.sha256, digest.size());
  return CheckedProgramFile{real.get(), toHex(digest)};
}

} // namespace boostrt
