#include "runtime/trainer/SelectDevice.h"

#include "runtime/device/cpu/CpuDevice.h"
#include "runtime/device/cuda/CudaDevice.h"
#include "runtime/device/cuda/CudaDriver.h"
#include "runtime/device/cuda/SimulatedGpu.h"
#include "runtime/support/Plural.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fmt/format.h>
#include <sched.h>

namespace boostrt {
namespace {

/// CPUs this process may run on; 0 when that cannot be known.
int availableCpus() {
  cpu_set_t set;
  return sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 0;
}

/// `status` with the program's path before its message.
Status about(const Program &program, const Status &status) {
  return Status(status.code(),
                fmt::format("'{}': {}", program.path(), status.message()));
}

class Selection {
public:
  Selection(const Options &options, const Program &program)
      : options_(options), program_(program) {}

  Result<SelectedDevice> run() {
    if (options_.device == "cpu")
      return onCpu("as --device says");
    if (options_.device == "sim")
      return onSim();
    if (options_.device == "cuda") {
      if (!program_.target(BOOSTC_TARGET_CUDA))
        return missing();
      return onCuda("as --device says", "--device=cuda",
                    "--device=cpu and --device=sim need no GPU");
    }
    if (!program_.target(BOOSTC_TARGET_CUDA))
      return onCpu("the only target of the program");
    if (!program_.target(BOOSTC_TARGET_CPU))
      return onCuda(
          "the only target of the program",
          fmt::format("'{}' was compiled for cuda alone", program_.path()),
          "--device=sim needs no GPU");
    Result<std::unique_ptr<CudaDriver>> driver = openGpu();
    if (!driver.ok())
      return onCpu(driver.status().message());
    return onGpu(std::move(driver).value(), "a GPU that can be used");
  }

private:
  /// --device names what the program has no code for.
  Status missing() const {
    bool hasCpu = program_.target(BOOSTC_TARGET_CPU) != nullptr;
    return Status(ExitCode::Usage,
                  fmt::format("--device={}: '{}' was compiled for {} alone; "
                              "compile it with boostc --target=cpu,cuda",
                              options_.device, program_.path(),
                              hasCpu ? "cpu" : "cuda"));
  }

  void report(SelectedDevice &selected, const std::string &reason) const {
    selected.notes.insert(selected.notes.begin(),
                          fmt::format("{} on {} ({})",
                                      program_.descriptor().name,
                                      selected.device->describe(), reason));
  }

  Result<SelectedDevice> onCpu(const std::string &reason) const {
    SelectedDevice selected;
    selected.target = program_.target(BOOSTC_TARGET_CPU);
    if (!selected.target)
      return missing();
    uint32_t threads = options_.threads.value_or(
        std::min(selected.target->threads, options_.threadsAtMost));
    Result<std::unique_ptr<CpuDevice>> device = CpuDevice::create(
        threads, *selected.target, program_.descriptor().reproducible);
    if (!device.ok())
      return about(program_, device.status());
    selected.device = std::move(device).value();
    report(selected, reason);
    if (int cpus = availableCpus(); cpus > 0 && uint32_t(cpus) < threads)
      selected.notes.push_back(
          fmt::format("only {} may be used, so {} threads will wait for each "
                      "other; recompile with boostc --threads={}",
                      countOf(cpus, "CPU"), threads, cpus));
    return selected;
  }

  Result<std::unique_ptr<CudaDriver>> openGpu() const {
    return CudaDriver::create(CudaDriver::kLibrary,
                              cuda::SearchContext::current(), options_.gpu);
  }

  /// Without a GPU fails with `subject`, the reason, and `advice`.
  Result<SelectedDevice> onCuda(const std::string &reason,
                                const std::string &subject,
                                const std::string &advice) const {
    Result<std::unique_ptr<CudaDriver>> driver = openGpu();
    if (!driver.ok())
      return Status(driver.status().code(),
                    fmt::format("{}: {}; {}", subject,
                                driver.status().message(), advice));
    return onGpu(std::move(driver).value(), reason);
  }

  Result<SelectedDevice> onSim() const {
    if (!program_.target(BOOSTC_TARGET_CUDA))
      return missing();
    uint32_t threads = options_.threads.value_or(
        static_cast<uint32_t>(std::max(1, availableCpus())));
    Result<std::unique_ptr<GpuDriver>> driver =
        openSimulatedGpu(threads, cuda::SearchContext::current().origin);
    if (!driver.ok())
      return Status(driver.status().code(),
                    fmt::format("--device=sim: {}", driver.status().message()));
    return onGpu(std::move(driver).value(), "as --device says");
  }

  /// Plans are stored next to the program, or where it cannot be written, in
  /// the user's folder for what can be had again.
  LibrarySettings librarySettings() const {
    LibrarySettings settings;
    settings.use = options_.gpuLibrary == "on"    ? LibraryUse::On
                   : options_.gpuLibrary == "off" ? LibraryUse::Off
                                                  : LibraryUse::Auto;
    settings.programHash = program_.sha256();
    settings.planFiles = {program_.path() + ".plans"};
    const char *cache = std::getenv("XDG_CACHE_HOME");
    const char *home = std::getenv("HOME");
    std::string folder;
    std::error_code error;
    if (cache && *cache == '/')
      folder = cache;
    else if (home && std::filesystem::is_directory(home, error))
      folder = std::string(home) + "/.cache";
    if (!folder.empty())
      settings.planFiles.push_back(fmt::format("{}/boostc/plans/{}.plans",
                                               folder, settings.programHash));
    return settings;
  }

  Result<SelectedDevice> onGpu(std::unique_ptr<GpuDriver> driver,
                               const std::string &reason) const {
    SelectedDevice selected;
    selected.target = program_.target(BOOSTC_TARGET_CUDA);
    Result<std::unique_ptr<CudaDevice>> device =
        CudaDevice::create(std::move(driver), *selected.target, program_.path(),
                           librarySettings());
    if (!device.ok())
      return device.status();
    selected.notes = (*device)->notes();
    selected.device = std::move(device).value();
    report(selected, reason);
    return selected;
  }

  const Options &options_;
  const Program &program_;
};

} // namespace

Result<SelectedDevice> selectDevice(const Options &options,
                                    const Program &program) {
  return Selection(options, program).run();
}

} // namespace boostrt
