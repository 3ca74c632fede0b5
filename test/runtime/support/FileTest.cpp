#include "test/runtime/support/Files.h"
#include "test/runtime/support/SimulatedFileSystem.h"
#include "test/runtime/support/TemporaryDirectory.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <csignal>
#include <fstream>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

namespace boostrt {
namespace {

std::string textOf(const Result<std::vector<uint8_t>> &bytes) {
  if (!bytes.ok())
    return "error: " + bytes.status().message();
  return {bytes->begin(), bytes->end()};
}

std::string readText(FileSystem &files, const std::string &path) {
  return textOf(readWholeFile(files, path, 1 << 20, ExitCode::Data));
}

void makeFile(const std::string &path, const std::string &text) {
  std::ofstream(path) << text;
}

void expectError(const Status &status, ExitCode code, const std::string &text) {
  EXPECT_FALSE(status.ok()) << "expected: " << text;
  EXPECT_EQ(int(status.code()), int(code));
  EXPECT_NE(status.message().find(text), std::string::npos)
      << "found: " << status.message() << "\nexpected: " << text;
}

TEST(ReadWholeFile, ReadsWhatIsThere) {
  TemporaryDirectory directory;
  makeFile(directory / "a", "some text");
  makeFile(directory / "empty", "");
  EXPECT_EQ(readText(realFileSystem(), directory / "a"), "some text");
  EXPECT_EQ(readText(realFileSystem(), directory / "empty"), "");
}

TEST(ReadWholeFile, RefusesWithTheCallersCode) {
  TemporaryDirectory directory;
  makeFile(directory / "a", "some text");
  auto read = [&](const std::string &name, uint64_t cap) {
    return readWholeFile(realFileSystem(), directory / name, cap,
                         ExitCode::Data)
        .status();
  };
  EXPECT_TRUE(read("a", 9).ok());
  expectError(read("a", 8), ExitCode::Data,
              "has 9 bytes, at most 8 are expected");
  expectError(read("b", 9), ExitCode::Data,
              "cannot open '" + (directory / "b") +
                  "': No such file or directory; check the path");
  expectError(read("", 9), ExitCode::Data, "Is a directory");
}

TEST(ReadWholeFile, DoesNotWaitForAPipe) {
  TemporaryDirectory directory;
  ASSERT_EQ(::mkfifo((directory / "pipe").c_str(), 0600), 0);
  expectError(
      readWholeFile(realFileSystem(), directory / "pipe", 9, ExitCode::Data)
          .status(),
      ExitCode::Data, "it is not a plain file");
}

/// A machine with one file that says it is larger than any memory.
class BoastingFileSystem final : public FileSystem {
  struct Boast final : ReadableFile {
    uint64_t size() const override { return UINT64_MAX; }
    IoError read(uint64_t, std::span<uint8_t>) override { return IoError(EIO); }
  };
  IoError open(const std::string &,
               std::unique_ptr<ReadableFile> &file) override {
    file = std::make_unique<Boast>();
    return {};
  }
  IoError create(const std::string &,
                 std::unique_ptr<WritableFile> &) override {
    return IoError(EROFS);
  }
  IoError rename(const std::string &, const std::string &) override {
    return IoError(EROFS);
  }
  IoError syncDirectory(const std::string &) override { return IoError(EROFS); }
  IoError removeFile(const std::string &) override { return IoError(EROFS); }
  IoError removeDirectory(const std::string &) override {
    return IoError(EROFS);
  }
  IoError makeDirectory(const std::string &) override { return IoError(EROFS); }
  IoError list(const std::string &, std::vector<DirectoryEntry> &) override {
    return IoError(EROFS);
  }
  IoError lock(const std::string &, std::string &,
               std::unique_ptr<FileLock> &) override {
    return IoError(EROFS);
  }
};

TEST(ReadWholeFile, MoreThanTheMemoryIsAnError) {
  BoastingFileSystem files;
  expectError(readWholeFile(files, "f", UINT64_MAX, ExitCode::Data).status(),
              ExitCode::Data, "more than there is memory for");
}

TEST(WriteFileAtomically, SaysThatThePlaceIsReadOnly) {
  BoastingFileSystem files;
  expectError(writeFileAtomically(files, "f", ExitCode::Checkpoint, "x"),
              ExitCode::Checkpoint,
              "check its permissions or choose another place");
}

TEST(WriteFileAtomically, ReplacesAndLeavesNothingElse) {
  TemporaryDirectory directory;
  FileSystem &files = realFileSystem();
  ASSERT_TRUE(
      writeFileAtomically(files, directory / "a", ExitCode::Data, "first")
          .ok());
  ASSERT_TRUE(
      writeFileAtomically(files, directory / "a", ExitCode::Data, "second")
          .ok());
  EXPECT_EQ(readText(files, directory / "a"), "second");
  std::vector<DirectoryEntry> entries;
  ASSERT_TRUE(files.list(directory.path(), entries).ok());
  ASSERT_EQ(entries.size(), 1u);
  EXPECT_EQ(entries[0].name, "a");
}

TEST(WriteFileAtomically, UsesAndRemovesWhatAKilledProcessLeft) {
  TemporaryDirectory directory;
  FileSystem &files = realFileSystem();
  makeFile(directory / ".saving-a", "half of a much longer text");
  ASSERT_TRUE(
      writeFileAtomically(files, directory / "a", ExitCode::Data, "new").ok());
  EXPECT_EQ(readText(files, directory / "a"), "new");
  EXPECT_NE(::access((directory / ".saving-a").c_str(), F_OK), 0);
}

TEST(WriteFileAtomically, TwoAtOnceDoNotMix) {
  TemporaryDirectory directory;
  FileSystem &files = realFileSystem();
  Status inner;
  Status outer = writeFileAtomically(
      files, directory / "a", ExitCode::Checkpoint, [&](WritableFile &file) {
        inner = writeFileAtomically(files, directory / "a",
                                    ExitCode::Checkpoint, "intruder");
        return file.write(std::vector<uint8_t>{'o', 'k'});
      });
  EXPECT_TRUE(outer.ok()) << outer.message();
  expectError(inner, ExitCode::Checkpoint, "another process is writing it");
  EXPECT_EQ(readText(files, directory / "a"), "ok");
}

TEST(WriteFileAtomically, ReportsWhatIsWrong) {
  TemporaryDirectory directory;
  FileSystem &files = realFileSystem();
  auto write = [&](const std::string &name) {
    return writeFileAtomically(files, directory / name, ExitCode::Checkpoint,
                               "x");
  };
  expectError(write("missing/a"), ExitCode::Checkpoint, "check the path");
  ASSERT_EQ(::mkdir((directory / "d").c_str(), 0700), 0);
  expectError(write("d"), ExitCode::Checkpoint,
              "cannot write '" + (directory / "d"));
  ASSERT_EQ(::symlink("elsewhere", (directory / ".saving-l").c_str()), 0);
  expectError(write("l"), ExitCode::Checkpoint,
              "cannot create '" + (directory / ".saving-l") +
                  "': it is not a plain file");
  makeFile(directory / "precious", "precious");
  ASSERT_EQ(::link((directory / "precious").c_str(),
                   (directory / ".saving-h").c_str()),
            0);
  expectError(write("h"), ExitCode::Checkpoint, "it is not a plain file");
  EXPECT_EQ(readText(files, directory / "precious"), "precious");
}

TEST(WriteFileAtomically, AFullDiskKeepsTheOldFile) {
  TemporaryDirectory directory;
  FileSystem &files = realFileSystem();
  ASSERT_TRUE(
      writeFileAtomically(files, directory / "a", ExitCode::Data, "old").ok());
  // In a child, because the limit cannot be taken back without privileges.
  pid_t child = ::fork();
  if (child == 0) {
    ::signal(SIGXFSZ, SIG_IGN);
    rlimit limit{1000, 1000};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    Status status = writeFileAtomically(files, directory / "a", ExitCode::Data,
                                        std::string(5000, 'x'));
    bool isRight = !status.ok() &&
                   status.message().find("File too large") != std::string::npos;
    ::_exit(isRight ? 0 : 1);
  }
  int result = -1;
  ASSERT_EQ(::waitpid(child, &result, 0), child);
  EXPECT_EQ(result, 0);
  EXPECT_EQ(readText(files, directory / "a"), "old");
  EXPECT_NE(::access((directory / ".saving-a").c_str(), F_OK), 0);
}

/// Lets the power fail before each call of one replacement.
TEST(WriteFileAtomically, OldOrNewAtEveryMoment) {
  int states = 0;
  for (Survival survival : {Survival::Nothing, Survival::All,
                            Survival::NamesOnly, Survival::Random}) {
    for (uint64_t seed = 0; seed < (survival == Survival::Random ? 50 : 1);
         ++seed) {
      for (int stop = 1;; ++stop) {
        SimulatedFileSystem files;
        ASSERT_TRUE(
            writeFileAtomically(files, "/f", ExitCode::Data, "the old").ok());
        files.restart(Survival::Nothing);
        files.stopBefore(stop);
        bool isDone =
            writeFileAtomically(files, "/f", ExitCode::Data, "the new one")
                .ok();
        files.restart(survival, seed);
        std::string text = readText(files, "/f");
        EXPECT_TRUE(text == "the new one" || (!isDone && text == "the old"))
            << text << " after a stop before call " << stop;
        ++states;
        if (isDone)
          break;
      }
    }
  }
  EXPECT_GE(states, 53 * 5);
}

/// The simulated machine must be able to lose what was not synced, else the
/// tests above prove nothing.
TEST(SimulatedFileSystem, LosesWhatWasNotSynced) {
  auto writeCarelessly = [](SimulatedFileSystem &files, bool sync,
                            bool syncNames) {
    std::unique_ptr<WritableFile> file;
    ASSERT_TRUE(files.create("/f", file).ok());
    ASSERT_TRUE(file->write(std::vector<uint8_t>{'x'}).ok());
    ASSERT_TRUE(!sync || file->sync().ok());
    ASSERT_TRUE(!syncNames || files.syncDirectory("/").ok());
  };
  SimulatedFileSystem noName, noData, all;
  writeCarelessly(noName, true, false);
  writeCarelessly(noData, false, true);
  writeCarelessly(all, true, true);
  for (SimulatedFileSystem *files : {&noName, &noData, &all})
    files->restart(Survival::Nothing);
  EXPECT_TRUE(noName.paths().empty());
  EXPECT_EQ(readText(noData, "/f"), "");
  EXPECT_EQ(readText(all, "/f"), "x");
}

TEST(FileLock, OneHolderAtATime) {
  TemporaryDirectory directory;
  FileSystem &files = realFileSystem();
  std::unique_ptr<FileLock> first, second;
  std::string holder = "process 1";
  ASSERT_TRUE(files.lock(directory / "lock", holder, first).ok());
  holder = "process 2";
  EXPECT_EQ(files.lock(directory / "lock", holder, second).number(),
            EWOULDBLOCK);
  EXPECT_EQ(holder, "process 1");
  first.reset();
  holder = "process 3, a longer name";
  EXPECT_TRUE(files.lock(directory / "lock", holder, second).ok());
  EXPECT_EQ(readText(files, directory / "lock"), "process 3, a longer name");
}

TEST(FileLock, OverwritesNothingOfAnotherName) {
  TemporaryDirectory directory;
  FileSystem &files = realFileSystem();
  std::unique_ptr<FileLock> lock;
  std::string holder = "process 1", other = directory / "mine";
  writeFile(other, "mine");
  ASSERT_EQ(link(other.c_str(), (directory / "lock").c_str()), 0);
  EXPECT_TRUE(files.lock(directory / "lock", holder, lock).ok());
  EXPECT_EQ(readFile(other), "mine");
  ASSERT_EQ(symlink(other.c_str(), (directory / "link").c_str()), 0);
  ASSERT_EQ(mkfifo((directory / "pipe").c_str(), 0600), 0);
  for (const char *name : {"link", "pipe"})
    EXPECT_EQ(files.lock(directory / name, holder, lock).number(), ENOTSUP);
}

TEST(List, IsSortedAndKnowsDirectories) {
  TemporaryDirectory directory;
  FileSystem &files = realFileSystem();
  makeFile(directory / "b", "");
  ASSERT_TRUE(files.makeDirectory(directory / "a").ok());
  ASSERT_EQ(::symlink("a", (directory / "c").c_str()), 0);
  std::vector<DirectoryEntry> entries;
  ASSERT_TRUE(files.list(directory.path(), entries).ok());
  ASSERT_EQ(entries.size(), 3u);
  EXPECT_EQ(entries[0].name, "a");
  EXPECT_TRUE(entries[0].isDirectory);
  EXPECT_EQ(entries[1].name, "b");
  EXPECT_FALSE(entries[1].isDirectory);
  EXPECT_FALSE(entries[2].isDirectory) << "a link to a directory is not one";
  EXPECT_EQ(files.list(directory / "missing", entries).number(), ENOENT);
}

TEST(Paths, SplitAtTheLastSlash) {
  EXPECT_EQ(directoryOf("a/b/c"), "a/b");
  EXPECT_EQ(directoryOf("c"), ".");
  EXPECT_EQ(directoryOf("/c"), "/");
  EXPECT_EQ(baseNameOf("a/b/c"), "c");
  EXPECT_EQ(baseNameOf("c"), "c");
}

TEST(RealFileSystem, ContinuesAfterTheLastWholeLineAloneAndFast) {
  TemporaryDirectory directory;
  std::string path = directory / "m.jsonl";
  // Longer than what is read at once; a power cut may leave zeros.
  writeFile(path, "{}\n{}\n" + std::string(5'000'000, '\0'));
  OutputTarget target;
  ASSERT_TRUE(realFileSystem().findTarget(path, target).ok());
  std::unique_ptr<WritableFile> file, second;
  ASSERT_TRUE(realFileSystem().openToContinue(target, file).ok());
  EXPECT_EQ(readFile(path), "{}\n{}\n");
  EXPECT_EQ(realFileSystem().openToContinue(target, second).number(),
            EWOULDBLOCK);
  EXPECT_EQ(realFileSystem().checkUnwritten(target).number(), EWOULDBLOCK);
  EXPECT_FALSE(OutputFile::create(realFileSystem(), path, ExitCode::Usage).ok())
      << "what is being written is not replaced";
  const uint8_t line[] = {'1', '\n'};
  ASSERT_TRUE(file->write(line).ok());
  file.reset();
  EXPECT_EQ(readFile(path), "{}\n{}\n1\n");
  EXPECT_TRUE(realFileSystem().checkUnwritten(target).ok());
  writeFile(path, std::string(3'000'000, 'x'));
  ASSERT_TRUE(realFileSystem().openToContinue(target, second).ok());
  EXPECT_EQ(readFile(path), "") << "no line is whole";
}

} // namespace
} // namespace boostrt
