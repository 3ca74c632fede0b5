// SimLibrary.h - library calls on the simulated GPU: what a program would ask
// cuBLASLt and cuDNN for is checked, then computed by reference code.
#pragma once

#include "sim/Memory.h"
#include "sim/SimMachine.h"

#include "runtime/abi/boost_abi.h"

namespace boostrt::sim {

/// Executes `call` on `operands`, in the order stated at its struct. Fails with
/// ExitCode::Internal and a report of several lines where the description does
/// not fit the memory: an operand that is missing, misaligned or larger than
/// what was planned for it or than its allocation, operands that overlap what
/// is written, and, with Checks::All, elements that were never written.
Status executeCall(Memory &memory, Checks checks, const BoostLibraryCall &call,
                   std::span<const uint64_t> operands);

} // namespace boostrt::sim
