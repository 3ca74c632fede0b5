// NcclApi.h - the functions of NCCL that are used, opened at run time as
// CudaApi.h opens the driver; a test compares what is declared here with nccl.h
// where there is one.
#pragma once

#include "runtime/device/cuda/CudaApi.h"
#include "runtime/device/cuda/FindLibraries.h"

namespace boostrt::nccl {

/// ncclResult_t.
using NcclResult = int;
inline constexpr NcclResult kSuccess = 0;
inline constexpr NcclResult kInProgress = 7;

/// ncclComm_t.
using Communicator = struct CommunicatorHandle *;
using Stream = cuda::Stream;

/// ncclUniqueId: how ranks find each other.
struct UniqueId {
  char bytes[128];
};

/// The first fields of ncclConfig_t. NCCL copies as many bytes as `size` says
/// and knows from `version` which of them mean something.
struct Config {
  size_t size = sizeof(Config);
  unsigned magic = 0xcafebeef;
  unsigned version = 21400; ///< the first with this function
  int blocking = 0;         ///< calls return kInProgress
};

inline constexpr int kBytes = 0; ///< ncclDataType_t: ncclInt8

// X(result, symbol, parameters...)
// clang-format off
#define BOOSTRT_NCCL_FUNCTIONS(X)                                              \
  X(NcclResult, ncclGetVersion, int *version)                                  \
  X(NcclResult, ncclGetUniqueId, UniqueId *id)                                 \
  X(NcclResult, ncclCommInitRankConfig, Communicator *communicator, int ranks, \
    UniqueId id, int rank, Config *config)                                     \
  X(NcclResult, ncclCommFinalize, Communicator communicator)                   \
  X(NcclResult, ncclCommDestroy, Communicator communicator)                    \
  X(NcclResult, ncclCommAbort, Communicator communicator)                      \
  X(NcclResult, ncclCommGetAsyncError, Communicator communicator,              \
    NcclResult *state)                                                         \
  X(NcclResult, ncclGroupStart, void)                                          \
  X(NcclResult, ncclGroupEnd, void)                                            \
  X(NcclResult, ncclSend, const void *data, size_t count, int type, int to,    \
    Communicator communicator, Stream stream)                                  \
  X(NcclResult, ncclRecv, void *data, size_t count, int type, int from,        \
    Communicator communicator, Stream stream)                                  \
  X(const char *, ncclGetErrorString, NcclResult result)                       \
  X(const char *, ncclGetLastError, Communicator communicator)
// clang-format on

inline constexpr const char *kLibraryName = "libnccl.so.2";

/// The library, open until the process ends: it has threads of its own.
struct NcclApi {
#define BOOSTRT_NCCL_MEMBER(result, symbol, ...) result (*symbol)(__VA_ARGS__);
  BOOSTRT_NCCL_FUNCTIONS(BOOSTRT_NCCL_MEMBER)
#undef BOOSTRT_NCCL_MEMBER
  int version = 0; ///< 22809 for 2.28.9

  /// Looks where cuda::openLibrary() does. Fails with ExitCode::Usage.
  static Result<NcclApi> open(const cuda::SearchContext &context);
  /// The functions of an open library.
  static Result<NcclApi> find(void *library, const std::string &path);

  /// "ncclSend failed: unhandled system error (Connection refused)", with what
  /// NCCL last said of the communicator, which may be null.
  std::string failureText(const char *call, NcclResult result,
                          Communicator communicator) const;
};

} // namespace boostrt::nccl
