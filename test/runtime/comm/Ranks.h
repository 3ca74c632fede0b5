// Ranks.h - jobs whose ranks are threads of the test, over every transport.
#pragma once

#include "runtime/comm/Transport.h"

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace boostrt::test {

/// How the ranks of a test are connected.
class TestJob {
public:
  virtual ~TestJob() = default;
  /// For the thread that is rank `rank`.
  virtual Result<std::unique_ptr<Transport>> connect(uint32_t rank) = 0;
};

struct TransportKind {
  const char *name;
  std::unique_ptr<TestJob> (*start)(uint32_t size,
                                    std::chrono::milliseconds deadline);
  uint32_t maxRanks = UINT32_MAX;
  const char *title = name; ///< of the tests, where two have a name
};

/// Memory of messages, which the host and the transport reach. A job may
/// exchange where it is from while it lives.
struct CarriedMemory {
  void *(*take)(size_t bytes) = nullptr; ///< null: plain memory of the host
  void (*give)(void *memory, size_t bytes) = nullptr;
};
CarriedMemory &carriedMemory();

template <typename T> struct CarriedAllocator {
  using value_type = T;
  CarriedAllocator() = default;
  template <typename U> CarriedAllocator(const CarriedAllocator<U> &) {}
  T *allocate(size_t count) {
    size_t bytes = count * sizeof(T);
    return static_cast<T *>(carriedMemory().take ? carriedMemory().take(bytes)
                                                 : ::operator new(bytes));
  }
  void deallocate(T *memory, size_t count) {
    if (carriedMemory().give)
      carriedMemory().give(memory, count * sizeof(T));
    else
      ::operator delete(memory);
  }
  bool operator==(const CarriedAllocator &) const = default;
};
template <typename T> using CarriedVector = std::vector<T, CarriedAllocator<T>>;

/// All transports that every machine has.
const std::vector<TransportKind> &transportKinds();

/// "local", as GoogleTest wants a parameter's name.
std::string kindName(const TransportKind &kind);

/// What each rank returned.
std::vector<Status>
runRanks(const TransportKind &kind, uint32_t size,
         const std::function<Status(Transport &)> &rank,
         std::chrono::milliseconds deadline = std::chrono::seconds(60));

/// All ranks must succeed.
void expectRanks(const TransportKind &kind, uint32_t size,
                 const std::function<Status(Transport &)> &rank);

} // namespace boostrt::test
