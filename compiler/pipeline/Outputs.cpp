#include "compiler/pipeline/Outputs.h"
#include "runtime/support/File.h"
#include "runtime/support/Streams.h"

using namespace boostc;
using boostrt::ExitCode;
using boostrt::NamedFile;
using boostrt::Status;

std::string boostc::defaultOutput(const CompileOptions &options) {
  bool isProgram = options.report == Report::None &&
                   options.emit == Emit::Phase && options.to == Phase::So;
  return isProgram ? "train.so" : "-";
}

Status boostc::checkOutputs(const CompileOptions &options,
                            const std::string &output) {
  std::vector<NamedFile> taken = {{"the input", options.input}};
  if (!options.boostConfig.empty())
    taken.push_back({"the file of --boost-config", options.boostConfig});
  for (const std::string &overlay : options.overlays)
    taken.push_back({"a file of --overlay", overlay});
  const TuningOptions &tuning = options.tuning;
  if (tuning.measures)
    BOOSTRT_RETURN_IF_ERROR(checkOutput(boostrt::realFileSystem(), "--tune",
                                        tuning.file, ExitCode::Usage, taken));
  if (!tuning.file.empty())
    taken.push_back({tuning.measures ? "the file of --tune" : "that of --tuned",
                     tuning.file});
  if (output == "-")
    return Status();
  return checkOutput(boostrt::realFileSystem(), "-o", output, ExitCode::Usage,
                     taken);
}

Status boostc::writeOutput(const std::string &path, llvm::StringRef bytes) {
  if (path == "-") {
    boostrt::writeResult({bytes.data(), bytes.size()});
    return Status(); // whether that was possible is asked at the end
  }
  return boostrt::writeFileAtomically(boostrt::realFileSystem(), path,
                                      ExitCode::Usage,
                                      {bytes.data(), bytes.size()});
}
