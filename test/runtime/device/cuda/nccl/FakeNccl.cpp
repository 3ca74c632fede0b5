// FakeNccl.cpp - NCCL as far as NcclTransport uses it, for machines without
// GPUs: ranks are threads of one process, memory is the host's. It keeps NCCL's
// rules: calls belong into groups, a communicator that is busy takes none,
// messages between two ranks meet in their order and only with the same size,
// and what has no bytes is left out. Everything happens as late as can be: a
// group begins when the communicator has been asked often enough whether it
// has, and until then its stream looks idle.
#include "test/runtime/device/cuda/nccl/FakeNccl.h"

#include "runtime/device/cuda/nccl/NcclApi.h"

#include <condition_variable>
#include <cstring>
#include <deque>
#include <map>
#include <mutex>
#include <vector>

using namespace boostrt::nccl;
using boostrt::fake_nccl::Behavior;
using boostrt::fake_nccl::Control;

namespace {

constexpr NcclResult kSystemError = 2, kInvalidArgument = 4, kInvalidUsage = 5,
                     kRemoteError = 6;

std::mutex mutex;
std::condition_variable released;
Behavior behavior;
int liveCommunicators = 0;
uint64_t lastId = 0;

struct Message {
  struct Rank *owner;
  bool isSend;
  int peer;
  char *data;
  size_t bytes;
  boostrt::fake_nccl::Stream *stream;
};

struct Job {
  int size = 0, arrived = 0;
  /// By sender and receiver.
  std::map<std::pair<int, int>, std::deque<Message>> sends, receives;

  void match() {
    for (auto &[pair, sent] : sends) {
      std::deque<Message> &awaited = receives[pair];
      while (!sent.empty() && !awaited.empty() &&
             sent.front().bytes == awaited.front().bytes) {
        std::memcpy(awaited.front().data, sent.front().data,
                    sent.front().bytes);
        --sent.front().stream->pending;
        --awaited.front().stream->pending;
        sent.pop_front();
        awaited.pop_front();
      }
    }
  }
};
std::map<uint64_t, Job> jobs;

struct Rank {
  Rank(Job &job, int rank) : job(&job), rank(rank) {}

  Job *job;
  int rank;
  Behavior behavior = ::behavior;
  int polls = behavior.pollsPerCall;
  int groups = 0;
  bool isReady = false, isFinalized = false;
  NcclResult error = kSuccess;
  std::vector<Message> asked; ///< of the group that has not begun

  /// One poll; true when nothing is left to begin.
  bool advance() {
    if (!isReady && (behavior.initHangs || job->arrived < job->size))
      return false;
    if (isFinalized && behavior.finalizeHangs)
      return false;
    if (polls > 0 && polls--)
      return false;
    isReady = true;
    for (Message &message : asked) {
      ++message.stream->pending;
      if (message.isSend)
        job->sends[{rank, message.peer}].push_back(message);
      else
        job->receives[{message.peer, rank}].push_back(message);
    }
    asked.clear();
    job->match();
    return true;
  }

  void withdraw() {
    for (auto *queues : {&job->sends, &job->receives})
      for (auto &[pair, queue] : *queues)
        std::erase_if(queue, [&](Message &message) {
          if (message.owner != this)
            return false;
          if (!behavior.streamsHang)
            --message.stream->pending;
          return true;
        });
  }
};

Rank *of(Communicator communicator) {
  return reinterpret_cast<Rank *>(communicator);
}

thread_local bool isGroupOpen = false;
thread_local std::vector<Message> group;

NcclResult add(bool isSend, void *data, size_t count, int type, int peer,
               Communicator communicator, boostrt::nccl::Stream stream) {
  Rank *rank = of(communicator);
  if (!isGroupOpen || !rank->isReady || !rank->asked.empty())
    return kInvalidUsage;
  if (type != kBytes || !data || !stream || peer < 0 || peer >= rank->job->size)
    return kInvalidArgument;
  if (count > 0)
    group.push_back({rank, isSend, peer, static_cast<char *>(data), count,
                     reinterpret_cast<boostrt::fake_nccl::Stream *>(stream)});
  return kSuccess;
}

} // namespace

#define FAKE(type, symbol) extern "C" type symbol

FAKE(const Control *, fakeNcclControl)() {
  static const Control control = {[](const Behavior &next) {
                                    std::lock_guard lock(mutex);
                                    behavior = next;
                                  },
                                  [] {
                                    std::lock_guard lock(mutex);
                                    behavior.abortHangs = false;
                                    released.notify_all();
                                  },
                                  [] {
                                    std::lock_guard lock(mutex);
                                    return liveCommunicators;
                                  }};
  return &control;
}

FAKE(NcclResult, ncclGetVersion)(int *version) {
  *version = 22809;
  return kSuccess;
}
FAKE(NcclResult, ncclGetUniqueId)(UniqueId *id) {
  std::lock_guard lock(mutex);
  *id = {};
  ++lastId;
  // Bytes at both ends, some of them 0.
  std::memcpy(id->bytes, &lastId, sizeof lastId);
  std::memcpy(id->bytes + sizeof id->bytes - sizeof lastId, &lastId,
              sizeof lastId);
  return kSuccess;
}
FAKE(NcclResult, ncclCommInitRankConfig)(Communicator *communicator, int ranks,
                                         UniqueId id, int rank,
                                         Config *config) {
  std::lock_guard lock(mutex);
  uint64_t first = 0, last = 0;
  std::memcpy(&first, id.bytes, sizeof first);
  std::memcpy(&last, id.bytes + sizeof id.bytes - sizeof last, sizeof last);
  if (config->size != sizeof(Config) || config->magic != 0xcafebeef ||
      config->version < 21400 || config->blocking != 0 || first == 0 ||
      first > lastId || first != last || rank < 0 || rank >= ranks)
    return kInvalidArgument;
  Job &job = jobs[first];
  job.size = ranks;
  ++job.arrived;
  auto *made = new Rank(job, rank);
  ++liveCommunicators;
  *communicator = reinterpret_cast<Communicator>(made);
  return kInProgress;
}
FAKE(NcclResult, ncclCommGetAsyncError)(Communicator communicator,
                                        NcclResult *state) {
  std::lock_guard lock(mutex);
  Rank *rank = of(communicator);
  *state = rank->error != kSuccess ? rank->error
           : rank->advance()       ? kSuccess
                                   : kInProgress;
  return kSuccess;
}
FAKE(NcclResult, ncclCommFinalize)(Communicator communicator) {
  std::lock_guard lock(mutex);
  of(communicator)->isFinalized = true;
  of(communicator)->polls = of(communicator)->behavior.pollsPerCall;
  return kInProgress;
}
FAKE(NcclResult, ncclCommDestroy)(Communicator communicator) {
  std::lock_guard lock(mutex);
  if (!of(communicator)->isFinalized)
    return kInvalidUsage;
  delete of(communicator);
  --liveCommunicators;
  return kSuccess;
}
FAKE(NcclResult, ncclCommAbort)(Communicator communicator) {
  std::unique_lock lock(mutex);
  Rank *rank = of(communicator);
  rank->withdraw();
  if (rank->behavior.abortHangs)
    released.wait(lock, [] { return !behavior.abortHangs; });
  delete rank;
  --liveCommunicators;
  return kSuccess;
}
FAKE(NcclResult, ncclGroupStart)() {
  if (isGroupOpen)
    return kInvalidUsage;
  isGroupOpen = true;
  return kSuccess;
}
FAKE(NcclResult, ncclGroupEnd)() {
  std::lock_guard lock(mutex);
  if (!isGroupOpen)
    return kInvalidUsage;
  isGroupOpen = false;
  std::vector<Message> ended = std::move(group);
  group.clear();
  if (ended.empty())
    return kSuccess;
  Rank *rank = ended[0].owner;
  const Behavior &own = rank->behavior;
  if (rank->rank == own.failingRank && rank->groups++ == own.failingGroup) {
    if (own.failsAtOnce)
      return kSystemError;
    rank->error = kRemoteError;
    return kInProgress;
  }
  rank->asked = std::move(ended);
  rank->polls = own.pollsPerCall;
  return kInProgress;
}
FAKE(NcclResult, ncclSend)(const void *data, size_t count, int type, int to,
                           Communicator communicator,
                           boostrt::nccl::Stream stream) {
  std::lock_guard lock(mutex);
  return add(true, const_cast<void *>(data), count, type, to, communicator,
             stream);
}
FAKE(NcclResult, ncclRecv)(void *data, size_t count, int type, int from,
                           Communicator communicator,
                           boostrt::nccl::Stream stream) {
  std::lock_guard lock(mutex);
  return add(false, data, count, type, from, communicator, stream);
}
FAKE(const char *, ncclGetErrorString)(NcclResult result) {
  return result == kSystemError       ? "unhandled system error"
         : result == kInvalidUsage    ? "invalid usage"
         : result == kRemoteError     ? "remote process exited"
         : result == kInvalidArgument ? "invalid argument"
                                      : "no error";
}
FAKE(const char *, ncclGetLastError)(Communicator communicator) {
  return communicator ? "Call to connect returned Connection refused" : "";
}
