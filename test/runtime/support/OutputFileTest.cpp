// What becomes of the names that users give outputs, on the machine's own file
// system.
#include "runtime/support/File.h"
#include "test/runtime/support/TemporaryDirectory.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fcntl.h>
#include <fstream>
#include <sstream>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

namespace boostrt {
namespace {

void makeFile(const std::string &path, const std::string &text) {
  std::ofstream(path) << text;
}

std::string textOf(const std::string &path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

Status write(const std::string &path, const std::string &text = "new") {
  return writeFileAtomically(realFileSystem(), path, ExitCode::Usage, text);
}

Status check(const std::string &path, std::vector<NamedFile> taken = {}) {
  return checkOutput(realFileSystem(), "--out", path, ExitCode::Checkpoint,
                     taken);
}

void expectError(const Status &status, ExitCode code, const std::string &text) {
  EXPECT_EQ(int(status.code()), int(code));
  EXPECT_NE(status.message().find(text), std::string::npos)
      << "found: " << status.message() << "\nexpected: " << text;
}

std::vector<std::string> namesIn(const std::string &path) {
  std::vector<DirectoryEntry> entries;
  EXPECT_TRUE(realFileSystem().list(path, entries).ok());
  std::vector<std::string> names;
  for (const DirectoryEntry &entry : entries)
    names.push_back(entry.name);
  return names;
}

mode_t modeOf(const std::string &path) {
  struct stat info;
  return stat(path.c_str(), &info) == 0 ? info.st_mode & 07777 : 0;
}

TEST(OutputFile, ReplacesWhatALinkLeadsToAndNotTheLink) {
  TemporaryDirectory directory;
  ASSERT_EQ(mkdir((directory / "there").c_str(), 0700), 0);
  makeFile(directory / "there/file", "old");
  ASSERT_EQ(symlink("there/file", (directory / "link").c_str()), 0);
  ASSERT_EQ(symlink("link", (directory / "second").c_str()), 0);
  ASSERT_TRUE(write(directory / "second").ok());
  EXPECT_EQ(textOf(directory / "there/file"), "new");
  for (const char *name : {"link", "second"}) {
    struct stat info;
    ASSERT_EQ(lstat((directory / name).c_str(), &info), 0);
    EXPECT_TRUE(S_ISLNK(info.st_mode)) << name;
  }
  EXPECT_EQ(namesIn(directory / "there"), std::vector<std::string>{"file"});
}

TEST(OutputFile, MakesWhatADanglingLinkLeadsTo) {
  TemporaryDirectory directory;
  ASSERT_EQ(symlink("file", (directory / "link").c_str()), 0);
  ASSERT_TRUE(write(directory / "link").ok());
  EXPECT_EQ(textOf(directory / "file"), "new");
  ASSERT_EQ(symlink("no/file", (directory / "astray").c_str()), 0);
  expectError(write(directory / "astray"), ExitCode::Usage,
              "astray': No such file or directory; check the path");
  ASSERT_EQ(symlink("round", (directory / "round").c_str()), 0);
  expectError(
      write(directory / "round"), ExitCode::Usage,
      "its symbolic links lead nowhere or in a circle; correct the link");
}

TEST(OutputFile, KeepsTheModeOfWhatItReplaces) {
  TemporaryDirectory directory;
  std::string path = directory / "file";
  for (mode_t mode : {0600, 0755, 0640}) {
    makeFile(path, "old");
    ASSERT_EQ(chmod(path.c_str(), mode), 0);
    ASSERT_TRUE(write(path).ok());
    EXPECT_EQ(modeOf(path), mode);
  }
}

TEST(OutputFile, AFileThatIsReadOnlyIsRefusedAsByOpen) {
  TemporaryDirectory directory;
  std::string path = directory / "file";
  makeFile(path, "old");
  ASSERT_EQ(chmod(path.c_str(), 0444), 0);
  if (geteuid() == 0) { // who may write it
    ASSERT_TRUE(write(path).ok());
    EXPECT_EQ(modeOf(path), 0444u);
    return;
  }
  expectError(write(path), ExitCode::Usage,
              "Permission denied; check its permissions or choose another");
  expectError(check(path), ExitCode::Checkpoint, "--out: cannot write '");
  EXPECT_EQ(textOf(path), "old");
}

TEST(OutputFile, APipeIsWrittenAsItIs) {
  TemporaryDirectory directory;
  std::string path = directory / "pipe";
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  int reader = open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  ASSERT_TRUE(check(path).ok());
  ASSERT_TRUE(write(path).ok());
  char text[4] = "";
  EXPECT_EQ(read(reader, text, 3), 3);
  EXPECT_STREQ(text, "new");
  close(reader);
  struct stat info;
  ASSERT_EQ(lstat(path.c_str(), &info), 0);
  EXPECT_TRUE(S_ISFIFO(info.st_mode));
  EXPECT_EQ(namesIn(directory.path()), std::vector<std::string>{"pipe"});
}

/// Nodes of our own, as far as this user may make them.
TEST(OutputFile, ADeviceIsWrittenAndNotReplaced) {
  TemporaryDirectory directory;
  std::string null = directory / "null", full = directory / "full";
  if (mknod(null.c_str(), S_IFCHR | 0666, makedev(1, 3)) != 0 ||
      mknod(full.c_str(), S_IFCHR | 0666, makedev(1, 7)) != 0)
    GTEST_SKIP() << "devices can be made by root alone";
  int probe = open(null.c_str(), O_WRONLY | O_CLOEXEC);
  if (probe < 0)
    GTEST_SKIP() << "the file system has no devices";
  close(probe);
  ASSERT_EQ(symlink("null", (directory / "link").c_str()), 0);
  EXPECT_TRUE(write(null).ok());
  EXPECT_TRUE(write(directory / "link").ok());
  expectError(write(full), ExitCode::Usage,
              "full': No space left on device; free some space");
  for (const std::string &path : {null, full}) {
    struct stat info;
    ASSERT_EQ(lstat(path.c_str(), &info), 0);
    EXPECT_TRUE(S_ISCHR(info.st_mode)) << path;
  }
}

TEST(OutputFile, ADescriptorOfThisProcessGoesOnWhereItIs) {
  TemporaryDirectory directory;
  std::string path = directory / "log";
  int descriptor =
      open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  ASSERT_EQ(::write(descriptor, "before ", 7), 7);
  std::string name = "/dev/fd/" + std::to_string(descriptor);
  ASSERT_TRUE(check(name).ok());
  ASSERT_TRUE(write(name).ok());
  ASSERT_EQ(::write(descriptor, " after", 6), 6);
  close(descriptor);
  EXPECT_EQ(textOf(path), "before new after");
}

TEST(OutputFile, ANameMayBeAsLongAsNamesCanBe) {
  TemporaryDirectory directory;
  std::string longest(255, 'n');
  ASSERT_TRUE(check(directory / longest).ok());
  ASSERT_TRUE(write(directory / longest, "old").ok());
  ASSERT_TRUE(write(directory / longest).ok());
  EXPECT_EQ(textOf(directory / longest), "new");
  EXPECT_EQ(namesIn(directory.path()), std::vector<std::string>{longest});
  expectError(check(directory / (longest + "n")), ExitCode::Usage,
              "File name too long; choose a shorter one");
}

TEST(CheckOutput, RefusesNamesThatNoOutputCanHave) {
  TemporaryDirectory directory;
  expectError(check(""), ExitCode::Usage, "--out needs the name of a file");
  expectError(check(directory.path()), ExitCode::Usage,
              "--out: cannot write '" + directory.path() +
                  "': Is a directory; give the name of a file in it");
  expectError(check(directory / "no/file"), ExitCode::Checkpoint,
              "No such file or directory; check the path");
  makeFile(directory / "file", "");
  expectError(check(directory / "file/x"), ExitCode::Checkpoint,
              "Not a directory; check the path");
  EXPECT_TRUE(check(directory / "new").ok());
  EXPECT_EQ(namesIn(directory.path()), std::vector<std::string>{"file"});
}

TEST(CheckOutput, RefusesWhatWouldBeLost) {
  TemporaryDirectory directory;
  std::string model = directory / "m.json";
  makeFile(model, "{}");
  ASSERT_EQ(symlink("m.json", (directory / "link").c_str()), 0);
  ASSERT_EQ(link(model.c_str(), (directory / "hard").c_str()), 0);
  for (const char *name : {"m.json", "link", "hard"})
    expectError(check(directory / name, {{"the model file", model}}),
                ExitCode::Usage,
                "is the model file, which would be lost; give another name");
  // Two outputs that do not exist yet.
  expectError(check(directory / "w", {{"the file of --save", directory / "w"}}),
              ExitCode::Usage, "is the file of --save");
  EXPECT_TRUE(check("/dev/null", {{"the file of --save", "/dev/null"}}).ok());
}

} // namespace
} // namespace boostrt
