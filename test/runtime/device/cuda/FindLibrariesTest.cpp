// Where NVIDIA's libraries are looked for, on a made-up tree of folders.
#include "runtime/device/cuda/FindLibraries.h"

#include "test/runtime/support/TemporaryDirectory.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <unistd.h>

using namespace boostrt;
using namespace boostrt::cuda;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

namespace fs = std::filesystem;

class FindLibraries : public testing::Test {
protected:
  FindLibraries() { context.root = top; }

  /// Makes a file of the tree, which can be executed; its whole path.
  std::string add(const std::string &name) {
    fs::path path = at(name);
    fs::create_directories(path.parent_path());
    std::ofstream(path) << "no library\n";
    fs::permissions(path, fs::perms::owner_all);
    return path;
  }
  std::string at(const std::string &name) const { return fs::path(top) / name; }
  /// The paths of the candidates, without the tree's own.
  std::vector<std::string> libraries(const std::string &name = "libx.so.9") {
    return names(findLibrary(name, context));
  }
  std::vector<std::string> programs() {
    return names(findProgram("ptxas", context));
  }

  TemporaryDirectory tree;
  const std::string top = fs::path(tree.path()).lexically_normal();
  SearchContext context;

private:
  std::vector<std::string> names(const std::vector<Candidate> &candidates) {
    std::vector<std::string> list;
    for (const Candidate &candidate : candidates)
      list.push_back(candidate.path.starts_with(top)
                         ? candidate.path.substr(top.size() + 1)
                         : candidate.path);
    return list;
  }
};

TEST_F(FindLibraries, NowhereLeavesTheDynamicLinker) {
  EXPECT_EQ(findLibrary("libx.so.9", context),
            (std::vector<Candidate>{{"libx.so.9", "dynamic linker"}}));
  EXPECT_THAT(programs(), ElementsAre());
}

TEST_F(FindLibraries, TheOrderOfPlaces) {
  context.origin = at("app/bin");
  context.virtualEnv = at("venv");
  for (const char *name :
       {"app/bin/libx.so.9", "app/lib/libx.so.9",
        "usr/local/cuda-13.0/lib64/libx.so.9",
        "venv/lib/python3.12/site-packages/nvidia/x/lib/libx.so.9"})
    add(name);
  EXPECT_EQ(findLibrary("libx.so.9", context),
            (std::vector<Candidate>{
                {at("app/bin/libx.so.9"), "next to boost-run"},
                {at("app/lib/libx.so.9"), "next to boost-run"},
                {"libx.so.9", "dynamic linker"},
                {at("usr/local/cuda-13.0/lib64/libx.so.9"), "CUDA toolkit"},
                {at("venv/lib/python3.12/site-packages/nvidia/x/lib/libx.so.9"),
                 "Python environment"}}));
  // Another library of the same folders is not taken.
  EXPECT_THAT(libraries("libx.so"), ElementsAre("libx.so"));
}

TEST_F(FindLibraries, TheNewestToolkitAndEachFileOnce) {
  add("usr/local/cuda-13.9/lib64/libx.so.9");
  add("usr/local/cuda-13.10/lib64/libx.so.9");
  fs::create_directory_symlink(at("usr/local/cuda-13.9"), at("usr/local/cuda"));
  EXPECT_THAT(libraries(),
              ElementsAre("libx.so.9", "usr/local/cuda/lib64/libx.so.9",
                          "usr/local/cuda-13.10/lib64/libx.so.9"));
}

TEST_F(FindLibraries, AToolkitThatIsNamedComesFirst) {
  add("usr/local/cuda/lib64/libx.so.9");
  add("mine/lib64/libx.so.9");
  context.cudaHome = at("mine");
  EXPECT_THAT(libraries(), ElementsAre("libx.so.9", "mine/lib64/libx.so.9",
                                       "usr/local/cuda/lib64/libx.so.9"));
}

TEST_F(FindLibraries, AFolderOfTheNameIsNoLibrary) {
  fs::create_directories(at("usr/local/cuda/lib64/libx.so.9"));
  EXPECT_THAT(libraries(), ElementsAre("libx.so.9"));
}

TEST_F(FindLibraries, PythonEnvironments) {
  const std::string in = "/lib/python3.11/site-packages/nvidia/cudnn/lib/";
  for (const char *prefix : {"venv", "conda", "home/.local"})
    add(prefix + in + "libx.so.9");
  add("extra/nvidia/cu13/lib/libx.so.9");
  context.virtualEnv = at("venv");
  context.condaPrefix = at("conda");
  context.pythonPath = at("absent") + ":" + at("extra");
  context.home = at("home");
  EXPECT_THAT(libraries(), ElementsAre("libx.so.9", "venv" + in + "libx.so.9",
                                       "conda" + in + "libx.so.9",
                                       "extra/nvidia/cu13/lib/libx.so.9",
                                       "home/.local" + in + "libx.so.9"));
}

TEST_F(FindLibraries, ThePythonThatIsOnPath) {
  // A virtual environment over an installation, and Debian's folders.
  add("opt/python/bin/python3.12");
  fs::create_directories(at("opt/venv/bin"));
  fs::create_symlink(at("opt/python/bin/python3.12"),
                     at("opt/venv/bin/python3"));
  std::string inVenv =
      "opt/venv/lib/python3.12/site-packages/nvidia/x/lib/libx.so.9";
  std::string linked =
      "opt/python/lib/python3.12/site-packages/nvidia/x/lib/libx.so.9";
  add(inVenv);
  add(linked);
  add("usr/bin/python3");
  std::string debian = "usr/lib/python3/dist-packages/nvidia/x/lib/libx.so.9";
  add(debian);
  // No python3 here.
  add("other/bin/ls");
  add("other/lib/python3.12/site-packages/nvidia/x/lib/libx.so.9");
  context.path =
      at("other/bin") + ":" + at("opt/venv/bin") + "::" + at("usr/bin");
  EXPECT_THAT(libraries(), ElementsAre("libx.so.9", inVenv, linked, debian));
}

TEST_F(FindLibraries, LaunchersOfPyenv) {
  add(".pyenv/shims/python3");
  std::string in = "/lib/python3/site-packages/nvidia/x/lib/libx.so.9";
  add(".pyenv/versions/3.9.1" + in);
  add(".pyenv/versions/3.12.3" + in);
  context.path = at(".pyenv/shims");
  EXPECT_THAT(libraries(),
              ElementsAre("libx.so.9", ".pyenv/versions/3.12.3" + in,
                          ".pyenv/versions/3.9.1" + in));
}

// A user who names one library folder of an environment has the others, too.
TEST_F(FindLibraries, NeighboursOfWhatTheLinkerSearches) {
  std::string site = "any/site-packages/nvidia/";
  add(site + "cudnn/lib/libx.so.9");
  add("other/lib/libx.so.9");
  context.ldLibraryPath =
      at(site + "cublas/lib") + ":" + at("other/lib") + ":lib:/";
  EXPECT_THAT(libraries(),
              ElementsAre("libx.so.9", site + "cudnn/lib/libx.so.9"));
}

TEST_F(FindLibraries, Programs) {
  context.origin = at("app/bin");
  context.path = at("tools") + ":" + at("data");
  context.virtualEnv = at("venv");
  std::string site = "venv/lib/python3.12/site-packages/";
  std::vector<std::string> expected = {
      "app/bin/ptxas", "tools/ptxas", "usr/local/cuda-13.0/bin/ptxas",
      site + "nvidia/cu13/bin/ptxas",
      site + "triton/backends/nvidia/bin/ptxas"};
  for (const std::string &name : expected)
    add(name);
  // What cannot be executed is not a program.
  fs::permissions(add("data/ptxas"), fs::perms::owner_read);
  if (::access(at("data/ptxas").c_str(), X_OK) == 0)
    expected.insert(expected.begin() + 2, "data/ptxas");
  EXPECT_EQ(programs(), expected);
}

TEST_F(FindLibraries, OpensTheFirstThatCanBeOpened) {
  context.origin = at("app");
  context.virtualEnv = at("venv");
  add("app/libfake.so.1"); // no library
  std::string good =
      add("venv/lib/python3.12/site-packages/nvidia/x/lib/libfake.so.1");
  fs::copy_file(BOOSTC_FAKE_CUDA, good, fs::copy_options::overwrite_existing);
  Result<OpenLibrary> open = openLibrary("libfake.so.1", context);
  ASSERT_TRUE(open.ok()) << open.status().message();
  EXPECT_NE(open->handle, nullptr);
  EXPECT_EQ(open->path, good);
  EXPECT_EQ(open->place, "Python environment");
}

TEST_F(FindLibraries, TellsWhereTheLinkerFoundALibrary) {
  Result<OpenLibrary> open = openLibrary("libc.so.6", context);
  ASSERT_TRUE(open.ok()) << open.status().message();
  EXPECT_EQ(open->place, "dynamic linker");
  EXPECT_THAT(open->path, testing::StartsWith("/"));
}

TEST_F(FindLibraries, FailuresSayWhatWasFound) {
  Status status = openLibrary("libno-such.so.9", context).status();
  EXPECT_EQ(status.code(), ExitCode::Usage);
  EXPECT_EQ(status.message(), "not found");
  context.origin = at("app");
  std::string damaged = add("app/libdamaged.so.9");
  status = openLibrary("libdamaged.so.9", context).status();
  EXPECT_EQ(status.code(), ExitCode::Usage);
  EXPECT_THAT(status.message(),
              HasSubstr("found, but cannot be opened: " + damaged + ": "));
}

TEST_F(FindLibraries, ThisProcess) {
  SearchContext self = SearchContext::current();
  EXPECT_TRUE(fs::exists(self.origin + "/cuda-test")) << self.origin;
  EXPECT_FALSE(self.path.empty());
  EXPECT_EQ(self.root, "");
}

} // namespace
