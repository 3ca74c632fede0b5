// SimulatedFileSystem.h - a machine whose power can be cut at any call.
//
// It lives in memory and keeps two versions of everything: what processes see,
// and what is on the disk. Data reaches the disk by sync(), names by
// syncDirectory(); what a power cut leaves of the rest is chosen by Survival.
// Directory operations reach the disk in order, as on journalling file systems,
// or separately by directory.
#pragma once

#include "runtime/support/File.h"

#include <map>
#include <memory>
#include <random>

namespace boostrt {

/// What a power cut leaves of that which was never synced.
enum class Survival {
  Nothing,   ///< none of it
  All,       ///< all of it: the same as a killed process
  NamesOnly, ///< names, but not the data of the files (zeros instead)
  Random,    ///< of each directory a prefix of its operations; of each file a
             ///< piece, or zeros, or garbage
};

class SimulatedFileSystem final : public FileSystem {
public:
  SimulatedFileSystem();

  /// Call number `call` (counted from 1) and all later ones do nothing and fail
  /// with EIO, as if the machine had stopped before it; 0: never.
  void stopBefore(int call) { stopAt_ = call; }
  /// Call number `call` fails with `number` (a write after half its bytes), and
  /// later ones too when `forever`.
  void failAt(int call, int number, bool forever);
  int calls() const { return calls_; }
  bool stopped() const { return stopAt_ > 0 && calls_ >= stopAt_; }

  /// Comes back after a power cut: locks are gone, unsynced content is what
  /// `survival` says, all settings above are cleared.
  void restart(Survival survival, uint64_t seed = 0);

  /// Bytes of an existing file, to be changed by a test. Null: not there.
  std::vector<uint8_t> *content(const std::string &path);
  /// All paths, directories with a final slash.
  std::vector<std::string> paths() const;

  IoError create(const std::string &path,
                 std::unique_ptr<WritableFile> &file) override;
  IoError open(const std::string &path,
               std::unique_ptr<ReadableFile> &file) override;
  IoError rename(const std::string &from, const std::string &to) override;
  IoError syncDirectory(const std::string &path) override;
  IoError removeFile(const std::string &path) override;
  IoError removeDirectory(const std::string &path) override;
  IoError makeDirectory(const std::string &path) override;
  IoError list(const std::string &path,
               std::vector<DirectoryEntry> &entries) override;
  IoError lock(const std::string &path, std::string &holder,
               std::unique_ptr<FileLock> &lock) override;

private:
  struct Node {
    bool isDirectory = false;
    std::vector<uint8_t> data, durableData; // files
    // Directories. `log` holds what the names became, operation by operation,
    // since the last sync.
    using Names = std::map<std::string, std::shared_ptr<Node>>;
    Names names, durableNames;
    std::vector<Names> log;
  };
  using NodePointer = std::shared_ptr<Node>;
  friend class SimulatedWritableFile;
  friend class SimulatedReadableFile;

  /// Counts a call; an error when it must not be executed.
  IoError enter();
  NodePointer find(const std::string &path) const;
  /// The directory that holds `path`, or null.
  NodePointer parentOf(const std::string &path) const;
  static void changed(Node &directory) {
    directory.log.push_back(directory.names);
  }
  /// For a path that exists, from its directory.
  void removeName(const std::string &path);
  void loseUnsynced(Node &node, Survival survival, std::mt19937_64 &random);

  NodePointer root_;
  int calls_ = 0, stopAt_ = 0, failAt_ = 0, failNumber_ = 0;
  bool failForever_ = false;
  int generation_ = 0; // locks of an earlier one are gone
  std::map<std::string, std::pair<int, std::string>> locks_;
};

} // namespace boostrt
