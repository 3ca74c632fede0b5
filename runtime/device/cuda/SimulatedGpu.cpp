#include "runtime/device/cuda/SimulatedGpu.h"

#include "runtime/device/cuda/FunctionFinder.h"

#include <dlfcn.h>
#include <filesystem>
#include <fmt/format.h>
#include <unistd.h>

namespace boostrt {
namespace {

Status failure(const std::string &why) {
  return Status(ExitCode::Usage,
                fmt::format("cannot open the simulated GPU: {}", why));
}

/// bin/boost-run, a test in test/unit/, or both next to each other.
std::string findPlugin(const std::string &origin) {
  for (const char *folder : {"", "../lib", "../../lib"}) {
    std::filesystem::path path =
        std::filesystem::path(origin) / folder / sim::kPluginFile;
    if (access(path.c_str(), R_OK) == 0)
      return path;
  }
  return {};
}

} // namespace

Result<std::unique_ptr<GpuDriver>> openSimulatedGpu(uint32_t threads,
                                                    const std::string &origin) {
  std::string path = findPlugin(origin);
  if (path.empty())
    return failure(fmt::format("found no plug-in '{}' in '{}' or in '../lib'; "
                               "build it (target boost_sim), or copy it next "
                               "to the program",
                               sim::kPluginFile, origin));
  void *library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library)
    return failure(dlerror());
  sim::PluginVersion *version = nullptr;
  sim::CreateDriver *create = nullptr;
  cuda::FunctionFinder functions(library);
  functions.find(version, sim::kPluginVersionSymbol);
  functions.find(create, sim::kCreateDriverSymbol);
  if (functions.missing())
    return failure(
        fmt::format("'{}' has no function '{}'", path, functions.missing()));
  if (std::string_view found = version(); found != sim::kPluginVersion)
    return failure(fmt::format("'{}' is of build {}, expected {}; build both "
                               "together",
                               path, found, sim::kPluginVersion));
  std::unique_ptr<GpuDriver> driver;
  Status status;
  create(threads, driver, status);
  if (!status.ok())
    return status;
  return driver;
}

} // namespace boostrt
