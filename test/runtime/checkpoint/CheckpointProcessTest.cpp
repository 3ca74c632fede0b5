// The same promises on the machine's own file system, with processes that die.
#include "runtime/checkpoint/Checkpoint.h"

#include "test/runtime/checkpoint/Tensors.h"
#include "test/runtime/support/TemporaryDirectory.h"

#include <csignal>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

namespace boostrt {
namespace {

/// The real file system; the process ends, without any clean-up, before call
/// number `call` that changes something.
class DeadlyFileSystem final : public FileSystem {
public:
  explicit DeadlyFileSystem(int call) : left_(call) {}

  IoError create(const std::string &path,
                 std::unique_ptr<WritableFile> &file) override {
    count();
    std::unique_ptr<WritableFile> inner;
    IoError error = real_.create(path, inner);
    file = std::make_unique<File>(*this, std::move(inner));
    return error;
  }
  IoError open(const std::string &path,
               std::unique_ptr<ReadableFile> &file) override {
    return real_.open(path, file);
  }
  IoError rename(const std::string &from, const std::string &to) override {
    return count(), real_.rename(from, to);
  }
  IoError syncDirectory(const std::string &path) override {
    return count(), real_.syncDirectory(path);
  }
  IoError removeFile(const std::string &path) override {
    return count(), real_.removeFile(path);
  }
  IoError removeDirectory(const std::string &path) override {
    return count(), real_.removeDirectory(path);
  }
  IoError makeDirectory(const std::string &path) override {
    return count(), real_.makeDirectory(path);
  }
  IoError list(const std::string &path,
               std::vector<DirectoryEntry> &entries) override {
    return real_.list(path, entries);
  }
  IoError lock(const std::string &path, std::string &holder,
               std::unique_ptr<FileLock> &lock) override {
    return real_.lock(path, holder, lock);
  }

private:
  struct File final : WritableFile {
    File(DeadlyFileSystem &files, std::unique_ptr<WritableFile> inner)
        : files(files), inner(std::move(inner)) {}
    IoError write(std::span<const uint8_t> bytes) override {
      return files.count(), inner->write(bytes);
    }
    IoError sync() override { return files.count(), inner->sync(); }
    DeadlyFileSystem &files;
    std::unique_ptr<WritableFile> inner;
  };

  void count() {
    if (--left_ == 0)
      ::kill(::getpid(), SIGKILL);
  }
  FileSystem &real_ = realFileSystem();
  int left_;
};

/// Runs `body` in a child process; returns its wait status.
int inChild(const std::function<bool()> &body) {
  pid_t child = ::fork();
  if (child == 0)
    ::_exit(body() ? 0 : 1);
  int status = -1;
  EXPECT_EQ(::waitpid(child, &status, 0), child);
  return status;
}

TEST(CheckpointProcess, KilledAtEveryChangeOfASave) {
  int kills = 0;
  for (int call = 1;; ++call) {
    TemporaryDirectory directory;
    {
      auto store =
          CheckpointStore::open(realFileSystem(), directory.path(), "mlp", 2);
      ASSERT_TRUE(store.ok()) << store.status().message();
      for (int step : {10, 20})
        ASSERT_TRUE(saveStep(**store, step).ok());
    }
    int status = inChild([&] {
      DeadlyFileSystem files(call);
      auto store = CheckpointStore::open(files, directory.path(), "mlp", 2);
      return store.ok() && saveStep(**store, 30).ok();
    });
    bool isDone = WIFEXITED(status);
    ASSERT_TRUE(isDone ? WEXITSTATUS(status) == 0
                       : WTERMSIG(status) == SIGKILL);
    kills += !isDone;

    auto store =
        CheckpointStore::open(realFileSystem(), directory.path(), "mlp", 2);
    ASSERT_TRUE(store.ok()) << "the lock of a dead process must be free: "
                            << store.status().message();
    Result<NewestCheckpoint> newest = (*store)->newestValid();
    ASSERT_TRUE(newest.ok() && newest->found);
    EXPECT_TRUE(newest->skipped.empty());
    int64_t step = newest->position.stepInEpoch;
    EXPECT_TRUE(step == 30 || (!isDone && step == 20)) << step;
    EXPECT_TRUE(holdsStep(realFileSystem(), newest->path, step));
    if (isDone)
      break;
  }
  EXPECT_GE(kills, 25);
}

TEST(CheckpointProcess, ASecondProcessIsRefusedByNumber) {
  TemporaryDirectory directory;
  auto store =
      CheckpointStore::open(realFileSystem(), directory.path(), "mlp", 2);
  ASSERT_TRUE(store.ok());
  std::string owner =
      "is in use by process " + std::to_string(::getpid()) + " on ";
  int status = inChild([&] {
    auto second =
        CheckpointStore::open(realFileSystem(), directory.path(), "mlp", 2);
    return !second.ok() && second.status().code() == ExitCode::Checkpoint &&
           second.status().message().find(owner) != std::string::npos;
  });
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

TEST(CheckpointProcess, MissingDirectoriesAreMade) {
  TemporaryDirectory directory;
  auto store =
      CheckpointStore::open(realFileSystem(), directory / "a/b/c/", "mlp", 2);
  ASSERT_TRUE(store.ok()) << store.status().message();
  Result<std::string> path = saveStep(**store, 1);
  ASSERT_TRUE(path.ok()) << path.status().message();
  EXPECT_EQ(*path, directory / "a/b/c/mlp-1_1.ckpt");
  EXPECT_TRUE(holdsStep(realFileSystem(), *path, 1));
}

TEST(CheckpointProcess, AFileInTheDirectorysPlaceIsAnError) {
  TemporaryDirectory directory;
  ASSERT_TRUE(writeFileAtomically(realFileSystem(), directory / "f",
                                  ExitCode::Data, "precious")
                  .ok());
  auto store =
      CheckpointStore::open(realFileSystem(), directory / "f", "mlp", 2);
  expectError(store.status(), ExitCode::Checkpoint,
              "' is a file, expected a directory; give it another name");
}

TEST(CheckpointProcess, AReadOnlyDirectoryIsAnErrorBeforeTheFirstStep) {
  TemporaryDirectory directory;
  ASSERT_EQ(::chmod(directory.path().c_str(), 0555), 0);
  int status = inChild([&] {
    // Permissions do not bind root.
    if (::geteuid() == 0 && ::setuid(65534) != 0)
      return false;
    auto store =
        CheckpointStore::open(realFileSystem(), directory.path(), "mlp", 2);
    return !store.ok() && store.status().code() == ExitCode::Checkpoint &&
           store.status().message().find(
               "Permission denied; check its permissions") != std::string::npos;
  });
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  ::chmod(directory.path().c_str(), 0700);
}

} // namespace
} // namespace boostrt
