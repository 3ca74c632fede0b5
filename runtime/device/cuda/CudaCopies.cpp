// What CudaDriver copies, and the order between its streams. Batches have one,
// which waits for the others, and is waited for, where both are about the same
// memory; and so has the side stream.
#include "runtime/device/cuda/CudaDriver.h"

#include <algorithm>
#include <cstring>
#include <functional>
#include <utility>

namespace boostrt {

template <typename Copy>
Status CudaDriver::copyInParts(std::span<const std::byte> host,
                               const Copy &copy) const {
  const std::byte *begin = host.data(), *end = begin + host.size();
  while (begin != end) {
    const std::byte *next = end;
    for (std::span<const std::byte> range : pinned_)
      for (const std::byte *edge : {range.data(), range.data() + range.size()})
        if (std::less<>()(begin, edge) && std::less<>()(edge, next))
          next = edge;
    BOOSTRT_RETURN_IF_ERROR(copy(static_cast<uint64_t>(begin - host.data()),
                                 static_cast<size_t>(next - begin)));
    begin = next;
  }
  return Status();
}

Status CudaDriver::enqueueCopyIn(uint64_t to, std::span<const std::byte> from,
                                 cuda::Stream stream) {
  return copyInParts(from, [&](uint64_t offset, size_t bytes) {
    return check("cuMemcpyHtoDAsync",
                 api_.cuMemcpyHtoDAsync_v2(to + offset, from.data() + offset,
                                           bytes, stream));
  });
}

Status CudaDriver::copyIn(uint64_t to, std::span<const std::byte> from) {
  BOOSTRT_RETURN_IF_ERROR(enqueueCopyIn(to, from, current_->stream));
  current_->hasCopied = true;
  return check("cuEventRecord",
               api_.cuEventRecord(current_->copied, current_->stream));
}

Status CudaDriver::finishCopies() {
  for (Line *line : {&main_, &side_})
    if (std::exchange(line->hasCopied, false))
      BOOSTRT_RETURN_IF_ERROR(
          check("cuEventSynchronize", api_.cuEventSynchronize(line->copied)));
  return Status();
}

Status CudaDriver::askFor(std::span<const DeviceCopy> copies) {
  for (const DeviceCopy &copy : copies)
    BOOSTRT_RETURN_IF_ERROR(
        copyInParts(copy.to, [&](uint64_t offset, size_t bytes) {
          return check("cuMemcpyDtoHAsync",
                       api_.cuMemcpyDtoHAsync_v2(
                           copy.to.data() + offset,
                           reinterpret_cast<cuda::Address>(copy.from) + offset,
                           bytes, current_->stream));
        }));
  return Status();
}

Status CudaDriver::copyOut(std::span<const DeviceCopy> copies) {
  BOOSTRT_RETURN_IF_ERROR(askFor(copies));
  return check("cuStreamSynchronize",
               api_.cuStreamSynchronize(current_->stream));
}

Status CudaDriver::copy(uint64_t to, uint64_t from, uint64_t bytes) {
  return check("cuMemcpyDtoDAsync",
               api_.cuMemcpyDtoDAsync_v2(to, from, bytes, current_->stream));
}

Status CudaDriver::beginCopyOut(std::span<const DeviceCopy> copies) {
  BOOSTRT_RETURN_IF_ERROR(askFor(copies));
  return check("cuEventRecord", api_.cuEventRecord(read_, current_->stream));
}

Status CudaDriver::finishCopyOut() {
  return check("cuEventSynchronize", api_.cuEventSynchronize(read_));
}

// The words are in the calls themselves: no memory of the host has to stay.
Status CudaDriver::write(uint64_t to, std::span<const std::byte> value) {
  std::vector<uint32_t> words(value.size() / sizeof(uint32_t));
  std::memcpy(words.data(), value.data(), value.size());
  for (auto begin = words.begin(); begin != words.end();) {
    auto end = std::find_if(begin, words.end(),
                            [&](uint32_t word) { return word != *begin; });
    auto at = static_cast<uint64_t>(begin - words.begin());
    BOOSTRT_RETURN_IF_ERROR(check(
        "cuMemsetD32Async",
        api_.cuMemsetD32Async(to + at * sizeof(uint32_t), *begin,
                              static_cast<size_t>(end - begin), main_.stream)));
    begin = end;
  }
  return Status();
}

// Events that were never recorded are not waited for.
Status CudaDriver::copyBatch(uint64_t to, std::span<const std::byte> from) {
  Batch &batch = batches_[to];
  if (!batch.copied)
    BOOSTRT_RETURN_IF_ERROR(makeEvent(batch.copied));
  if (!batch.used)
    BOOSTRT_RETURN_IF_ERROR(makeEvent(batch.used));
  BOOSTRT_RETURN_IF_ERROR(
      check("cuStreamWaitEvent",
            api_.cuStreamWaitEvent(batchStream_, batch.used, 0)));
  BOOSTRT_RETURN_IF_ERROR(enqueueCopyIn(to, from, batchStream_));
  return check("cuEventRecord", api_.cuEventRecord(batch.copied, batchStream_));
}

Status CudaDriver::finishBatches() {
  return check("cuStreamSynchronize", api_.cuStreamSynchronize(batchStream_));
}

Status CudaDriver::beginUse(uint64_t batch) {
  auto found = batches_.find(batch);
  return found == batches_.end()
             ? Status()
             : check("cuStreamWaitEvent",
                     api_.cuStreamWaitEvent(main_.stream, found->second.copied,
                                            0));
}

Status CudaDriver::endUse(uint64_t batch) {
  auto found = batches_.find(batch);
  return found == batches_.end()
             ? Status()
             : check("cuEventRecord",
                     api_.cuEventRecord(found->second.used, main_.stream));
}

Status CudaDriver::mark(uint32_t number) {
  while (marks_.size() <= number) {
    cuda::Event event = nullptr;
    BOOSTRT_RETURN_IF_ERROR(makeEvent(event));
    marks_.push_back(event);
  }
  return check("cuEventRecord",
               api_.cuEventRecord(marks_[number], main_.stream));
}

Status CudaDriver::stamp(uint32_t number) {
  while (stamps_.size() <= number) {
    cuda::Event event = nullptr;
    BOOSTRT_RETURN_IF_ERROR(makeEvent(event, /*flags=*/0));
    stamps_.push_back(event);
  }
  return check("cuEventRecord",
               api_.cuEventRecord(stamps_[number], main_.stream));
}

Result<double> CudaDriver::secondsBetween(uint32_t first, uint32_t second) {
  BOOSTRT_RETURN_IF_ERROR(
      check("cuEventSynchronize", api_.cuEventSynchronize(stamps_[second])));
  float milliseconds = 0;
  BOOSTRT_RETURN_IF_ERROR(check(
      "cuEventElapsedTime",
      api_.cuEventElapsedTime(&milliseconds, stamps_[first], stamps_[second])));
  return static_cast<double>(milliseconds) * 1e-3;
}

Status CudaDriver::forkToSideStream(uint32_t number) {
  current_ = &side_;
  return check("cuStreamWaitEvent",
               api_.cuStreamWaitEvent(side_.stream, marks_[number], 0));
}

Status CudaDriver::joinSideStream() {
  BOOSTRT_RETURN_IF_ERROR(
      check("cuEventRecord", api_.cuEventRecord(sideEnds_, side_.stream)));
  return check("cuStreamWaitEvent",
               api_.cuStreamWaitEvent(main_.stream, sideEnds_, 0));
}

// Page-locked memory is limited, by the system or by a container; a driver
// that refuses copies through a buffer of its own.
bool CudaDriver::pin(std::span<std::byte> host) {
  if (api_.cuMemHostRegister_v2(host.data(), host.size(), 0) != 0)
    return false;
  pinned_.push_back(host);
  return true;
}

void CudaDriver::unpin(std::span<std::byte> host) {
  api_.cuMemHostUnregister(host.data());
  std::erase_if(pinned_, [&](std::span<const std::byte> range) {
    return range.data() == host.data();
  });
}

} // namespace boostrt
