#include "compiler/codegen/Ptxas.h"
#include "runtime/device/cuda/FindLibraries.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace boostc;

std::string boostc::findPtxas(StringRef choice) {
  if (choice == "off")
    return "";
  if (choice != "auto")
    return choice.str();
  std::vector<boostrt::cuda::Candidate> found = boostrt::cuda::findProgram(
      "ptxas", boostrt::cuda::SearchContext::current());
  return found.empty() ? "" : found.front().path;
}

/// A file of its own; empty, and a sentence in `error`, when there is none.
static std::string makeFile(StringRef suffix, std::string &error) {
  SmallString<128> path;
  if (std::error_code code =
          llvm::sys::fs::createTemporaryFile("boostc", suffix, path)) {
    SmallString<128> directory;
    llvm::sys::path::system_temp_directory(/*ErasedOnReboot=*/true, directory);
    error = ("cannot make a temporary file in '" + directory +
             "' (TMPDIR): " + code.message())
                .str();
    return "";
  }
  return path.str().str();
}

static std::string readFile(StringRef path) {
  llvm::ErrorOr<std::unique_ptr<llvm::MemoryBuffer>> file =
      llvm::MemoryBuffer::getFile(path, /*IsText=*/false,
                                  /*RequiresNullTerminator=*/false);
  return file ? (*file)->getBuffer().str() : "";
}

PtxasJobs::~PtxasJobs() {
  for (Job &job : jobs)
    if (job.process.Pid != llvm::sys::ProcessInfo::InvalidPid)
      llvm::sys::Wait(job.process, std::nullopt);
  for (Job &job : jobs)
    for (const std::string &path : {job.output, job.messages})
      if (!path.empty())
        llvm::sys::fs::remove(path);
  if (!source.empty())
    llvm::sys::fs::remove(source);
}

void PtxasJobs::start(StringRef ptxas, StringRef ptx,
                      ArrayRef<unsigned> architectures) {
  std::string error;
  source = makeFile("ptx", error);
  if (error.empty()) {
    std::error_code code;
    llvm::raw_fd_ostream stream(source, code);
    stream << ptx;
    stream.close();
    if (stream.has_error()) {
      error = "cannot write '" + source + "': " + stream.error().message();
      stream.clear_error();
    }
  }
  for (unsigned architecture : architectures) {
    Job job{architecture, {}, {}, {}, error};
    if (job.error.empty())
      job.output = makeFile("cubin", job.error);
    if (job.error.empty())
      job.messages = makeFile("txt", job.error);
    if (job.error.empty()) {
      std::string arch = "-arch=sm_" + std::to_string(architecture);
      StringRef arguments[] = {ptxas, arch, source, "-o", job.output};
      std::optional<StringRef> redirects[] = {
          StringRef(""), StringRef(job.messages), StringRef(job.messages)};
      bool failed = false;
      job.process = llvm::sys::ExecuteNoWait(
          ptxas, arguments, /*Env=*/std::nullopt, redirects,
          /*MemoryLimit=*/0, &job.error, &failed);
      if (failed && job.error.empty())
        job.error = "cannot be started";
    }
    jobs.push_back(std::move(job));
  }
}

std::vector<PtxasJobs::Cubin> PtxasJobs::collect(ModuleOp module) {
  std::vector<Cubin> cubins;
  for (Job &job : jobs) {
    if (job.error.empty()) {
      llvm::sys::ProcessInfo ended =
          llvm::sys::Wait(job.process, std::nullopt, &job.error);
      if (ended.ReturnCode != 0 && job.error.empty())
        job.error = readFile(job.messages);
      job.process.Pid = llvm::sys::ProcessInfo::InvalidPid;
    }
    std::string bytes = job.error.empty() ? readFile(job.output) : "";
    if (!bytes.empty())
      cubins.push_back({job.architecture, std::move(bytes)});
    else
      module.emitWarning("ptxas generates no code for sm_")
          << job.architecture << ", so GPUs of this kind compile the program "
          << "when it is loaded: " << StringRef(job.error).trim();
  }
  return cubins;
}
