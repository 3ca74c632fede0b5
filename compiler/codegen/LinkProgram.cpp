// Linking, by LLD as a library: a machine that compiles models needs no linker.
// LLD reads and writes files, so object and result pass through a private
// temporary directory.

#include "compiler/codegen/LinkProgram.h"
#include "lld/Common/Driver.h"
#include "runtime/abi/boost_abi.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/SHA256.h"
#include "llvm/Support/raw_ostream.h"
#include <cstring>

LLD_HAS_DRIVER(elf)

using namespace llvm;

static bool writeFile(StringRef path, ArrayRef<char> bytes,
                      std::string &error) {
  std::error_code code;
  raw_fd_ostream file(path, code);
  if (!code) {
    file.write(bytes.data(), bytes.size());
    file.close();
    code = file.error();
  }
  if (!code)
    return true;
  file.clear_error();
  error = ("cannot write '" + path + "': " + code.message()).str();
  return false;
}

static void appendTrailer(SmallVectorImpl<char> &library) {
  BoostTrailer trailer = {};
  ArrayRef<uint8_t> payload(reinterpret_cast<const uint8_t *>(library.data()),
                            library.size());
  std::array<uint8_t, 32> hash = SHA256::hash(payload);
  std::memcpy(trailer.sha256, hash.data(), hash.size());
  trailer.payload_bytes = library.size();
  trailer.abi_version = BOOST_ABI_VERSION;
  std::memcpy(trailer.magic, BOOST_TRAILER_MAGIC, sizeof(trailer.magic));
  const char *bytes = reinterpret_cast<const char *>(&trailer);
  library.append(bytes, bytes + sizeof(trailer));
}

bool boostc::linkProgram(ArrayRef<ObjectFile> objects,
                         SmallVectorImpl<char> &library, std::string &error) {
  SmallString<128> directory;
  if (std::error_code code =
          sys::fs::createUniqueDirectory("boostc", directory)) {
    error = "cannot make a temporary directory: " + code.message();
    return false;
  }
  scope_exit removeDirectory([&] { sys::fs::remove_directories(directory); });
  SmallString<128> output(directory);
  sys::path::append(output, "program.so");
  // No build id and no paths: the same input gives the same bytes.
  std::vector<const char *> arguments = {
      "ld.lld",        "-shared",          "--build-id=none",
      "--gc-sections", "--hash-style=gnu", "-znow",
      "-zrelro",       "-znoexecstack",    "-o",
      output.c_str()};
  std::vector<std::string> inputs(objects.size());
  for (auto [number, object] : enumerate(objects)) {
    SmallString<128> input(directory);
    sys::path::append(input, "program." + Twine(number) + ".o");
    if (!writeFile(input, object, error))
      return false;
    inputs[number] = input.str();
    arguments.push_back(inputs[number].c_str());
  }

  std::string messages;
  raw_string_ostream messageStream(messages);
  lld::Result result = lld::lldMain(arguments, messageStream, messageStream,
                                    {{lld::Gnu, &lld::elf::link}});
  if (result.retCode != 0) {
    error = "the linker failed: " + messages;
    return false;
  }
  ErrorOr<std::unique_ptr<MemoryBuffer>> linked = MemoryBuffer::getFile(
      output, /*IsText=*/false, /*RequiresNullTerminator=*/false);
  if (!linked) {
    error = "cannot read the linked program: " + linked.getError().message();
    return false;
  }
  library.append((*linked)->getBufferStart(), (*linked)->getBufferEnd());
  appendTrailer(library);
  return true;
}
