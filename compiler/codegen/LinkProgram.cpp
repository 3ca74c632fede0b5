// Linking, by LLD as a library: a machine that compiles models needs no linker.
// LLD reads and writes files: objects are files in memory, and the result goes
// through a pipe, so that no second folder is needed.

#include "compiler/codegen/LinkProgram.h"
#include "lld/Common/Driver.h"
#include "runtime/abi/boost_abi.h"
#include "runtime/support/MemoryFile.h"
#include "llvm/Support/SHA256.h"
#include "llvm/Support/raw_ostream.h"
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <thread>
#include <unistd.h>

LLD_HAS_DRIVER(elf)

using namespace llvm;

using boostrt::Descriptor;
using boostrt::MemoryFile;

static void appendTrailer(SmallVectorImpl<char> &library) {
  BoostTrailer trailer = {};
  ArrayRef<uint8_t> payload(reinterpret_cast<const uint8_t *>(library.data()),
                            library.size());
  std::array<uint8_t, 32> hash = SHA256::hash(payload);
  std::memcpy(trailer.sha256, hash.data(), hash.size());
  trailer.payload_bytes = library.size();
  trailer.abi_version = BOOSTC_ABI_VERSION;
  trailer.abi_layout = BOOSTC_ABI_LAYOUT;
  std::memcpy(trailer.magic, BOOSTC_TRAILER_MAGIC, sizeof(trailer.magic));
  const char *bytes = reinterpret_cast<const char *>(&trailer);
  library.append(bytes, bytes + sizeof(trailer));
}

namespace {

/// A file to write into, as a path; what is written there is collected.
class Collector {
public:
  boostrt::IoError open(SmallVectorImpl<char> &bytes) {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0)
      return boostrt::IoError(errno);
    readEnd = Descriptor(ends[0]);
    writeEnd = Descriptor(ends[1]);
    reader = std::thread([this, &bytes] { collect(bytes); });
    return {};
  }
  ~Collector() { close(); }

  std::string path() const {
    return "/proc/self/fd/" + std::to_string(writeEnd.get());
  }
  /// Waits for the last bytes.
  void close() {
    writeEnd = Descriptor();
    if (reader.joinable())
      reader.join();
  }

private:
  void collect(SmallVectorImpl<char> &bytes) {
    char buffer[1 << 14];
    for (;;) {
      ssize_t count = read(readEnd.get(), buffer, sizeof(buffer));
      if (count > 0)
        bytes.append(buffer, buffer + count);
      else if (count == 0 || errno != EINTR)
        return;
    }
  }

  Descriptor readEnd, writeEnd;
  std::thread reader;
};

} // namespace

boostc::LinkResult boostc::linkProgram(ArrayRef<ObjectFile> objects,
                                       SmallVectorImpl<char> &library,
                                       std::string &error) {
  auto fail = [&](boostrt::IoError problem) {
    error = "cannot link the program: cannot create a file in memory: " +
            problem.advice();
    return LinkResult::NoSpace;
  };
  // No build id and no paths: the same input gives the same bytes.
  std::vector<std::string> words = {
      "ld.lld",        "-shared",     "--build-id=none",
      "--gc-sections", "--threads=1", "--hash-style=gnu",
      "-znow",         "-zrelro",     "-znoexecstack"};
  std::vector<MemoryFile> inputs(objects.size());
  for (auto [file, object] : zip_equal(inputs, objects)) {
    boostrt::IoError problem = file.create("program.o");
    if (problem.ok())
      problem = file.write({object.data(), object.size()});
    if (!problem.ok())
      return fail(problem);
    words.push_back(file.path());
  }
  Collector output;
  if (boostrt::IoError problem = output.open(library); !problem.ok())
    return fail(problem);
  words.insert(words.end(), {"-o", output.path()});

  std::vector<const char *> arguments;
  for (const std::string &word : words)
    arguments.push_back(word.c_str());
  std::string messages;
  raw_string_ostream messageStream(messages);
  lld::Result result = lld::lldMain(arguments, messageStream, messageStream,
                                    {{lld::Gnu, &lld::elf::link}});
  output.close();
  if (result.retCode != 0) {
    error = "the linker failed: " + messages;
    return LinkResult::Failed;
  }
  appendTrailer(library);
  return LinkResult::Ok;
}
