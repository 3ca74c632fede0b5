#include "runtime/device/cuda/nccl/NcclCommunicator.h"

#include <cstdio>
#include <cstring>
#include <fmt/format.h>
#include <future>
#include <thread>
#include <unistd.h>

namespace boostrt::nccl {
namespace {

using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;

double seconds(milliseconds time) {
  return std::chrono::duration<double>(time).count();
}

/// Awake for as long as most exchanges take, then with naps.
class Patience {
public:
  void wait() {
    if (Clock::now() - begin_ < std::chrono::microseconds(500))
      std::this_thread::yield();
    else
      std::this_thread::sleep_for(std::chrono::microseconds(50));
  }

private:
  Clock::time_point begin_ = Clock::now();
};

[[noreturn]] void endProcess(const Status &failure, milliseconds deadline) {
  std::fprintf(stderr,
               "boost-run: error: %s; NCCL does not give the GPU back within "
               "%.1f s, so this process ends without leaving it in order\n",
               failure.message().c_str(), seconds(deadline));
  _exit(static_cast<int>(failure.code()));
}

/// Waits for `isDone()`, a Result<bool>. Success, the job's failure, or, at the
/// deadline, `late`.
template <typename Done>
Status await(const control::ControlClient &client, Clock::time_point deadline,
             const Status &late, Done &&isDone) {
  for (Patience patience;; patience.wait()) {
    if (client.hasFailed())
      return client.status();
    Result<bool> done = isDone();
    if (!done.ok())
      return done.status();
    if (*done)
      return Status();
    if (Clock::now() > deadline)
      return late;
  }
}

} // namespace

NcclCommunicator::~NcclCommunicator() {
  if (client().hasFailed() || !leave())
    abandon();
}

Status NcclCommunicator::broken(const std::string &what) {
  if (!client().awaitFailure(options_.verdictTime))
    client().abort(what);
  return client().status();
}

Status NcclCommunicator::check(const char *call, NcclResult result) {
  return result == kSuccess || result == kInProgress
             ? Status()
             : broken(api_.failureText(call, result, communicator_));
}

Result<bool> NcclCommunicator::hasSettled() {
  NcclResult state = kSuccess;
  NcclResult asked = api_.ncclCommGetAsyncError(communicator_, &state);
  BOOSTRT_RETURN_IF_ERROR(check("ncclCommGetAsyncError", asked));
  BOOSTRT_RETURN_IF_ERROR(check("communication", state));
  return state == kSuccess;
}

/// Rank 0's, through the control plane.
Result<UniqueId> NcclCommunicator::agreeOnId(uint32_t rank) {
  std::string key = fmt::format("nccl/{}/id", plane_.nextConnection());
  UniqueId id{};
  if (rank == 0) {
    BOOSTRT_RETURN_IF_ERROR(
        check("ncclGetUniqueId", api_.ncclGetUniqueId(&id)));
    BOOSTRT_RETURN_IF_ERROR(client().set(key, {id.bytes, sizeof id.bytes}));
    return id;
  }
  Result<std::string> text = client().get(key, options_.connectDeadline);
  if (!text.ok())
    return text.status();
  if (text->size() != sizeof id.bytes)
    return Status(ExitCode::RankLost,
                  fmt::format("rank 0 gave an id of {} bytes for NCCL, and "
                              "this rank's has {}; install the same version "
                              "of boost-run on all machines",
                              text->size(), sizeof id.bytes));
  std::memcpy(id.bytes, text->data(), sizeof id.bytes);
  return id;
}

Status NcclCommunicator::connect(uint32_t rank, uint32_t size) {
  Result<UniqueId> id = agreeOnId(rank);
  if (!id.ok())
    return id.status();
  Config config;
  NcclResult begun =
      api_.ncclCommInitRankConfig(&communicator_, static_cast<int>(size), *id,
                                  static_cast<int>(rank), &config);
  BOOSTRT_RETURN_IF_ERROR(check("ncclCommInitRankConfig", begun));
  return await(
      client(), Clock::now() + options_.connectDeadline,
      Status(ExitCode::RankLost,
             fmt::format("NCCL has not connected the GPUs within {:.1f} s; run "
                         "with NCCL_DEBUG=INFO to see what it waits for, or "
                         "with --comm=gloo to do without it",
                         seconds(options_.connectDeadline))),
      [&] { return hasSettled(); });
}

Status NcclCommunicator::awaitEnd() {
  return await(
      client(), Clock::time_point::max(), Status(), [&]() -> Result<bool> {
        // A stream on which NCCL has not begun says nothing.
        Result<bool> settled = hasSettled();
        if (!settled.ok() || !*settled)
          return settled;
        Result<bool> isIdle = gpu_.isIdle();
        return isIdle.ok() ? isIdle : broken(isIdle.status().message());
      });
}

bool NcclCommunicator::leave() {
  if (!communicator_)
    return true;
  auto isWell = [](NcclResult result) {
    return result == kSuccess || result == kInProgress;
  };
  if (!isWell(api_.ncclCommFinalize(communicator_)))
    return false;
  Status late(ExitCode::RankLost, "it does not end");
  Status ended =
      await(client(), Clock::now() + options_.abortDeadline, late,
            [&]() -> Result<bool> {
              NcclResult state = kSuccess;
              if (!isWell(api_.ncclCommGetAsyncError(communicator_, &state)) ||
                  !isWell(state))
                return late;
              return state == kSuccess;
            });
  if (!ended.ok())
    return false;
  api_.ncclCommDestroy(communicator_); // what remains is NCCL's own memory
  communicator_ = nullptr;
  return true;
}

void NcclCommunicator::abandon() {
  if (!communicator_)
    return;
  // On a thread, which may hang with it.
  std::packaged_task<void()> task(
      [abort = api_.ncclCommAbort, own = communicator_] { abort(own); });
  std::future<void> ended = task.get_future();
  communicator_ = nullptr;
  std::thread thread(std::move(task));
  Clock::time_point deadline = Clock::now() + options_.abortDeadline;
  for (Patience patience; Clock::now() < deadline; patience.wait()) {
    if (ended.wait_for(milliseconds(0)) != std::future_status::ready)
      continue;
    // What NCCL has given up leaves the stream a little later. A GPU that has
    // failed has nothing more to do.
    Result<bool> isIdle = gpu_.isIdle();
    if (!isIdle.ok() || *isIdle)
      return thread.join();
  }
  thread.detach();
  Status failure = client().status();
  if (failure.ok())
    failure = Status(ExitCode::RankLost, "the communicator of this rank's GPU "
                                         "does not end");
  if (options_.onStuck)
    options_.onStuck(failure);
  else
    endProcess(failure, options_.abortDeadline);
}

} // namespace boostrt::nccl
