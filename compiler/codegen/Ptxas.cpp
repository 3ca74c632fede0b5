#include "compiler/codegen/Ptxas.h"
#include "runtime/device/cuda/FindLibraries.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"

using namespace boostc;
using llvm::SmallString;
using llvm::StringRef;

std::string boostc::findPtxas(StringRef choice) {
  if (choice == "off")
    return "";
  if (choice != "auto")
    return choice.str();
  std::vector<boostrt::cuda::Candidate> found = boostrt::cuda::findProgram(
      "ptxas", boostrt::cuda::SearchContext::current());
  return found.empty() ? "" : found.front().path;
}

namespace {

/// A temporary file, which goes with the object.
class TemporaryFile {
public:
  /// A sentence in `error` where there can be none.
  TemporaryFile(StringRef suffix, std::string &error) {
    std::error_code code =
        llvm::sys::fs::createTemporaryFile("boostc", suffix, path);
    if (!code)
      return;
    path.clear();
    SmallString<128> directory;
    llvm::sys::path::system_temp_directory(/*ErasedOnReboot=*/true, directory);
    error = ("cannot make a temporary file in '" + directory +
             "' (TMPDIR): " + code.message())
                .str();
  }
  ~TemporaryFile() {
    if (!path.empty())
      llvm::sys::fs::remove(path);
  }
  TemporaryFile(const TemporaryFile &) = delete;
  TemporaryFile &operator=(const TemporaryFile &) = delete;

  StringRef getPath() const { return path; }

  void write(StringRef text, std::string &error) const {
    std::error_code code;
    llvm::raw_fd_ostream stream(path, code);
    stream << text;
    stream.close();
    if (stream.has_error()) {
      error =
          ("cannot write '" + path + "': " + stream.error().message()).str();
      stream.clear_error();
    }
  }
  std::string read() const {
    auto file = llvm::MemoryBuffer::getFile(path, /*IsText=*/false,
                                            /*RequiresNullTerminator=*/false);
    return file ? (*file)->getBuffer().str() : "";
  }

private:
  SmallString<128> path;
};

} // namespace

Cubin boostc::assemble(StringRef ptxas, StringRef ptx, unsigned architecture) {
  Cubin result;
  std::string &error = result.error;
  TemporaryFile source("ptx", error), output("cubin", error),
      messages("txt", error);
  if (error.empty())
    source.write(ptx, error);
  if (!error.empty())
    return result;
  std::string arch = "-arch=sm_" + std::to_string(architecture);
  StringRef arguments[] = {ptxas, arch, source.getPath(), "-o",
                           output.getPath()};
  std::optional<StringRef> redirects[] = {StringRef(""), messages.getPath(),
                                          messages.getPath()};
  bool isMissing = false;
  int code = llvm::sys::ExecuteAndWait(ptxas, arguments, /*Env=*/std::nullopt,
                                       redirects, /*SecondsToWait=*/0,
                                       /*MemoryLimit=*/0, &error, &isMissing);
  if (isMissing && error.empty())
    error = "cannot be started";
  if (code == 0 && error.empty())
    result.bytes = output.read();
  else if (error.empty())
    error = StringRef(messages.read()).trim();
  return result;
}
