#include "runtime/device/cuda/CallBench.h"

#include "runtime/abi/boost_random.h"
#include "runtime/device/cuda/CallElements.h"

#include <algorithm>
#include <span>

namespace boostrt::cuda {
namespace {

using enum CallOperands::Number;

/// Numbers in [-1, 1) of 24 bits, the same on all machines, and independent of
/// those of another `stream`: products of the same would be squares, which all
/// have one sign.
std::vector<float> drawNumbers(uint64_t count, uint64_t stream) {
  std::vector<float> numbers(count);
  for (uint64_t i = 0; i < count; ++i) {
    BoostRandomBlock block = boost_random_block(/*seed=*/0, stream, i / 4);
    numbers[i] =
        static_cast<float>(static_cast<int32_t>(block.word[i % 4]) >> 8) /
        (1 << 23);
  }
  return numbers;
}

size_t wordsOf(uint64_t bytes) {
  return (bytes + sizeof(uint32_t) - 1) / sizeof(uint32_t);
}

} // namespace

Result<std::unique_ptr<CallBench>>
CallBench::create(const CudaApi &api, Stream stream,
                  const BoostTarget &target) {
  std::unique_ptr<CallBench> bench(new CallBench(api, stream));
  BOOSTRT_RETURN_IF_ERROR(bench->reserve(target));
  return bench;
}

Status CallBench::reserve(const BoostTarget &target) {
  std::array<Operands, BOOSTC_FLOAT_COUNT> most{};
  uint64_t scratchBytes = 0;
  for (const BoostLibraryCall &call :
       std::span(target.library_calls, target.library_call_count)) {
    for (CallOperands::Number number : {A, B, Bias, C}) {
      uint64_t &bytes = most[typeOfOperand(call, number)][number];
      bytes = std::max(bytes, call.operand_bytes[number]);
    }
    scratchBytes = std::max(scratchBytes, call.scratch_bytes);
  }
  BOOSTRT_RETURN_IF_ERROR(allocate(scratchBytes, scratch_));
  for (uint32_t type = 0; type < BOOSTC_FLOAT_COUNT; ++type)
    for (size_t i = 0; i < Scratch; ++i)
      BOOSTRT_RETURN_IF_ERROR(allocate(most[type][i], memory_[type][i]));
  BOOSTRT_RETURN_IF_ERROR(
      check("cuEventCreate", api_.cuEventCreate(&begin_, 0)));
  BOOSTRT_RETURN_IF_ERROR(check("cuEventCreate", api_.cuEventCreate(&end_, 0)));
  for (uint32_t type = 0; type < BOOSTC_FLOAT_COUNT; ++type)
    for (size_t i = 0; i < C; ++i)
      if (uint64_t bytes = most[type][i]) {
        std::vector<std::byte> elements(bytes);
        roundElements(type, drawNumbers(bytes / bytesOfElement(type), i),
                      elements);
        BOOSTRT_RETURN_IF_ERROR(
            copyIn(memory_[type][i], elements.data(), bytes));
      }
  return Status();
}

Status CallBench::allocate(uint64_t bytes, uint64_t &address) {
  if (bytes == 0)
    return Status();
  Address allocated = 0;
  BOOSTRT_RETURN_IF_ERROR(
      check("cuMemAlloc",
            api_.cuMemAlloc_v2(&allocated, wordsOf(bytes) * sizeof(uint32_t))));
  address = allocated;
  return Status();
}

CallBench::~CallBench() {
  api_.cuStreamSynchronize(stream_);
  for (Event event : {begin_, end_})
    if (event)
      api_.cuEventDestroy_v2(event);
  for (const Operands &operands : memory_)
    for (uint64_t address : operands)
      if (address)
        api_.cuMemFree_v2(address);
  if (scratch_)
    api_.cuMemFree_v2(scratch_);
}

Status CallBench::copyIn(uint64_t to, const void *from, uint64_t bytes) {
  BOOSTRT_RETURN_IF_ERROR(
      check("cuMemcpyHtoDAsync",
            api_.cuMemcpyHtoDAsync_v2(to, from, bytes, stream_)));
  return check("cuStreamSynchronize", api_.cuStreamSynchronize(stream_));
}

CallBench::Operands CallBench::operandsOf(const BoostLibraryCall &call) const {
  Operands operands{};
  for (CallOperands::Number number : {A, B, Bias, C})
    operands[number] = memory_[typeOfOperand(call, number)][number];
  operands[Scratch] = scratch_;
  if (!hasBias(call))
    operands[Bias] = 0;
  return operands;
}

Result<std::vector<float>> CallBench::runOnce(const BoostLibraryCall &call,
                                              const Work &work) {
  std::vector<std::byte> result(countResults(call) *
                                bytesOfElement(call.result_type));
  uint64_t address = operandsOf(call)[C];
  // A NaN in each type; memory is allocated in whole words.
  BOOSTRT_RETURN_IF_ERROR(check(
      "cuMemsetD32Async",
      api_.cuMemsetD32Async(address, ~0u, wordsOf(result.size()), stream_)));
  BOOSTRT_RETURN_IF_ERROR(work());
  BOOSTRT_RETURN_IF_ERROR(check(
      "cuMemcpyDtoHAsync", api_.cuMemcpyDtoHAsync_v2(result.data(), address,
                                                     result.size(), stream_)));
  BOOSTRT_RETURN_IF_ERROR(
      check("cuStreamSynchronize", api_.cuStreamSynchronize(stream_)));
  return extendElements(call.result_type, result);
}

Result<double> CallBench::round(const Work &work, int repeats) {
  BOOSTRT_RETURN_IF_ERROR(
      check("cuEventRecord", api_.cuEventRecord(begin_, stream_)));
  for (int i = 0; i < repeats; ++i)
    BOOSTRT_RETURN_IF_ERROR(work());
  BOOSTRT_RETURN_IF_ERROR(
      check("cuEventRecord", api_.cuEventRecord(end_, stream_)));
  BOOSTRT_RETURN_IF_ERROR(
      check("cuEventSynchronize", api_.cuEventSynchronize(end_)));
  float milliseconds = 0;
  BOOSTRT_RETURN_IF_ERROR(
      check("cuEventElapsedTime",
            api_.cuEventElapsedTime(&milliseconds, begin_, end_)));
  return 1e3 * milliseconds / repeats;
}

Result<double> CallBench::time(const Work &work) {
  constexpr double kRoundMicroseconds = 2000;
  Result<double> once = round(work, 1);
  if (!once.ok())
    return once;
  int repeats = static_cast<int>(
      std::clamp(kRoundMicroseconds / std::max(*once, 1.0), 3.0, 100.0));
  double best = std::numeric_limits<double>::infinity();
  for (int i = 0; i < 3; ++i) {
    Result<double> average = round(work, repeats);
    if (!average.ok())
      return average;
    best = std::min(best, *average);
  }
  return best;
}

} // namespace boostrt::cuda
