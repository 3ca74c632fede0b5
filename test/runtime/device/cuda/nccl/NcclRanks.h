// NcclRanks.h - jobs whose ranks speak through NCCL, that of FakeNccl.cpp.
#pragma once

#include "test/runtime/comm/Ranks.h"

namespace boostrt::test {

/// transportKinds() and NCCL.
const std::vector<TransportKind> &allTransportKinds();

} // namespace boostrt::test
