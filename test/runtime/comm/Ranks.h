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
};

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
