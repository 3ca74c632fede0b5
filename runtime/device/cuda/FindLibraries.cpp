#include "runtime/device/cuda/FindLibraries.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <filesystem>
#include <fmt/format.h>
#include <link.h>
#include <unistd.h>

namespace boostrt::cuda {
namespace {

namespace fs = std::filesystem;

constexpr const char *kNextToProgram = "next to boost-run";
constexpr const char *kLinker = "dynamic linker";
constexpr const char *kToolkit = "CUDA toolkit";
constexpr const char *kPython = "Python environment";
constexpr const char *kOnPath = "PATH";

std::string variable(const char *name) {
  const char *value = std::getenv(name);
  return value ? value : "";
}

/// The folders of a list like PATH; empty entries, which stand for the working
/// directory, are left out.
std::vector<fs::path> split(const std::string &list) {
  std::vector<fs::path> folders;
  for (size_t start = 0; start <= list.size();) {
    size_t end = std::min(list.find(':', start), list.size());
    if (end > start)
      folders.push_back(list.substr(start, end - start));
    start = end + 1;
  }
  return folders;
}

/// Whether `a` comes before `b` where newer versions come first: numbers in
/// names count as numbers, so 13.10 is before 13.9.
bool isNewer(const std::string &a, const std::string &b) {
  return strverscmp(a.c_str(), b.c_str()) > 0;
}

/// The entries of `folder` whose names begin with `prefix`, newest first. Empty
/// when it cannot be read.
std::vector<fs::path> entriesOf(const fs::path &folder,
                                std::string_view prefix) {
  std::vector<std::string> names;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    std::string name = entry->path().filename();
    if (std::string_view(name).starts_with(prefix))
      names.push_back(std::move(name));
  }
  std::sort(names.begin(), names.end(), isNewer);
  std::vector<fs::path> paths;
  for (const std::string &name : names)
    paths.push_back(folder / name);
  return paths;
}

/// The folders of packages of the Python that is installed in `prefix`.
void addSites(const fs::path &prefix, std::vector<fs::path> &sites) {
  for (const char *lib : {"lib", "lib64", "local/lib"})
    for (const fs::path &python : entriesOf(prefix / lib, "python3"))
      for (const char *packages : {"site-packages", "dist-packages"})
        sites.push_back(python / packages);
}

/// The folders of packages that a python3 in `bin` would use: of a virtual
/// environment, of the installation that it comes from, and of those that a
/// launcher of pyenv chooses from.
void addSitesOfProgram(const fs::path &bin, std::vector<fs::path> &sites) {
  std::error_code error;
  if (!fs::exists(bin / "python3", error))
    return;
  addSites(bin.parent_path(), sites);
  fs::path real = fs::canonical(bin / "python3", error);
  if (!error && real.parent_path() != bin)
    addSites(real.parent_path().parent_path(), sites);
  if (bin.filename() == "shims")
    for (const fs::path &version :
         entriesOf(bin.parent_path() / "versions", "3"))
      addSites(version, sites);
}

/// The folder of packages that `folder` is a library folder of
/// (.../site-packages/nvidia/cudnn/lib), or an empty path.
fs::path siteOfLibraries(const fs::path &folder) {
  fs::path nvidia = folder.parent_path().parent_path();
  return folder.filename() == "lib" && nvidia.filename() == "nvidia"
             ? nvidia.parent_path()
             : fs::path();
}

/// Every folder of Python packages that the context leads to, best first.
std::vector<fs::path> pythonSites(const SearchContext &context) {
  std::vector<fs::path> sites;
  for (const std::string &prefix : {context.virtualEnv, context.condaPrefix})
    if (!prefix.empty())
      addSites(prefix, sites);
  for (const fs::path &folder : split(context.pythonPath))
    sites.push_back(folder);
  for (const fs::path &bin : split(context.path))
    addSitesOfProgram(bin, sites);
  if (!context.home.empty())
    addSites(fs::path(context.home) / ".local", sites);
  for (const fs::path &folder : split(context.ldLibraryPath))
    if (fs::path site = siteOfLibraries(folder); !site.empty())
      sites.push_back(site);
  return sites;
}

/// CUDA_HOME, /usr/local/cuda, then /usr/local/cuda-13.1, cuda-13.0 and so on.
std::vector<fs::path> toolkits(const SearchContext &context) {
  fs::path local = context.root + "/usr/local";
  std::vector<fs::path> folders = entriesOf(local, "cuda-");
  folders.insert(folders.begin(), local / "cuda");
  if (!context.cudaHome.empty())
    folders.insert(folders.begin(), context.cudaHome);
  return folders;
}

class Candidates {
public:
  Candidates(const std::string &name, int access)
      : name_(name), access_(access) {}

  /// Each file is listed once, however many paths lead to it.
  void addFile(const fs::path &folder, const char *place) {
    fs::path path = folder / name_;
    std::error_code error;
    if (!fs::is_regular_file(path, error) ||
        ::access(path.c_str(), access_) != 0)
      return;
    fs::path real = fs::canonical(path, error);
    if (error || std::find(seen_.begin(), seen_.end(), real) != seen_.end())
      return;
    seen_.push_back(std::move(real));
    list.push_back({path.lexically_normal(), place});
  }

  std::vector<Candidate> list;

private:
  const std::string &name_;
  int access_;
  std::vector<fs::path> seen_;
};

/// The file of `handle`; `otherwise` where the linker does not tell.
std::string pathOf(void *handle, const std::string &otherwise) {
  link_map *map = nullptr;
  if (dlinfo(handle, RTLD_DI_LINKMAP, &map) == 0 && map && *map->l_name)
    return map->l_name;
  return otherwise;
}

} // namespace

SearchContext SearchContext::current() {
  SearchContext context;
  std::error_code error;
  fs::path self = fs::read_symlink("/proc/self/exe", error);
  if (!error)
    context.origin = self.parent_path();
  context.path = variable("PATH");
  context.ldLibraryPath = variable("LD_LIBRARY_PATH");
  context.virtualEnv = variable("VIRTUAL_ENV");
  context.condaPrefix = variable("CONDA_PREFIX");
  context.pythonPath = variable("PYTHONPATH");
  context.home = variable("HOME");
  context.cudaHome = variable("CUDA_HOME");
  return context;
}

std::vector<Candidate> findLibrary(const std::string &name,
                                   const SearchContext &context) {
  Candidates found(name, R_OK);
  if (!context.origin.empty())
    for (const char *folder : {".", "../lib"})
      found.addFile(fs::path(context.origin) / folder, kNextToProgram);
  found.list.push_back({name, kLinker});
  for (const fs::path &toolkit : toolkits(context))
    for (const char *folder : {"lib64", "lib", "targets/x86_64-linux/lib"})
      found.addFile(toolkit / folder, kToolkit);
  for (const fs::path &site : pythonSites(context))
    for (const fs::path &package : entriesOf(site / "nvidia", ""))
      found.addFile(package / "lib", kPython);
  return found.list;
}

std::vector<Candidate> findProgram(const std::string &name,
                                   const SearchContext &context) {
  Candidates found(name, X_OK);
  if (!context.origin.empty())
    found.addFile(context.origin, kNextToProgram);
  for (const fs::path &folder : split(context.path))
    found.addFile(folder, kOnPath);
  for (const fs::path &toolkit : toolkits(context))
    found.addFile(toolkit / "bin", kToolkit);
  for (const fs::path &site : pythonSites(context)) {
    for (const fs::path &package : entriesOf(site / "nvidia", ""))
      found.addFile(package / "bin", kPython);
    found.addFile(site / "triton/backends/nvidia/bin", kPython);
  }
  return found.list;
}

Result<OpenLibrary> openLibrary(const std::string &name,
                                const SearchContext &context) {
  std::string failures;
  for (const Candidate &candidate : findLibrary(name, context)) {
    if (void *handle = dlopen(candidate.path.c_str(), RTLD_LAZY | RTLD_LOCAL))
      return OpenLibrary{handle, pathOf(handle, candidate.path),
                         candidate.place};
    // That the linker does not know the name is not a failure of a file.
    const char *why = dlerror();
    if (why && (candidate.place != kLinker ||
                !std::string_view(why).starts_with(name + ":")))
      failures += fmt::format("{}{}", failures.empty() ? "" : "; ", why);
  }
  if (failures.empty())
    return Status(ExitCode::Usage, "not found");
  return Status(ExitCode::Usage,
                fmt::format("found, but cannot be opened: {}", failures));
}

std::string versionText(size_t number) {
  return fmt::format("{}.{}.{}", number / 10000, number % 10000 / 100,
                     number % 100);
}

} // namespace boostrt::cuda
