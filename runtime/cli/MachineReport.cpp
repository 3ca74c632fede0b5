#include "runtime/cli/MachineReport.h"

#include "runtime/device/cpu/CpuFeatures.h"
#include "runtime/device/cpu/Matmul.h"

#include <algorithm>
#include <dlfcn.h>
#include <fmt/format.h>
#include <fstream>
#include <sched.h>
#include <thread>

namespace boostrt {
namespace {

using Json = nlohmann::ordered_json;

// The levels of x86-64's processor supplement, by LLVM's names.
constexpr const char *kV3 =
    "cx16,sahf,popcnt,sse3,ssse3,sse4.1,sse4.2,avx,avx2,bmi,bmi2,f16c,fma,"
    "lzcnt,movbe,xsave";
constexpr const char *kV4 = "avx512f,avx512bw,avx512cd,avx512dq,avx512vl";
constexpr const char *kFurther[] = {"avx512vnni", "avx512bf16", "avx512fp16",
                                    "amx-tile",   "amx-int8",   "amx-bf16"};

/// A library of NVIDIA's and the function that tells its version:
/// `perMajor` * major + ... + patch.
struct Library {
  const char *name, *symbol;
  bool isReturned; ///< as a size_t; else written through a pointer to int
  int perMajor, perMinor;
  const char *otherwise = nullptr; ///< what happens without it
};
// In the order in which they need each other (openLibrary()).
constexpr Library kLibraries[] = {
    {"libcublasLt.so.13", "cublasLtGetVersion", true, 10000, 100,
     "generated kernels compute all matmuls"},
    {"libcudnn.so.9", "cudnnGetVersion", true, 10000, 100,
     "generated kernels compute all convolutions"},
    {"libcusolver.so.12", "cusolverGetVersion", false, 1000, 100},
    {"libnccl.so.2", "ncclGetVersion", false, 10000, 100,
     "what GPUs of several ranks exchange goes through the host"},
};

std::string join(const std::vector<std::string> &names) {
  std::string list;
  for (const std::string &name : names)
    list += (list.empty() ? "" : ", ") + name;
  return list;
}

std::string processorName() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with("model name"))
      if (size_t colon = line.find(": "); colon != std::string::npos)
        return line.substr(colon + 2);
  return "a processor without a name";
}

unsigned usableCpus() {
  cpu_set_t set;
  return sched_getaffinity(0, sizeof set, &set) == 0
             ? static_cast<unsigned>(CPU_COUNT(&set))
             : 0;
}

std::string versionText(const Library &library, void *handle) {
  void *symbol = dlsym(handle, library.symbol);
  if (!symbol)
    return "";
  int version = 0;
  if (library.isReturned)
    version = static_cast<int>(reinterpret_cast<size_t (*)()>(symbol)());
  else if (reinterpret_cast<int (*)(int *)>(symbol)(&version) != 0)
    return "";
  return fmt::format("{}.{}.{}", version / library.perMajor,
                     version % library.perMajor / library.perMinor,
                     version % library.perMinor);
}

FoundFile lookForLibrary(const Library &library,
                         const cuda::SearchContext &context) {
  FoundFile file;
  file.name = library.name;
  Result<cuda::OpenLibrary> open = cuda::openLibrary(library.name, context);
  if (!open.ok()) {
    file.failure = open.status().message();
    if (library.otherwise)
      file.failure += fmt::format("; {}", library.otherwise);
    return file;
  }
  file.path = open->path;
  file.place = open->place;
  file.version = versionText(library, open->handle);
  return file;
}

FoundFile lookForPtxas(const cuda::SearchContext &context) {
  FoundFile file;
  file.name = "ptxas";
  std::vector<cuda::Candidate> found = cuda::findProgram(file.name, context);
  if (found.empty()) {
    file.failure = "not found";
  } else {
    file.path = found[0].path;
    file.place = found[0].place;
  }
  return file;
}

std::string levelText(const char *name,
                      const std::vector<std::string> &missing) {
  return fmt::format("  {:<12} {}\n", name,
                     missing.empty() ? "yes" : "no, lacks " + join(missing));
}

std::string fileText(const FoundFile &file) {
  std::string text = file.failure;
  if (text.empty())
    text = fmt::format("{}{} ({})",
                       file.version.empty() ? "" : file.version + ", ",
                       file.path, file.place);
  return fmt::format("  {:<18} {}\n", file.name, text);
}

std::string gpuText(const cuda::Gpu &gpu) {
  std::string text =
      fmt::format("  {}: sm_{}, {:.1f} GiB", gpu.name, gpu.architecture,
                  static_cast<double>(gpu.bytes) / (1 << 30));
  return text + (gpu.isUsable ? "\n" : ", too old for programs\n");
}

} // namespace

MachineReport examineMachine(const cuda::SearchContext &context,
                             const char *driver) {
  MachineReport report;
  report.cpu = processorName();
  report.missingForV3 = missingCpuFeatures(kV3);
  report.missingForV4 = missingCpuFeatures(fmt::format("{},{}", kV3, kV4));
  for (const char *feature : kFurther)
    if (missingCpuFeatures(feature).empty())
      report.furtherFeatures.push_back(feature);
  report.cpus = std::thread::hardware_concurrency();
  report.usableCpus = usableCpus();
  if (report.usableCpus > 0)
    report.cpus = std::max(report.cpus, report.usableCpus);
  report.cpuLibrary = DnnlContext::libraryVersion();

  Result<cuda::Gpus> gpus = cuda::listGpus(driver);
  if (gpus.ok())
    report.gpus = std::move(gpus).value();
  else
    report.driverFailure = gpus.status().message();
  for (const Library &library : kLibraries)
    report.files.push_back(lookForLibrary(library, context));
  report.files.push_back(lookForPtxas(context));
  return report;
}

bool MachineReport::canUseGpu() const {
  // Programs run on the first one.
  return !gpus.list.empty() && gpus.list[0].isUsable;
}

Json MachineReport::toJson() const {
  Json list = Json::array(), found = Json::array();
  for (const cuda::Gpu &gpu : gpus.list)
    list.push_back({{"name", gpu.name},
                    {"architecture", gpu.architecture},
                    {"bytes", gpu.bytes},
                    {"usable", gpu.isUsable}});
  for (const FoundFile &file : files) {
    Json json{{"name", file.name}};
    for (auto &[key, value] : {std::pair("path", &file.path),
                               {"place", &file.place},
                               {"version", &file.version},
                               {"failure", &file.failure}})
      if (!value->empty())
        json[key] = *value;
    found.push_back(std::move(json));
  }
  Json driver{{"works", driverFailure.empty()}};
  if (driverFailure.empty())
    driver["cuda"] =
        fmt::format("{}.{}", gpus.version / 1000, gpus.version % 1000 / 10);
  else
    driver["failure"] = driverFailure;
  return {{"boost_run", BOOSTC_VERSION},
          {"cpu",
           {{"name", cpu},
            {"usable", canUseCpu()},
            {"missing_for_x86_64_v3", missingForV3},
            {"missing_for_x86_64_v4", missingForV4},
            {"further_features", furtherFeatures},
            {"cpus", cpus},
            {"usable_cpus", usableCpus},
            {"library", cpuLibrary}}},
          {"driver", driver},
          {"gpus", list},
          {"files", found}};
}

std::string MachineReport::toText() const {
  std::string text = fmt::format("CPU: {}\n", cpu);
  text += levelText("x86-64-v3", missingForV3);
  text += levelText("x86-64-v4", missingForV4);
  text += fmt::format("  {:<12} {}\n", "further",
                      furtherFeatures.empty() ? "none" : join(furtherFeatures));
  text +=
      fmt::format("  {:<12} {} of {} may be used\n", "CPUs", usableCpus, cpus);
  text += fmt::format("  {:<12} {}\n", "library", cpuLibrary);
  if (!driverFailure.empty()) {
    text += fmt::format("GPU: none; {}\n", driverFailure);
  } else {
    text += fmt::format("GPU: NVIDIA's driver serves CUDA {}.{}{}\n",
                        gpus.version / 1000, gpus.version % 1000 / 10,
                        gpus.list.empty() ? "; it finds no GPU" : "");
    for (const cuda::Gpu &gpu : gpus.list)
      text += gpuText(gpu);
  }
  text += "Files of NVIDIA's, which programs for GPUs and boostc use where "
          "they are found:\n";
  for (const FoundFile &file : files)
    text += fileText(file);
  std::string devices = canUseGpu() ? "cuda" : "";
  if (canUseCpu())
    devices += canUseGpu() ? ", cpu, sim" : "cpu, sim";
  if (!devices.empty())
    text += fmt::format("Programs can run here; --device: {}\n", devices);
  return text;
}

Status MachineReport::verdict() const {
  if (canUseCpu() || canUseGpu())
    return Status();
  return Status(ExitCode::Usage,
                fmt::format("no device of this machine can run programs: the "
                            "CPU lacks {}, which x86-64-v3 has, and there is "
                            "no GPU of compute capability 8.0 or newer",
                            join(missingForV3)));
}

} // namespace boostrt
