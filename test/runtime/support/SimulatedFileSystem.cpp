#include "test/runtime/support/SimulatedFileSystem.h"

#include <algorithm>
#include <cerrno>

namespace boostrt {

class SimulatedWritableFile final : public WritableFile {
public:
  SimulatedWritableFile(SimulatedFileSystem &files,
                        std::shared_ptr<SimulatedFileSystem::Node> node)
      : files_(files), node_(std::move(node)) {}

  IoError write(std::span<const uint8_t> bytes) override {
    IoError error = files_.enter();
    if (files_.stopped())
      return error;
    size_t length = error.ok() ? bytes.size() : bytes.size() / 2;
    node_->data.insert(node_->data.end(), bytes.begin(),
                       bytes.begin() + length);
    return error;
  }
  IoError sync() override {
    IoError error = files_.enter();
    if (error.ok())
      node_->durableData = node_->data;
    return error;
  }

private:
  SimulatedFileSystem &files_;
  std::shared_ptr<SimulatedFileSystem::Node> node_;
};

class SimulatedReadableFile final : public ReadableFile {
public:
  SimulatedReadableFile(SimulatedFileSystem &files,
                        std::shared_ptr<SimulatedFileSystem::Node> node)
      : files_(files), node_(std::move(node)) {}

  uint64_t size() const override { return node_->data.size(); }
  IoError read(uint64_t offset, std::span<uint8_t> bytes) override {
    if (IoError error = files_.enter(); !error.ok())
      return error;
    if (offset + bytes.size() > node_->data.size())
      return IoError(EIO);
    std::copy_n(node_->data.begin() + offset, bytes.size(), bytes.begin());
    return {};
  }

private:
  SimulatedFileSystem &files_;
  std::shared_ptr<SimulatedFileSystem::Node> node_;
};

namespace {
class SimulatedLock final : public FileLock {
public:
  explicit SimulatedLock(std::function<void()> release)
      : release_(std::move(release)) {}
  ~SimulatedLock() override { release_(); }

private:
  std::function<void()> release_;
};
} // namespace

SimulatedFileSystem::SimulatedFileSystem() : root_(std::make_shared<Node>()) {
  root_->isDirectory = true;
}

void SimulatedFileSystem::failAt(int call, int number, bool forever) {
  failAt_ = calls_ + call;
  failNumber_ = number;
  failForever_ = forever;
}

IoError SimulatedFileSystem::enter() {
  ++calls_;
  if (stopped())
    return IoError(EIO);
  if (failAt_ > 0 && (calls_ == failAt_ || (failForever_ && calls_ > failAt_)))
    return IoError(failNumber_);
  return {};
}

SimulatedFileSystem::NodePointer
SimulatedFileSystem::find(const std::string &path) const {
  NodePointer node = root_;
  size_t at = 0;
  while (node && at < path.size()) {
    size_t slash = std::min(path.find('/', at), path.size());
    std::string name = path.substr(at, slash - at);
    at = slash + 1;
    if (name.empty() || name == ".")
      continue;
    auto found = node->names.find(name);
    node = found == node->names.end() ? nullptr : found->second;
  }
  return node;
}

SimulatedFileSystem::NodePointer
SimulatedFileSystem::parentOf(const std::string &path) const {
  NodePointer parent = find(directoryOf(path));
  return parent && parent->isDirectory ? parent : nullptr;
}

void SimulatedFileSystem::removeName(const std::string &path) {
  NodePointer parent = parentOf(path);
  parent->names.erase(baseNameOf(path));
  changed(*parent);
}

void SimulatedFileSystem::loseUnsynced(Node &node, Survival survival,
                                       std::mt19937_64 &random) {
  if (!node.isDirectory) {
    if (survival == Survival::Nothing)
      node.data = node.durableData;
    if (survival == Survival::NamesOnly && node.data != node.durableData)
      std::fill(node.data.begin(), node.data.end(), 0);
    if (survival == Survival::Random && node.data != node.durableData) {
      node.data.resize(random() % (node.data.size() + 1));
      size_t good = random() % (node.data.size() + 1);
      bool zeros = random() % 2;
      for (size_t i = good; i < node.data.size(); ++i)
        node.data[i] = zeros ? 0 : uint8_t(random());
    }
    node.durableData = node.data;
    return;
  }
  size_t kept = node.log.size();
  if (survival == Survival::Nothing)
    kept = 0;
  if (survival == Survival::Random)
    kept = random() % (node.log.size() + 1);
  node.names = kept == 0 ? node.durableNames : node.log[kept - 1];
  node.durableNames = node.names;
  node.log.clear();
  for (auto &[name, child] : node.names)
    loseUnsynced(*child, survival, random);
}

void SimulatedFileSystem::restart(Survival survival, uint64_t seed) {
  std::mt19937_64 random(seed);
  loseUnsynced(*root_, survival, random);
  calls_ = stopAt_ = failAt_ = 0;
  failForever_ = false;
  locks_.clear();
  ++generation_;
}

std::vector<uint8_t> *SimulatedFileSystem::content(const std::string &path) {
  NodePointer node = find(path);
  return node && !node->isDirectory ? &node->data : nullptr;
}

std::vector<std::string> SimulatedFileSystem::paths() const {
  std::vector<std::string> result;
  auto visit = [&](auto &self, const Node &node,
                   const std::string &path) -> void {
    for (const auto &[name, child] : node.names) {
      result.push_back(path + name + (child->isDirectory ? "/" : ""));
      self(self, *child, path + name + "/");
    }
  };
  visit(visit, *root_, "/");
  return result;
}

IoError SimulatedFileSystem::create(const std::string &path,
                                    std::unique_ptr<WritableFile> &file) {
  if (IoError error = enter(); !error.ok())
    return error;
  NodePointer parent = parentOf(path);
  if (!parent)
    return IoError(ENOENT);
  NodePointer &node = parent->names[baseNameOf(path)];
  if (node && node->isDirectory)
    return IoError(EISDIR);
  if (!node) {
    node = std::make_shared<Node>();
    changed(*parent);
  }
  node->data.clear();
  file = std::make_unique<SimulatedWritableFile>(*this, node);
  return {};
}

IoError SimulatedFileSystem::open(const std::string &path,
                                  std::unique_ptr<ReadableFile> &file) {
  if (IoError error = enter(); !error.ok())
    return error;
  NodePointer node = find(path);
  if (!node)
    return IoError(ENOENT);
  if (node->isDirectory)
    return IoError(EISDIR);
  file = std::make_unique<SimulatedReadableFile>(*this, node);
  return {};
}

IoError SimulatedFileSystem::rename(const std::string &from,
                                    const std::string &to) {
  if (IoError error = enter(); !error.ok())
    return error;
  NodePointer node = find(from), target = find(to);
  NodePointer fromParent = parentOf(from), toParent = parentOf(to);
  if (!node || !fromParent || !toParent)
    return IoError(ENOENT);
  if (target && node->isDirectory && !target->isDirectory)
    return IoError(ENOTDIR);
  if (target && !node->isDirectory && target->isDirectory)
    return IoError(EISDIR);
  if (target && target->isDirectory && !target->names.empty())
    return IoError(ENOTEMPTY);
  fromParent->names.erase(baseNameOf(from));
  if (fromParent != toParent)
    changed(*fromParent);
  toParent->names[baseNameOf(to)] = node;
  changed(*toParent);
  return {};
}

IoError SimulatedFileSystem::syncDirectory(const std::string &path) {
  if (IoError error = enter(); !error.ok())
    return error;
  NodePointer node = find(path);
  if (!node || !node->isDirectory)
    return IoError(ENOENT);
  node->durableNames = node->names;
  node->log.clear();
  return {};
}

IoError SimulatedFileSystem::removeFile(const std::string &path) {
  if (IoError error = enter(); !error.ok())
    return error;
  NodePointer node = find(path);
  if (!node)
    return IoError(ENOENT);
  if (node->isDirectory)
    return IoError(EISDIR);
  removeName(path);
  return {};
}

IoError SimulatedFileSystem::removeDirectory(const std::string &path) {
  if (IoError error = enter(); !error.ok())
    return error;
  NodePointer node = find(path);
  if (!node)
    return IoError(ENOENT);
  if (!node->isDirectory)
    return IoError(ENOTDIR);
  if (!node->names.empty())
    return IoError(ENOTEMPTY);
  removeName(path);
  return {};
}

IoError SimulatedFileSystem::makeDirectory(const std::string &path) {
  if (IoError error = enter(); !error.ok())
    return error;
  if (find(path))
    return IoError(EEXIST);
  NodePointer parent = parentOf(path);
  if (!parent)
    return IoError(ENOENT);
  NodePointer node = std::make_shared<Node>();
  node->isDirectory = true;
  parent->names[baseNameOf(path)] = node;
  changed(*parent);
  return {};
}

IoError SimulatedFileSystem::list(const std::string &path,
                                  std::vector<DirectoryEntry> &entries) {
  entries.clear();
  if (IoError error = enter(); !error.ok())
    return error;
  NodePointer node = find(path);
  if (!node)
    return IoError(ENOENT);
  if (!node->isDirectory)
    return IoError(ENOTDIR);
  for (const auto &[name, child] : node->names)
    entries.push_back({name, child->isDirectory});
  return {};
}

IoError SimulatedFileSystem::lock(const std::string &path, std::string &holder,
                                  std::unique_ptr<FileLock> &lock) {
  if (IoError error = enter(); !error.ok())
    return error;
  if (!parentOf(path))
    return IoError(ENOENT);
  if (auto held = locks_.find(path); held != locks_.end()) {
    holder = held->second.second;
    return IoError(EWOULDBLOCK);
  }
  locks_[path] = {generation_, holder};
  lock = std::make_unique<SimulatedLock>([this, path, mine = generation_] {
    auto held = locks_.find(path);
    if (held != locks_.end() && held->second.first == mine)
      locks_.erase(held);
  });
  return {};
}

} // namespace boostrt
